package mcp

import (
	"context"

	"ams.internal/services/mcp/oauth"
)

// caller is the caller of a request, with what the request asks to leave away (narrow.go).
type caller struct {
	oauth.Caller
	RequestedReadOnly bool     // as the request's header has it
	Toolsets          []string // that the request asks for; none: all
}

type callerKey struct{}

// callerFrom returns the caller of a request: as selectServer put it into the context, before that as it was authorized. Without one it
// is the zero caller, which has no permissions.
func callerFrom(ctx context.Context) caller {
	if c, narrowed := ctx.Value(callerKey{}).(caller); narrowed {
		return c
	}
	return caller{Caller: oauth.CallerFrom(ctx)}
}

func withCaller(ctx context.Context, c caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}
