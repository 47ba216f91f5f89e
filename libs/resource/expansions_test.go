package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// borrowed is what the expansion loans shows of a loan.
type borrowed struct {
	ID   string `json:"id" format:"uuid"`
	Name string `json:"name"`
}

type sitesQuery struct {
	IDs []string `json:"ids" maxItems:"1000"`
}

// lending is the service of sites, which shows the loans of each, and that of loans, which is asked for them.
type lending struct {
	*two
	asked atomic.Int32
	loans map[string]string // by site, as JSON
}

func newLending(t *testing.T) *lending {
	t.Helper()
	l := &lending{loans: map[string]string{}}
	l.two = newTwoOf(t, catalogue.New(
		catalogue.Collection{Name: "sites", Singular: "site", Service: "assets", Path: "/v1/sites", Scope: "sites"},
		catalogue.Collection{Name: "work_orders", Singular: "work_order", Service: "workorders", Path: "/v1/loans", Scope: "work_orders",
			Feature: "maintenance"},
	), func(owner *resource.Registry) {
		resource.Mount(owner, resource.Definition[site]{Collection: "sites", Table: "shelf", Expansions: map[string]resource.Expansion{"loans": {
			Collection: "work_orders", Entry: reflect.TypeFor[borrowed](), Doc: "what was borrowed there.",
			Find: func(ctx context.Context, references *reference.Client, ids []string) (map[string]string, error) {
				l.asked.Add(1)
				return l.loans, references.PostRepeatable(ctx, "workorders", "/internal/loans", sitesQuery{ids}, nil)
			},
		}}})
	}, func(referrer *resource.Registry) {
		loans := reference.Contract[sitesQuery, map[string]any]{Path: "/loans"}
		transport.Internal(referrer.API, loans, func(context.Context, sitesQuery) (map[string]any, error) { return map[string]any{}, nil })
	})
	l.owner.Principal.Features = append(l.owner.Principal.Features, "maintenance")
	return l
}

func TestAListOfAnotherServiceIsShownBesideEachRecord(t *testing.T) {
	l := newLending(t)
	var ids []string
	for i := range 4 {
		ids = append(ids, l.owner.Create(t, "/v1/sites", map[string]any{"name": fmt.Sprint("Parc ", i)})["id"].(string))
	}
	l.loans[ids[0]] = `[{"id":"` + ids[1] + `","name":"Pelle"},{"id":"` + ids[2] + `","name":"=Seau"}]`
	l.loans[ids[2]] = `[{"id":"` + ids[2] + `","name":"=Seau"}]`
	check := func(where string, records []map[string]any) {
		t.Helper()
		for _, record := range records {
			want := map[any]string{ids[0]: "Pelle =Seau", ids[2]: "=Seau"}[record["id"]]
			var names []string
			for _, one := range record["loans"].([]any) {
				names = append(names, one.(map[string]any)["name"].(string))
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s: %v has %q, want %q", where, record["name"], got, want)
			}
		}
	}
	for _, query := range []string{"", "&per_page=3", "&sort=-created_at", "&fields=id,name"} {
		l.asked.Store(0)
		records, _ := l.owner.List(t, "/v1/sites?expand=loans"+query)
		check(query, records)
		if l.asked.Load() != 1 {
			t.Errorf("%s asks %d times", query, l.asked.Load())
		}
	}
	l.asked.Store(0)
	if records, _ := l.owner.List(t, "/v1/sites?expand=loans&page=2"); len(records) != 0 || l.asked.Load() != 0 {
		t.Errorf("%v, and asks %d times", records, l.asked.Load())
	}
	read := l.owner.Must(t, 200, "GET", "/v1/sites/"+ids[0]+"?expand=loans", nil)
	check("a record", []map[string]any{read.JSON})
	if tag := read.Header.Get("ETag"); tag != "" {
		t.Errorf("what another service has is tagged %s", tag)
	}
	for accept, want := range map[string]string{
		"text/csv": "name,loans\nParc 0,\"[{\"\"id\"\":\"\"" + ids[1] + "\"\",\"\"name\"\":\"\"Pelle\"\"},{\"\"id\"\":\"\"" + ids[2] +
			"\"\",\"\"name\"\":\"\"=Seau\"\"}]\"\nParc 1,[]\n",
		"application/x-ndjson": `{"name":"Parc 0","loans":` + l.loans[ids[0]] + "}\n" + `{"name":"Parc 1","loans":[]}` + "\n",
	} {
		if got := string(l.owner.Must(t, 200, "GET", "/v1/sites?fields=name&expand=loans", nil,
			"Accept", accept).Body); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", accept, got)
		}
	}
	if sent := l.owner.Must(t, 200, "PATCH", "/v1/sites/"+ids[0], read.JSON).JSON; sent["version"] != 1.0 {
		t.Errorf("what was read changes the record: %v", sent)
	}
	for _, wrong := range []any{"Pelle", map[string]any{}, nil} {
		l.owner.Must(t, 400, "PATCH", "/v1/sites/"+ids[0], map[string]any{"loans": wrong})
	}
}

// A page is one question, also the largest.
func TestTheLargestPageAsksOnceForItsLists(t *testing.T) {
	l := newLending(t)
	rows := make([]any, 1000)
	for i := range rows {
		rows[i] = map[string]any{"name": fmt.Sprint(i)}
	}
	l.owner.Must(t, http.StatusOK, "POST", "/v1/sites/bulk", map[string]any{"data": rows})
	l.asked.Store(0)
	if records, _ := l.owner.List(t, "/v1/sites?expand=loans&per_page=1000"); len(records) != 1000 || l.asked.Load() != 1 {
		t.Errorf("%d records, asked %d times", len(records), l.asked.Load())
	}
}

func TestAListNeedsTheScopeAndTheFeatureOfWhatItShows(t *testing.T) {
	l := newLending(t)
	l.owner.Create(t, "/v1/sites", map[string]any{"name": "Parc"})
	l.owner.Principal.Scopes = []string{"sites:read"}
	if refused := l.owner.Must(t, 403, "GET", "/v1/sites?expand=loans", nil); refused.JSON["code"] != "scope_missing" ||
		!strings.Contains(refused.JSON["error"].(string), "work_orders:read") {
		t.Errorf("the refusal does not name the scope: %s", refused.Body)
	}
	l.owner.Principal.Scopes = []string{"sites:read", "work_orders:read"}
	l.owner.Must(t, 200, "GET", "/v1/sites?expand=loans", nil)
	l.owner.Principal.Features = []string{"api_access"}
	if refused := l.owner.Must(t, 403, "GET", "/v1/sites?expand=loans", nil); refused.JSON["code"] != "feature_not_in_plan" {
		t.Errorf("the refusal does not name the feature: %s", refused.Body)
	}
	l.owner.Must(t, 200, "GET", "/v1/sites", nil)
}

func TestAListOfAServiceThatIsAwayIs503(t *testing.T) {
	l := newLending(t)
	l.owner.Create(t, "/v1/sites", map[string]any{"name": "Parc"})
	l.servers.referrer.Close()
	l.owner.Must(t, http.StatusServiceUnavailable, "GET", "/v1/sites?expand=loans", nil)
	l.owner.Must(t, 200, "GET", "/v1/sites", nil)
}
