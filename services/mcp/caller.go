package mcp

import (
	"context"

	"ams.internal/libs/principal"
)

// caller is the caller of a request as the gateway described the key for this request. The key is kept in memory only,
// for the API calls of the request.
type caller struct {
	Key               string // the API key in plain
	KeyID, KeyName    string
	OrganizationID    string
	OrganizationName  string
	Plan              string
	Scopes, Features  []string
	ReadOnly          bool     // as chosen when the assistant was connected
	RequestedReadOnly bool     // as the request's header has it (narrow.go)
	Toolsets          []string // that the request asks for; none: all
	GrantID           string   // of the connection; empty where the key itself was sent
	Address           string   // where the request came from
	RequestID         string
}

type callerKey struct{}

// callerFrom returns the caller that requireBearer put into the context. Without one it is the zero caller, which has no
// permissions.
func callerFrom(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

func withCaller(ctx context.Context, c caller) context.Context {
	ctx = principal.Into(ctx, principal.Principal{ // for the log; it has no permissions
		OrganizationID: c.OrganizationID, Actor: principal.Actor{Type: "api_key", ID: c.KeyID}, RequestID: c.RequestID,
	})
	return context.WithValue(ctx, callerKey{}, c)
}
