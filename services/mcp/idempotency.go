package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

const (
	// idempotencyWindow is how long an equal write counts as a repetition. Assistants repeat calls that seemed to fail.
	idempotencyWindow = 5 * time.Minute
	// maxEqualWrites is how many equal writes there may be in a day. Each costs the next one a request.
	maxEqualWrites = 12
)

// repetition is what the result of a repeated write says.
const repetition = "The same call was made a moment ago: this is its answer, and nothing was written again. If it is meant a second " +
	"time, call with an idempotency_key of your own."

// postOnce creates a record with the key that the assistant chose. Without one, an equal write within the window is a repetition: the API
// keeps the answer to a key for 24 hours, and says in it when it was written. Where that is longer ago, the next key is made from that
// time, so whoever repeats a write comes to the same key, whenever that is. When the API forgets the first of several equal writes, a
// repetition of the last is one no more.
func (call *toolCall) postOnce(ctx context.Context, path string, body any, given string) (made record, replayed bool, err error) {
	if given != "" {
		replayed, err = call.post(ctx, path, body, given, &made)
		return made, replayed, err
	}
	before := ""
	for range maxEqualWrites {
		made = nil
		replayed, err = call.post(ctx, path, body, call.idempotencyKey(before), &made)
		if err != nil || !replayed {
			return made, replayed, err
		}
		before = textOf(made, "updated_at")
		if at, err := time.Parse(time.RFC3339, before); err != nil || time.Since(at) < idempotencyWindow {
			return made, true, nil //nolint:nilerr // an answer without a time is a repetition, so that nothing is written twice
		}
	}
	return nil, false, problemf("The same was written %d times within a day. Nothing was written now; if it is meant once more, call with an "+
		"idempotency_key of your own.", maxEqualWrites)
}

// idempotencyKey is a hash that is the same for the same connection, tool and arguments, after an equal write of that time.
func (call *toolCall) idempotencyKey(before string) string {
	connection := call.caller.GrantID
	if connection == "" {
		connection = call.caller.KeyID
	}
	var arguments any
	if err := decodeExactly(call.rawArguments, &arguments); err != nil { // the arguments were empty; the tool has read them already
		arguments = nil
	}
	hash := sha256.New()
	// in one spelling, whatever the order of the arguments
	for _, part := range []string{connection, call.tool.name, string(encodeJSON(arguments)),
		before} {
		hash.Write([]byte(part))
		hash.Write([]byte{0})
	}
	return "mcp-" + hex.EncodeToString(hash.Sum(nil)[:20])
}
