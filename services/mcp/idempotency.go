package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// idempotencyWindow is how long an equal write counts as a repetition. Assistants repeat calls that seemed to fail.
const idempotencyWindow = 5 * time.Minute

// idempotencyKey is the key of a POST. It is the key that the assistant chose, else a hash that is the same for the same
// connection, tool and arguments within the window.
func (call *toolCall) idempotencyKey(given string) string {
	if given != "" {
		return given
	}
	connection := call.caller.GrantID
	if connection == "" {
		connection = call.caller.KeyID
	}
	var arguments any
	if err := decodeExactly(call.rawArguments, &arguments); err != nil { // the arguments were empty; the tool has read them already
		arguments = nil
	}
	at := strconv.FormatInt(time.Now().Unix()/int64(idempotencyWindow/time.Second), 10)
	hash := sha256.New()
	for _, part := range []string{connection, call.tool.name, string(encodeJSON(arguments)),
		at} { // in one spelling, whatever the order of the arguments
		hash.Write([]byte(part))
		hash.Write([]byte{0})
	}
	return "mcp-" + hex.EncodeToString(hash.Sum(nil)[:20])
}
