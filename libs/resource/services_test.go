package resource_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// Two services with a database each: one owns sites, the other has loans that refer to them.

type site struct {
	resource.Record
	Name string `json:"name" required:"true" maxLength:"100"`
}

type loan struct {
	resource.Record
	Name        string   `json:"name" required:"true" maxLength:"100"`
	State       string   `json:"state" default:"open" enum:"open,done"`
	SiteID      *string  `json:"site_id" references:"sites" filter:"equals"`
	BuildingID  *string  `json:"building_id" references:"buildings"`
	AlsoSiteIDs []string `json:"also_site_ids" references:"sites" maxItems:"10"`
	TargetType  *string  `json:"target_type" enum:"site,building"`
	TargetID    *string  `json:"target_id" references:"@target_type"`
}

// two is the two services and a key for both.
type two struct {
	owner, referrer *resourcetest.Client
	catalogue       *catalogue.Catalogue
	servers         struct{ owner, referrer *httptest.Server }
	ownerDatabase   *postgrestest.Database
	answered        func(r *http.Request) // called when the owner has answered, before the answer leaves
	counting        chan struct{}         // the referrer is asked for dependents
}

func newTwo(t *testing.T) *two {
	t.Helper()
	return newTwoOf(t, catalogue.New(
		catalogue.Collection{Name: "sites", Singular: "site", Service: "assets", Path: "/v1/sites", Scope: "sites",
			ReferredBy: []string{"infrastructure", "los", "projects", "workorders"}},
		catalogue.Collection{Name: "buildings", Singular: "building", Service: "assets", ReferredBy: []string{"workorders"}},
		catalogue.Collection{Name: "work_orders", Singular: "work_order", Service: "workorders", Path: "/v1/loans", Scope: "work_orders"},
	), func(owner *resource.Registry) {
		resource.Mount(owner, resource.Definition[site]{Collection: "sites", Table: "shelf"})
	}, func(referrer *resource.Registry) {
		resource.Mount(referrer, resource.Definition[loan]{Collection: "work_orders", Table: "loan", Active: "t.state = 'open'"})
	})
}

