package edge

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
)

// authenticate finds the key of a request. What it finds wrong is refused one step later: the limit counts the
// request first, so that its headers are true on the refusal as well.
func authenticate(lookup *keys.Lookup, addressLimit int) step {
	known := &bearers{limit: addressLimit, tokens: map[[sha256.Size]byte]bool{}}
	return func(next handler) handler {
		return func(ctx context.Context, c *call) (*http.Response, error) {
			if c.route.keyed() && c.refusal == nil {
				value, refusal := bearer(c.r.Header["Authorization"], c.r.URL.RawQuery)
				if given := c.r.Header["Authorization"]; c.odata != nil && len(given) == 1 && basic(given[0]) != "" {
					value, refusal = basic(given[0]), nil
				}
				if c.refusal = refusal; refusal == nil {
					c.key, c.refusal = lookup.Identify(ctx, value, c.client, c.id)
				}
				if c.odata != nil && c.refusal != nil && c.refusal.Kind == fault.KindUnauthenticated { // programs that send a password ask first how
					c.refusal = c.refusal.WithHeader("WWW-Authenticate", `Basic realm="ams", charset="UTF-8"`)
				}
			}
			if c.route.bearers {
				return known.pass(ctx, c, lookup, next)
			}
			return next(ctx, c)
		}
	}
}

// bearer gives the value of the one Authorization header.
func bearer(headers []string, query string) (string, *fault.Error) {
	switch {
	case len(headers) == 0 && holdsKey(query):
		return "", keys.Unauthenticated("key_missing",
			"A key in the query is not accepted: queries end up in logs, so replace that key, "+
				"and send the new one as Authorization: Bearer <API key>.")
	case len(headers) == 0:
		return "", keys.Unauthenticated("key_missing", "Send an API key with each request: Authorization: Bearer <API key>.")
	case len(headers) > 1:
		return "", keys.Unauthenticated("key_malformed", "Send one Authorization header, not %d.", len(headers))
	}
	scheme, value, _ := strings.Cut(headers[0], " ")
	value = strings.TrimSpace(value)
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return "", keys.Unauthenticated("key_missing", "The Authorization header must be of the form: Bearer <API key>.")
	}
	return value, nil
}
