package edge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"

	"ams.internal/gateway/keys"
	"ams.internal/libs/apikey"
)

// maxTokens is how many tokens are remembered.
const maxTokens = 10_000

// bearers are those who call a service that looks at keys and tokens itself. Whoever is known to have a good one is counted by it, as
// requests with keys are, and not by the address, which others share: assistants call from few, and strangers may use up what an address
// has.
type bearers struct {
	limit int // of each, in a minute

	mu     sync.Mutex
	tokens map[[sha256.Size]byte]bool // that the service has taken
}

// pass passes a request on, with what it is counted by. A key is looked up; a token is good where the service took it before.
func (b *bearers) pass(ctx context.Context, c *call, lookup *keys.Lookup, next handler) (*http.Response, error) {
	value, refusal := bearer(c.r.Header["Authorization"], "")
	if refusal != nil {
		return next(ctx, c)
	}
	if apikey.Is(value) {
		if k, refusal := lookup.Identify(ctx, value, c.client, c.id); refusal == nil {
			c.bearer, c.bearerLimit = c.route.prefix+" "+k.ID, b.limit // its own limit is for what it calls at /v1
		}
		return next(ctx, c)
	}
	hash := sha256.Sum256([]byte(value))
	b.mu.Lock()
	if b.tokens[hash] {
		c.bearer, c.bearerLimit = c.route.prefix+" "+hex.EncodeToString(hash[:16]), b.limit
	}
	b.mu.Unlock()
	response, err := next(ctx, c)
	if err == nil {
		b.note(hash, response.StatusCode)
	}
	return response, err
}

// note remembers a token that was taken, and forgets one that was refused.
func (b *bearers) note(hash [sha256.Size]byte, status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		delete(b.tokens, hash)
	case status == http.StatusOK || status == http.StatusAccepted:
		if len(b.tokens) >= maxTokens {
			clear(b.tokens)
		}
		b.tokens[hash] = true
	}
}
