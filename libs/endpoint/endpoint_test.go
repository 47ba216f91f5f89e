package endpoint_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

func reached(context.Context, any) (any, error) { return "reached", nil }

func TestAuthorizeLetsThroughWhomScopeAndFeatureAllow(t *testing.T) {
	someone := principal.Principal{OrganizationID: "o", Scopes: []string{"assets:read"}, Features: []string{"los"}}
	for _, c := range []struct {
		name           string
		p              principal.Principal
		scope, feature string
		kind           fault.Kind // "" when let through
	}{
		{"with scope and feature", someone, "assets:read", "los", ""},
		{"with the scope, where no feature is needed", someone, "assets:read", "", ""},
		{"where no scope is needed", someone, "", "", ""},
		{"without the scope", someone, "assets:write", "", fault.KindForbidden},
		{"without the feature", someone, "assets:read", "projects", fault.KindForbidden},
		{"nobody", principal.Principal{}, "", "", fault.KindUnauthenticated},
		{"somebody without an organization", principal.Principal{Scopes: []string{"*:*"}}, "assets:read", "", fault.KindUnauthenticated},
	} {
		response, err := endpoint.Authorize(c.scope, c.feature)(reached)(principal.Into(t.Context(), c.p), nil)
		var rejection *fault.Error
		if c.kind == "" && (err != nil || response != "reached") || c.kind != "" &&
			(!errors.As(err, &rejection) || rejection.Kind != c.kind || response != nil) {
			t.Errorf("%s: %v, %v", c.name, response, err)
		}
	}
}

func TestRecoverTurnsAPanicIntoAnErrorWithItsPlace(t *testing.T) {
	response, err := endpoint.Recover(func(context.Context, any) (any, error) { panic("out of paper") })(t.Context(), nil)
	if response != nil || err == nil || !strings.Contains(err.Error(), "out of paper") || !strings.Contains(err.Error(), "endpoint_test.go") {
		t.Errorf("%v, %v", response, err)
	}
	if e := fault.From(err); e.Status() != 500 {
		t.Errorf("the status of a panic is %d", e.Status())
	}
}

func TestLimitGivesADeadlineAndSaysSoWhenItIsOver(t *testing.T) {
	if _, err := endpoint.WithDeadline(endpoint.Deadline)(func(ctx context.Context, _ any) (any, error) {
		if at, ok := ctx.Deadline(); !ok || time.Until(at) > endpoint.Deadline {
			t.Errorf("the deadline is %v, %v", at, ok)
		}
		return nil, nil
	})(t.Context(), nil); err != nil {
		t.Error(err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := endpoint.WithDeadline(endpoint.Deadline)(func(ctx context.Context, _ any) (any, error) { return nil, ctx.Err() })(late, nil)
	if e := fault.From(err); e.Status() != 503 || e.Code != "deadline" || e.RetryAfter == 0 {
		t.Errorf("a request that took too long: %v", err)
	}
	own := fault.NotFound("site", "x")
	if _, err := endpoint.WithDeadline(endpoint.Deadline)(
		func(context.Context, any) (any, error) { return nil, own },
	)(t.Context(), nil); !errors.Is(err, own) {
		t.Errorf("another error became %v", err)
	}
}

func TestMakePassesRequestAndResponseThrough(t *testing.T) {
	double := endpoint.Make(func(_ context.Context, n int) (int, error) { return 2 * n, nil })
	if response, err := double(t.Context(), 21); err != nil || response != 42 {
		t.Errorf("%v, %v", response, err)
	}
}
