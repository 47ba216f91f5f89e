package keys

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"ams.internal/libs/apikey"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/telemetry"
)

// Identify looks up the key with a value, and says whether it may be used from an address. The key is looked up after the call
// began, together with those of other callers. A key that exists and may not be used is given with its refusal. request is the
// request's id, for the log.
func (l *Lookup) Identify(ctx context.Context, value string, client netip.Addr, request string) (*Key, *fault.Error) {
	hash, err := Parse(value)
	if err != nil {
		return nil, Unauthenticated("key_malformed",
			"This is not an API key: keys begin with %s or %s, have %d characters and end in a checksum. Copy it again, whole.",
			apikey.Live, apikey.Test, length)
	}
	found, err := l.find(ctx, hash)
	if err != nil {
		if ctx.Err() == nil {
			l.logFailure(telemetry.WithRequestID(ctx, request), err)
		}
		return nil, fault.Unavailable("plan_unconfirmed",
			"The key and its plan could not be confirmed right now. The key itself may be fine: try again in a second.").WithCause(err)
	}
	if found == nil || found.State == "revoked" {
		return nil, usable(found)
	}
	if refusal := usable(found); refusal != nil {
		return found, refusal
	}
	if found.Suspended {
		return found, postgres.Suspended()
	}
	if found.Emptying {
		return found, fault.Unavailable("sandbox_emptying",
			"The sandbox is being emptied, and its keys are refused until that is done. Try again in a second.")
	}
	inside := func(network netip.Prefix) bool { return network.Contains(client) }
	if len(found.Networks) > 0 && !slices.ContainsFunc(found.Networks, inside) {
		return found, fault.Forbidden("network_not_allowed", "This API key may not be used from %s: it is limited to certain networks.", client)
	}
	return found, nil
}

// usable gives the refusal of a key that was looked up; nil for one that is active.
func usable(found *Key) *fault.Error {
	switch {
	case found == nil:
		return Unauthenticated("key_unknown", "This API key is not known. An Administrator can make a new one on the API Keys settings screen.")
	case found.State == "revoked":
		return Unauthenticated("key_revoked", "This API key was revoked. An Administrator can make a new one on the API Keys settings screen.")
	case found.State == "expired":
		return fault.Forbidden("key_expired", "This API key expired at %s. An Administrator can replace it on the API Keys settings screen.",
			Timestamp(found.ExpiresAt))
	case found.State != "active":
		return fault.Forbidden("key_inactive", "This API key is suspended. An Administrator can resume it on the API Keys settings screen.")
	}
	return nil
}

// logFailure logs that keys cannot be looked up, at most once a second: it may concern every request.
func (l *Lookup) logFailure(ctx context.Context, err error) {
	now, last := time.Now().Unix(), l.lastLogged.Load()
	if now > last && l.lastLogged.CompareAndSwap(last, now) {
		l.log.WarnContext(ctx, "keys cannot be looked up; callers get 503", "error", err)
	}
}

// Unauthenticated refuses a caller who could not be identified, with the challenge that belongs to a 401.
func Unauthenticated(code, format string, args ...any) *fault.Error {
	challenge := `Bearer realm="ams"`
	if code != "key_missing" {
		challenge += `, error="invalid_token"`
	}
	return fault.New(fault.KindUnauthenticated, code, format, args...).WithHeader("WWW-Authenticate", challenge)
}
