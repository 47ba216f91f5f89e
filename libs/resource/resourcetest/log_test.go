package resourcetest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// noted is a test that keeps what it is told to show.
type noted struct {
	testing.TB
	shown []string
}

func (n *noted) Logf(format string, args ...any) {
	n.shown = append(n.shown, fmt.Sprintf(format, args...))
}

func TestAFailedRequestShowsItsCause(t *testing.T) {
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, resourcetest.Log(t).With("service", "greetings"))
	for path, err := range map[string]error{
		"/v1/unavailable": fault.Unavailable("database_unavailable",
			"The database cannot be reached.").WithCause(errors.New("the pool is empty")),
		"/v1/internal": errors.New("column height does not exist"),
		"/v1/refused":  fault.Invalid("too_small", "It is too small.").WithCause(errors.New("the caller's mistake")),
	} {
		api.Handle(transport.Operation{Method: "GET", Path: path, ID: strings.TrimPrefix(path, "/v1/"), Scope: "greetings:read"},
			func(context.Context, *transport.Request) (*transport.Response, error) { return nil, err })
	}
	client := resourcetest.NewClient(api.Handler(), signer)
	for path, want := range map[string]string{
		"/v1/unavailable": "the pool is empty", "/v1/internal": "column height does not exist", "/v1/refused": "",
	} {
		n := &noted{TB: t}
		client.Do(n, "GET", path, nil)
		if shown := strings.Join(n.shown, "\n"); (want == "") != (shown == "") || !strings.Contains(shown, want) {
			t.Errorf("%s shows %q, want %q", path, shown, want)
		}
	}
}
