package oauth

import (
	"context"

	"ams.internal/libs/principal"
)

// Caller is the caller of a request as the gateway described the key for this request. The key is kept in memory only,
// for the API calls of the request.
type Caller struct {
	Key              string // the API key in plain
	KeyID, KeyName   string
	OrganizationID   string
	OrganizationName string
	Plan             string
	Scopes, Features []string
	ReadOnly         bool   // as chosen when the assistant was connected
	GrantID          string // of the connection; empty where the key itself was sent
	Address          string // where the request came from
	RequestID        string
}

type callerKey struct{}

// CallerFrom returns the caller that RequireBearer put into the context. Without one it is the zero caller, which has no
// permissions.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

func withCaller(ctx context.Context, c Caller) context.Context {
	ctx = principal.Into(ctx, principal.Principal{ // for the log; it has no permissions
		OrganizationID: c.OrganizationID, Actor: principal.Actor{Type: "api_key", ID: c.KeyID}, RequestID: c.RequestID,
	})
	return context.WithValue(ctx, callerKey{}, c)
}
