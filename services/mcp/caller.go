package main

import (
	"context"

	"ams.internal/libs/principal"
)

// caller is whose request it is: what the gateway said of the key a moment ago. The key is in memory only, for the calls
// to the API that the request leads to.
type caller struct {
	Key              string // the API key in plain
	KeyID, KeyName   string
	OrganizationID   string
	OrganizationName string
	Plan             string
	Scopes, Features []string
	ReadOnly         bool   // the person who connected the assistant ticked so
	GrantID          string // of the connection; empty where the key itself was sent
	Address          string // where the request came from
	RequestID        string
}

type callerKey struct{}

// callerFrom gives the caller of the request, whom protect has put there; the zero caller, who may do nothing, where it has not.
func callerFrom(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

func withCaller(ctx context.Context, c caller) context.Context {
	ctx = principal.Into(ctx, principal.Principal{ // for the log: it allows nothing
		OrganizationID: c.OrganizationID, Actor: principal.Actor{Type: "api_key", ID: c.KeyID}, RequestID: c.RequestID,
	})
	return context.WithValue(ctx, callerKey{}, c)
}
