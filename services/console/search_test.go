package console

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// serveSearch stands for the search service.
func (f *fixture) serveSearch(handle handlerFunc) {
	handle("GET /v1/search", func(p principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		switch text := r.URL.Query().Get("q"); {
		case text == "😀":
			return nil, fault.InvalidFields(fault.Field{Field: "q", Message: "must have a letter or a digit"})
		case text != "grunfos" || !slices.Contains(p.Scopes, "users:read") || slices.Contains(p.Scopes, "users:write") || p.Actor.ID != adminID ||
			!slices.Equal(p.Features, f.features) || p.OrganizationID != orgID:
			return map[string]any{"data": []any{}, "corrected": map[string]any{}, "unavailable": []any{}}, nil
		}
		return map[string]any{"data": []any{map[string]any{"kind": "work_order", "id": managerID, "name": "Pompe <b>", "code": "WO-000012",
			"detail": nil, "status": "open", "site": map[string]any{"id": orgID, "name": "Aréna"}, "match": "similar", "url": "/v1/work-orders/x"}},
			"corrected": map[string]any{"grunfos": []string{"grundfos"}}, "unavailable": []string{"network", "segment"}}, nil
	})
}

func TestAnAdministratorFindsRecords(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	for query, says := range map[string][]string{
		"":                {`name="q"`},
		"?q=grunfos":      {"work order", "Pompe &lt;b&gt;", "WO-000012", "Aréna", managerID, "“grundfos”", "network, segment."},
		"?q=zamboni":      {"Nothing was found."},
		"?q=%F0%9F%98%80": {"at most eight words", `aria-invalid="true"`},
	} {
		page := b.get("/settings/search" + query)
		for _, words := range says {
			if page.status != 200 || !strings.Contains(page.body, words) {
				t.Errorf("%s: %d, it does not say %s", query, page.status, words)
			}
		}
	}
	if page := b.get("/settings/search?q=zamboni").body; strings.Contains(page, "<table") {
		t.Error("there is an empty table")
	}
	f.mu.Lock()
	f.downPrefix = "/v1/search"
	f.mu.Unlock()
	if page := b.get("/settings/search?q=grunfos"); page.status != 503 {
		t.Errorf("while nobody searches: %d", page.status)
	}
}

func TestOnlyAdministratorsSearch(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	b.signIn("marc@example.ca", password)
	if page := b.get("/settings/search?q=grunfos"); page.status != 403 {
		t.Errorf("a manager: %d", page.status)
	}
}
