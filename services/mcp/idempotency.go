package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"
)

// idempotencyWindow is how long the same write counts as a repetition of the first: assistants repeat what seemed to fail.
const idempotencyWindow = 5 * time.Minute

// idempotencyKey is what a POST is sent with: the key that the assistant gave, else one that is the same for the same
// connection, tool and arguments within a window of time.
func (call *toolCall) idempotencyKey(given string) string {
	if given != "" {
		return given
	}
	connection := call.caller.GrantID
	if connection == "" {
		connection = call.caller.KeyID
	}
	var arguments any
	if err := json.Unmarshal(call.rawArguments, &arguments); err != nil { // none: the tool has read them before
		arguments = nil
	}
	at := strconv.FormatInt(time.Now().Unix()/int64(idempotencyWindow/time.Second), 10)
	hash := sha256.New()
	for _, part := range []string{connection, call.tool.name, string(encodeJSON(arguments)), at} { // in one spelling, whatever the order
		hash.Write([]byte(part))
		hash.Write([]byte{0})
	}
	return "mcp-" + hex.EncodeToString(hash.Sum(nil)[:20])
}
