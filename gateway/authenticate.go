package main

import (
	"context"
	"net/netip"
	"strings"

	"github.com/go-kit/kit/endpoint"

	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry"
)

// authenticate finds the key of a request. What it finds wrong is refused one step later: the limit counts the
// request first, so that its headers are true on the refusal as well.
func (g *gateway) authenticate(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		c := request.(*call)
		if c.route.keyed() && c.refusal == nil {
			c.key, c.refusal = g.identify(ctx, c)
		}
		return next(ctx, request)
	}
}

func (g *gateway) identify(ctx context.Context, c *call) (*key, *fault.Error) {
	value, refusal := bearer(c.r.Header["Authorization"], c.r.URL.RawQuery)
	if refusal != nil {
		return nil, refusal
	}
	return g.know(ctx, value, c.client, c.id)
}

// know looks a key up, and says whether it may be used from an address. Whoever asks, each key is looked up after they
// asked, together with those of others who ask at that time. A key that is known is given with its refusal.
func (g *gateway) know(ctx context.Context, value string, client netip.Addr, request string) (*key, *fault.Error) {
	hash, err := parseKey(value)
	if err != nil {
		return nil, unauthenticated("key_malformed", "This is not an API key: keys begin with %s, have %d characters and end in a checksum. Copy it again, whole.", keyPrefix, keyLength)
	}
	found, err := g.lookup.find(ctx, hash)
	if err != nil {
		if ctx.Err() == nil {
			g.lookupFailed(telemetry.WithRequestID(ctx, request), err)
		}
		return nil, fault.Unavailable("plan_unconfirmed", "The key and its plan could not be confirmed right now. The key itself may be fine: try again in a second.").Because(err)
	}
	if found == nil || found.state == "revoked" {
		return nil, usable(found)
	}
	if refusal := usable(found); refusal != nil {
		return found, refusal
	}
	if len(found.networks) > 0 && !contains(found.networks, client) {
		return found, fault.Forbidden("network_not_allowed", "This API key may not be used from %s: it is limited to certain networks.", client)
	}
	return found, nil
}

// usable gives the refusal of a key that was looked up; nil for one that is active.
func usable(found *key) *fault.Error {
	switch {
	case found == nil:
		return unauthenticated("key_unknown", "This API key is not known. An Administrator can make a new one on the API Keys settings screen.")
	case found.state == "revoked":
		return unauthenticated("key_revoked", "This API key was revoked. An Administrator can make a new one on the API Keys settings screen.")
	case found.state == "expired":
		return fault.Forbidden("key_expired", "This API key expired at %s. An Administrator can replace it on the API Keys settings screen.", timestamp(found.expiresAt))
	case found.state != "active":
		return fault.Forbidden("key_inactive", "This API key is suspended. An Administrator can resume it on the API Keys settings screen.")
	}
	return nil
}

// bearer gives the value of the one Authorization header.
func bearer(headers []string, query string) (string, *fault.Error) {
	switch {
	case len(headers) == 0 && holdsKey(query):
		return "", unauthenticated("key_missing", "A key in the query is not accepted: queries end up in logs, so replace that key, and send the new one as Authorization: Bearer <API key>.")
	case len(headers) == 0:
		return "", unauthenticated("key_missing", "Send an API key with each request: Authorization: Bearer <API key>.")
	case len(headers) > 1:
		return "", unauthenticated("key_malformed", "Send one Authorization header, not %d.", len(headers))
	}
	scheme, value, _ := strings.Cut(headers[0], " ")
	value = strings.TrimSpace(value)
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return "", unauthenticated("key_missing", "The Authorization header must be of the form: Bearer <API key>.")
	}
	return value, nil
}

func unauthenticated(code, format string, args ...any) *fault.Error {
	challenge := `Bearer realm="ams"`
	if code != "key_missing" {
		challenge += `, error="invalid_token"`
	}
	return fault.New(fault.KindUnauthenticated, code, format, args...).WithHeader("WWW-Authenticate", challenge)
}