// newTwoOf is the services assets and workorders with the collections that are mounted in each.
func newTwoOf(t *testing.T, collections *catalogue.Catalogue, mountOwner, mountReferrer func(*resource.Registry)) *two {
	t.Helper()
	files, err := fs.Sub(migrations, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	signer, log := resourcetest.NewSigner(t), slog.New(slog.DiscardHandler)
	ownerHandler, referrerHandler, nobody := &later{}, &later{}, http.NewServeMux()
	nobody.HandleFunc("POST /internal/dependents/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":[]}`)) })
	serve := func(handler http.Handler) *httptest.Server {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return server
	}
	w := &two{answered: func(*http.Request) {}, counting: make(chan struct{}, 1000)}
	ownerServer := serve(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		ownerHandler.ServeHTTP(answer, r)
		w.answered(r)
	}))
	referrerServer, others := serve(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/internal/dependents/") {
			w.counting <- struct{}{}
		}
		referrerHandler.ServeHTTP(answer, r)
	})), serve(nobody)
	at := func(server *httptest.Server) []string { return []string{strings.TrimPrefix(server.URL, "http://")} }
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Region: "ca-central-1", Log: log, Static: map[string][]string{
		"assets": at(ownerServer), "workorders": at(referrerServer), "los": at(others), "infrastructure": at(others), "projects": at(others),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	references := reference.NewClient(directory, signer)
	references.Catalogue = collections
	w.catalogue = collections
	register := func(api *transport.API, db *postgres.DB) *resource.Registry {
		registry := resource.NewRegistry(api, db, references)
		registry.Catalogue = references.Catalogue
		return registry
	}
	w.servers.owner, w.servers.referrer = ownerServer, referrerServer

	w.ownerDatabase = postgrestest.New(t, "assets", files)
	db := w.ownerDatabase.Open(t)
	api := transport.New(signer, db, log)
	mountOwner(register(api, db))
	ownerHandler.set(api.Handler())
	w.owner = resourcetest.NewClient(api.Handler(), signer)

	db = postgrestest.New(t, "workorders", files).Open(t)
	api = transport.New(signer, db, log)
	mountReferrer(register(api, db))
	referrerHandler.set(api.Handler())
	w.referrer = resourcetest.NewClient(api.Handler(), signer)
	w.referrer.Principal = w.owner.Principal
	return w
}

// later is a handler that is known after its server has an address.
type later struct{ handler atomic.Pointer[http.Handler] }

func (l *later) set(h http.Handler) { l.handler.Store(&h) }

func (l *later) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*l.handler.Load()).ServeHTTP(w, r)
}

func TestARecordThatAnotherServiceRefersToStays(t *testing.T) {
	w := newTwo(t)
	for name, refer := range map[string]func(id string) map[string]any{
		"by an id":  func(id string) map[string]any { return map[string]any{"name": "a", "site_id": id} },
		"in a list": func(id string) map[string]any { return map[string]any{"name": "a", "also_site_ids": []string{id}} },
		"by type and id": func(id string) map[string]any {
			return map[string]any{"name": "a", "target_type": "site", "target_id": id}
		},
		"though it is done": func(id string) map[string]any { return map[string]any{"name": "a", "site_id": id, "state": "done"} },
	} {
		t.Run(name, func(t *testing.T) {
			id := w.owner.Create(t, "/v1/sites", map[string]any{"name": "Parc"})["id"].(string)
			loan := w.referrer.Create(t, "/v1/loans", refer(id))
			answer := w.owner.Must(t, 409, "DELETE", "/v1/sites/"+id, nil)
			if count := answer.JSON["dependents"].(map[string]any)["work_orders"]; count != 1.0 {
				t.Errorf("dependents: %s", answer.Body)
			}
			w.referrer.Must(t, 204, "DELETE", "/v1/loans/"+loan["id"].(string), nil)
			w.owner.Must(t, 204, "DELETE", "/v1/sites/"+id, nil)
			answer = w.referrer.Must(t, 404, "POST", "/v1/loans", refer(id))
			if !strings.Contains(string(answer.Body), id) {
				t.Errorf("a record that is gone: %s", answer.Body)
			}
		})
	}
}

func TestAnotherOrganizationsRecordIsUnknown(t *testing.T) {
	w := newTwo(t)
	id := w.owner.Other().Create(t, "/v1/sites", map[string]any{"name": "Parc"})["id"].(string)
	for _, body := range []map[string]any{{"name": "a", "site_id": id}, {"name": "a", "also_site_ids": []string{id}},
		{"name": "a", "target_type": "site", "target_id": id}} {
		w.referrer.Must(t, 404, "POST", "/v1/loans", body)
	}
}

func TestAnOwnerOrReferrerThatIsAwayIs503AndNothingIsWritten(t *testing.T) {
	w := newTwo(t)
	id := w.owner.Create(t, "/v1/sites", map[string]any{"name": "Parc"})["id"].(string)
	w.servers.owner.Close()
	w.referrer.Must(t, 503, "POST", "/v1/loans", map[string]any{"name": "a", "site_id": id})
	if total := w.referrer.Must(t, 200, "GET", "/v1/loans", nil).JSON["pagination"].(map[string]any)["total"]; total != 0.0 {
		t.Errorf("%v loans were written", total)
	}
	w = newTwo(t)
	id = w.owner.Create(t, "/v1/sites", map[string]any{"name": "Parc"})["id"].(string)
	w.servers.referrer.Close()
	w.owner.Must(t, 503, "DELETE", "/v1/sites/"+id, nil)
	w.owner.Must(t, 200, "GET", "/v1/sites/"+id, nil)
}

// While sites are deleted and loans begin to refer to them, in single calls and in bulk, no loan is left that points
// nowhere, and nobody waits for anybody for ever.
func TestAReferenceMadeWhileItsTargetIsDeletedIsNotLost(t *testing.T) {
	w := newTwo(t)
	const sites, writers = 40, 6
	var ids []string
	for n := range sites {
		ids = append(ids, w.owner.Create(t, "/v1/sites", map[string]any{"name": fmt.Sprint("Parc ", n)})["id"].(string))
	}
	var made, refused, deleted, kept atomic.Int64
	var all sync.WaitGroup
	begin := time.Now()
	for n := range writers {
		random := rand.New(rand.NewPCG(uint64(n), 7))
		all.Go(func() {
			for range sites {
				id := ids[random.IntN(sites)]
				body, path := map[string]any{"name": "a", "site_id": id}, "/v1/loans"
				if random.IntN(3) == 0 {
					body, path = map[string]any{"data": []any{body, map[string]any{"name": "b", "also_site_ids": []string{ids[random.IntN(sites)]}}}},
						"/v1/loans/bulk"
				}
				switch answer := w.referrer.Do(t, "POST", path, body); answer.Status {
				case 200, 201:
					made.Add(1)
				case 404, 503:
					refused.Add(1)
				default:
					t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
				}
			}
		})
	}
	for n := range 2 {
		all.Go(func() {
			for i := n; i < sites; i += 2 {
				switch answer := w.owner.Do(t, "DELETE", "/v1/sites/"+ids[i], nil); answer.Status {
				case 204:
					deleted.Add(1)
				case 409:
					kept.Add(1)
				default:
					t.Errorf("delete: %d %s", answer.Status, answer.Body)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d made, %d refused, %d deleted, %d kept, in %v", made.Load(), refused.Load(), deleted.Load(), kept.Load(), time.Since(begin))
	if made.Load() == 0 || deleted.Load() == 0 {
		t.Error("the race was not run: nothing was made, or nothing deleted")
	}
	there := map[string]bool{}
	for _, entry := range w.owner.Must(t, 200, "GET", "/v1/sites?per_page=1000", nil).JSON["data"].([]any) {
		there[entry.(map[string]any)["id"].(string)] = true
	}
	for _, entry := range w.referrer.Must(t, 200, "GET", "/v1/loans?per_page=1000", nil).JSON["data"].([]any) {
		loan := entry.(map[string]any)
		for _, id := range append(loan["also_site_ids"].([]any), loan["site_id"]) {
			if id != nil && !there[id.(string)] {
				t.Errorf("loan %v refers to %v, which is deleted", loan["id"], id)
			}
		}
	}
}

// A write that has asked is waited for by a delete, whatever takes it so long, and found by it.
func TestADeleteWaitsForWritesThatAskedBefore(t *testing.T) {
	w := newTwo(t)
	id := w.owner.Create(t, "/v1/sites", map[string]any{"name": "Parc"})["id"].(string)
	asked, finish := make(chan struct{}), make(chan struct{})
	var slow sync.Once
	w.answered = func(r *http.Request) {
		if r.URL.Path == "/internal/references/sites" {
			slow.Do(func() { close(asked); <-finish })
		}
	}
	made, deleted := make(chan resourcetest.Response, 1), make(chan resourcetest.Response, 1)
	go func() { made <- w.referrer.Do(t, "POST", "/v1/loans", map[string]any{"name": "early", "site_id": id}) }()
	<-asked
	go func() { deleted <- w.owner.Do(t, "DELETE", "/v1/sites/"+id, nil) }()
	<-w.counting
	select {
	case answer := <-deleted:
		t.Fatalf("the delete did not wait: %d", answer.Status)
	case <-time.After(50 * time.Millisecond):
	}
	close(finish)
	if answer := <-made; answer.Status != 201 {
		t.Errorf("the early write: %d %s", answer.Status, answer.Body)
	}
	if answer := <-deleted; answer.Status != 409 {
		t.Errorf("deleted under a reference: %d %s", answer.Status, answer.Body)
	}
}

func TestExpandNeedsTheScopeOfWhatItShows(t *testing.T) {
	w := newTwo(t)
	site := w.owner.Create(t, "/v1/sites", map[string]any{"name": "Parc"})["id"]
	w.referrer.Create(t, "/v1/loans", map[string]any{"name": "a", "site_id": site})
	records, _ := w.referrer.List(t, "/v1/loans?expand=site")
	if shown, _ := records[0]["site"].(map[string]any); shown["name"] != "Parc" || shown["id"] != site {
		t.Errorf("expanded: %v", records[0])
	}
	w.referrer.Principal.Scopes = []string{"work_orders:read"}
	answer := w.referrer.Must(t, 403, "GET", "/v1/loans?expand=site", nil)
	if answer.JSON["code"] != "scope_missing" || !strings.Contains(answer.JSON["error"].(string), "sites:read") {
		t.Errorf("the refusal does not name the scope: %s", answer.Body)
	}
	w.referrer.Must(t, 200, "GET", "/v1/loans", nil)
}
