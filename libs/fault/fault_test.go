package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/fault"
)

func TestEveryKindHasItsStatus(t *testing.T) {
	for kind, status := range map[fault.Kind]int{
		fault.KindInvalid: 400, fault.KindUnauthenticated: 401, fault.KindForbidden: 403, fault.KindNotFound: 404,
		fault.KindConflict: 409, fault.KindRateLimited: 429, fault.KindInternal: 500, fault.KindUnavailable: 503,
	} {
		if got := fault.New(kind, "code", "sentence").Status(); got != status {
			t.Errorf("%s has status %d, want %d", kind, got, status)
		}
		if got := fault.KindOf(status); got != kind {
			t.Errorf("status %d is of kind %q, want %s", status, got, kind)
		}
	}
	for _, status := range []int{200, 402, 405, 415, 418, 422, 502, 504} {
		if got := fault.KindOf(status); got != "" {
			t.Errorf("status %d has no kind, but is of kind %q", status, got)
		}
	}
}

func TestInvalidFieldsNamesTheFirstProblemAndListsAll(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields []fault.Field
		want   string
	}{
		{"none", nil, "The request has a problem."},
		{"one", []fault.Field{{Field: "name", Message: "is required"}}, "name: is required"},
		{"three", []fault.Field{{Field: "a", Message: "is wrong"}, {Field: "b", Message: "too"}, {Field: "c", Message: "too"}},
			"a: is wrong (and 2 more, see fields)"},
	} {
		e := fault.InvalidFields(c.fields...)
		if e.Message != c.want || e.Status() != 400 || e.Code != "invalid_request" || !reflect.DeepEqual(e.Fields, c.fields) {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}

func TestFromKeepsAKnownErrorHoweverDeepItIsWrapped(t *testing.T) {
	known := fault.NotFound("site", "x")
	if got := fault.From(fmt.Errorf("list: %w", fmt.Errorf("get: %w", known))); got != known {
		t.Errorf("From gives %v", got)
	}
}

func TestAnUnknownErrorShowsNothingOfTheInside(t *testing.T) {
	inside := errors.New(`relation "site" does not exist`)
	e := fault.From(inside)
	body, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if e.Status() != 500 || strings.Contains(string(body), "relation") {
		t.Errorf("shown as %d %s", e.Status(), body)
	}
	if !errors.Is(e, inside) || !strings.Contains(e.Error(), "relation") {
		t.Errorf("the log would not have the cause: %v", e)
	}
}

func TestTheBodyHasOnlyWhatHelps(t *testing.T) {
	conflict := fault.Conflict("already_exists", "code", "S-1", "There already is a site with code %q.", "S-1").WithCause(errors.New("23505"))
	conflict.ExistingID = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"
	conflict.Request = "r-1"
	conflict = conflict.WithHeader("Allow", "GET")
	body, err := json.Marshal(conflict)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"error":"There already is a site with code \"S-1\".","code":"already_exists","request_id":"r-1",` +
		`"field":"code","value":"S-1","existing_id":"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"}`
	if string(body) != want {
		t.Errorf("the body is %s", body)
	}
	if !reflect.DeepEqual(conflict.Header, http.Header{"Allow": {"GET"}}) {
		t.Errorf("the headers are %v", conflict.Header)
	}
}

// An error may be a package variable, or be returned to several requests: a cause or a header of one must not show in another.
func TestACauseAndAHeaderBelongToACopyOfTheError(t *testing.T) {
	shared := fault.Forbidden("form_refused", "The form was not sent by this product.").WithHeader("Vary", "Origin")
	cause := errors.New("for one request only")
	first, second := shared.WithCause(cause), shared.WithHeader("Allow", "GET")
	if !errors.Is(first, cause) || second.Header.Get("Allow") != "GET" || second.Header.Get("Vary") != "Origin" {
		t.Errorf("the copies are %v and %v", first, second.Header)
	}
	for _, e := range []*fault.Error{shared, second} {
		if errors.Is(e, cause) {
			t.Errorf("%v has the cause of another request", e)
		}
	}
	if !reflect.DeepEqual(shared.Header, http.Header{"Vary": {"Origin"}}) || first.Header.Get("Allow") != "" {
		t.Errorf("the headers of another request are in %v and %v", shared.Header, first.Header)
	}
}

func TestUnavailableMayBeRetried(t *testing.T) {
	if e := fault.Unavailable("database_unavailable", "The database is down."); e.Status() != 503 || e.RetryAfter <= 0 {
		t.Errorf("%d after %s", e.Status(), e.RetryAfter)
	}
}

func TestOnlyMissingRecordsAreNotFound(t *testing.T) {
	missing, wrong := fault.Field{Field: "site_id", Message: "is nowhere", Missing: true}, fault.Field{Field: "name", Message: "is required"}
	for _, c := range []struct {
		fields []fault.Field
		status int
		code   string
	}{
		{[]fault.Field{missing}, http.StatusNotFound, "reference_not_found"},
		{[]fault.Field{missing, missing}, http.StatusNotFound, "reference_not_found"},
		{[]fault.Field{missing, wrong}, http.StatusBadRequest, "invalid_request"},
		{[]fault.Field{wrong}, http.StatusBadRequest, "invalid_request"},
		{nil, http.StatusBadRequest, "invalid_request"},
	} {
		if e := fault.InvalidFields(c.fields...); e.Status() != c.status || e.Code != c.code || len(e.Fields) != len(c.fields) {
			t.Errorf("%v: %d %+v", c.fields, e.Status(), e)
		}
	}
}

func TestTheWorstOfManyRows(t *testing.T) {
	missing, wrong := fault.NotFound("site", "1"), fault.InvalidFields(fault.Field{Field: "name", Message: "is required"})
	taken := fault.Conflict("already_exists", "code", "A", "It is taken.")
	for _, c := range []struct {
		rows []*fault.Error
		want *fault.Error
	}{
		{[]*fault.Error{nil, missing, wrong, taken}, taken}, {[]*fault.Error{missing, wrong}, wrong},
		{[]*fault.Error{fault.Forbidden("scope_missing", "No."), missing, wrong, nil}, wrong}, {[]*fault.Error{nil, missing}, missing},
		{[]*fault.Error{wrong, fault.InvalidFields(), nil}, wrong}, {[]*fault.Error{nil, nil}, nil}, {nil, nil},
	} {
		if got := fault.Worst(slices.Values(c.rows)); got != c.want {
			t.Errorf("%v: %v, want %v", c.rows, got, c.want)
		}
	}
}
