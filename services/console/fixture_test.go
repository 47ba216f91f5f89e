package console

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/discovery"
	"ams.internal/libs/domain/contracts/mcp"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

const (
	orgID     = "0199a3c5-0000-7000-8000-000000000001"
	adminID   = "0199a3c5-0000-7000-8000-00000000000a" // administrator
	managerID = "0199a3c5-0000-7000-8000-00000000000b" // manager
	password  = "une phrase assez longue"
)

// fixture is a console on a database of its own, with stand-ins for the other services. The browser tests run the
// console with the real ones.
type fixture struct {
	t        *testing.T
	console  *console
	server   *httptest.Server
	database *postgrestest.Database
	signer   *principal.Signer

	mu          sync.Mutex
	users       map[string]*person
	keys        []map[string]any
	testKeys    []map[string]any // of the sandbox
	sandbox     map[string]any   // nil: there is none
	uses        []keyUsage
	trail       []auditEntry
	usersDown   bool   // the users service is unavailable
	downPrefix  string // prefix of the paths that are unavailable
	calls       []principal.Principal
	nextRefusal *fault.Error // the response to the next write

	features      []string // of the plan
	endpoints     []map[string]any
	deliveries    []map[string]any
	replays       []map[string]any
	bodies        []map[string]any // that the webhooks service received
	sender        webhookSender    // what calls are known by
	deliveryQuery url.Values       // of the last request for deliveries
	testDelay     time.Duration    // how long the receiver of a test takes

	noPlace    *fault.Error // the refusal of a place
	places     map[bool]int // that pages have, by whether it is a stream's
	peakPlaces map[bool]int

	settings map[string]any // of the organization
	cell     string         // of the organization

	storage   map[string]any      // the report of the documents service
	retention []map[string]any    // of its report by class
	holds     []map[string]any    // active legal holds
	held      map[string]int      // number of documents by the hold's id
	asked     principal.Principal // who asked for the report

	assistants []mcp.Connection
	mcpDown    bool
}

type person struct {
	ID, Email, Name, Role, Status, Locale, password string
	changed                                         time.Time // the password
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	signer, err := principal.NewSigner(strings.Repeat("s", 32))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, signer: signer,
		cell: "second", features: []string{"api_access"}, settings: map[string]any{"time_zone": "America/Toronto",
			"fiscal_year_end_month": 12, "land_area_km2": nil, "currency": "CAD", "jurisdiction_id": nil, "contact_retention_days": 365,
			"public_requests_per_link": 60, "public_requests_per_day": 1000, "renewal_basis": "typed", "fci_bands": nil}, users: map[string]*person{
			adminID: {ID: adminID, Email: "anne@example.ca", Name: "Anne Tremblay", Role: "administrator", Status: "active",
				Locale: "en-CA", password: password},
			managerID: {ID: managerID, Email: "marc@example.ca", Name: "Marc Roy", Role: "manager", Status: "active",
				Locale: "fr-CA", password: password},
		}}
	others := httptest.NewServer(f.otherServices())
	t.Cleanup(others.Close)
	address := strings.TrimPrefix(others.URL, "http://")
	log := resourcetest.Log(t)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: map[string][]string{"users": {address},
		"gateway-internal": {address}, "webhooks": {address}, "mcp": {address}, "assets": {address}, "search": {address}, "documents": {address}},
		Region: "ca-central-1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	languages, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	f.database = postgrestest.New(t, "console", migrations)
	f.console = &console{db: f.database.Open(t), log: log, languages: languages,
		services: newServices(reference.NewClient(directory, signer), "ca-central-1"),
		browsers: newBrowserSigner([]string{strings.Repeat("s", 32)})}
	f.server = httptest.NewServer(f.console.handler())
	t.Cleanup(f.server.Close)
	return f
}

// holdPlace stands for the gateway, which gives a page its place until it hangs up.
func (f *fixture) holdPlace(out http.ResponseWriter, r *http.Request) {
	var in struct{ Stream bool }
	p, err := f.signer.Verify(r.Header.Get(principal.Header))
	if err != nil || p.OrganizationID != orgID || p.Origin != "console" || json.NewDecoder(r.Body).Decode(&in) != nil {
		f.t.Errorf("a place of %+v: %v", p, err)
	}
	f.mu.Lock()
	if f.noPlace != nil {
		defer f.mu.Unlock()
		transport.WriteFault(out, nil, f.noPlace)
		return
	}
	if f.places == nil {
		f.places, f.peakPlaces = map[bool]int{}, map[bool]int{}
	}
	f.places[in.Stream]++
	f.peakPlaces[in.Stream] = max(f.peakPlaces[in.Stream], f.places[in.Stream])
	f.mu.Unlock()
	_ = http.NewResponseController(out).Flush()
	<-r.Context().Done()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.places[in.Stream]--
}

// otherServices stands for the other services and the gateway's internal listener.
func (f *fixture) otherServices() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /internal/places", f.holdPlace)
	handle := func(pattern string, do func(p principal.Principal, r *http.Request, body map[string]any) (any, error)) {
		mux.HandleFunc(pattern, func(out http.ResponseWriter, r *http.Request) {
			p, err := f.signer.Verify(r.Header.Get(principal.Header))
			if err != nil {
				transport.WriteFault(out, nil, fault.New(fault.KindUnauthenticated, "principal_refused", "refused"))
				return
			}
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			f.mu.Lock()
			defer f.mu.Unlock()
			f.calls = append(f.calls, p)
			var made any
			if f.nextRefusal != nil && r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/audit") &&
				!strings.HasSuffix(r.URL.Path, "/session") {
				err, f.nextRefusal = f.nextRefusal, nil
			} else if f.usersDown && strings.Contains(pattern, "users") || f.downPrefix != "" && strings.HasPrefix(r.URL.Path, f.downPrefix) {
				err = fault.Unavailable("service_unavailable", "away")
			} else {
				made, err = do(p, r, body)
			}
			if err != nil {
				transport.WriteFault(out, nil, fault.From(err))
				return
			}
			_ = json.NewEncoder(out).Encode(made)
		})
	}
	f.serveUsers(handle)
	f.serveGateway(handle)
	f.serveWebhooks(handle)
	f.serveAssistants(handle)
	f.serveSearch(handle)
	f.serveDocuments(handle)
	return mux
}

type handlerFunc func(pattern string, do func(p principal.Principal, r *http.Request, body map[string]any) (any, error))

func (f *fixture) serveUsers(handle handlerFunc) {
	who := func(u *person) map[string]any {
		return map[string]any{"organization_id": orgID, "user_id": u.ID, "id": u.ID, "name": u.Name, "email": u.Email, "role": u.Role,
			"status": u.Status, "locale": u.Locale, "time_zone": "America/Toronto"}
	}
	handle("POST /internal/users/sign-in", func(_ principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		for _, u := range f.users {
			if u.Email == body["email"] && u.password == body["password"] && u.Status == "active" {
				return who(u), nil
			}
		}
		return nil, fault.New(fault.KindUnauthenticated, "sign_in_failed", "wrong")
	})
	handle("POST /internal/users/session", func(_ principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		u := f.users[body["user_id"].(string)]
		since, err := time.Parse(time.RFC3339Nano, body["since"].(string))
		if err != nil || u == nil || u.Status != "active" || u.changed.After(since) {
			return nil, fault.New(fault.KindUnauthenticated, "session_ended", "over")
		}
		return who(u), nil
	})
	handle("POST /internal/users/password", func(_ principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		u := f.users[body["user_id"].(string)]
		if u.password != body["current_password"] {
			return nil, fault.New(fault.KindUnauthenticated, "wrong_password", "wrong")
		}
		u.password, u.changed = body["new_password"].(string), time.Now()
		return map[string]any{}, nil
	})
	handle("GET /v1/users/{id}", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		u := f.users[r.PathValue("id")]
		if u == nil {
			return nil, fault.NotFound("user", r.PathValue("id"))
		}
		return who(u), nil
	})
	handle("GET /v1/users", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"data": []any{who(f.users[adminID]), who(f.users[managerID])}}, nil
	})
}

func (f *fixture) serveGateway(handle handlerFunc) {
	const organization = "/internal/organizations/{organization}"
	handle("GET "+organization, func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"id": orgID, "name": "Ville de Rivière-Claire", "plan_name": "Enterprise", "features": f.features,
			"limits": map[string]any{"storage_bytes": 1 << 40}, "add_ons": []string{"api_keys"},
			"offers": map[string]any{"plans": []any{}, "add_ons": []any{
				map[string]any{"code": "api_keys", "name": "API keys"},
				map[string]any{"code": "storage", "name": "Storage", "storage_bytes": 500 << 30}}}, "base_url": "https://api.example.ca", "mcp_url": "https://api.example.ca/mcp"}, nil
	})
	handle("GET "+organization+"/cell", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"cell": f.cell}, nil
	})
	keysOf := func(r *http.Request) *[]map[string]any {
		if r.PathValue("organization") == principal.SandboxOf(orgID) {
			return &f.testKeys
		}
		return &f.keys
	}
	handle("GET "+organization+"/sandbox", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		if f.sandbox == nil {
			return nil, fault.New(fault.KindNotFound, "no_sandbox", "none")
		}
		return f.sandbox, nil
	})
	handle("POST "+organization+"/sandbox", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		if f.sandbox != nil {
			return nil, fault.New(fault.KindConflict, "sandbox_exists", "one")
		}
		f.sandbox = map[string]any{"id": principal.SandboxOf(orgID),
			"name": "Ville de Rivière-Claire (test)", "created_at": "2026-11-21T15:04:05Z",
			"limits": map[string]int{"requests_per_minute": 1000, "requests_in_flight": 20, "streams": 2, "long_polls": 5, "active_keys": 20}}
		return f.sandbox, nil
	})
	handle("POST "+organization+"/sandbox/empty", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		f.sandbox["emptying"] = map[string]any{"requested_at": "2026-11-22T15:04:05Z", "deleted": 1234, "finished_at": nil}
		return f.sandbox, nil
	})
	handle("GET "+organization+"/keys", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		return map[string]any{"data": *keysOf(r)}, nil
	})
	handle("GET "+organization+"/keys/{key}", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		for _, k := range *keysOf(r) {
			if k["id"] == r.PathValue("key") {
				return k, nil
			}
		}
		return nil, fault.NotFound("key", r.PathValue("key"))
	})
	handle("POST "+organization+"/keys", func(p principal.Principal, r *http.Request, body map[string]any) (any, error) {
		mode := "ams_live_"
		if keysOf(r) == &f.testKeys {
			mode = "ams_test_"
		}
		body["id"], body["state"], body["display"], body["created_by"] = newFormID(), "active", mode+"3fGk…", p.Actor
		*keysOf(r) = append(*keysOf(r), body)
		made := map[string]any{"value": mode + "secret"}
		for name, value := range body {
			made[name] = value
		}
		return made, nil
	})
	handle("POST "+organization+"/keys/{key}/revoke", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		for _, k := range *keysOf(r) {
			if k["id"] == r.PathValue("key") {
				k["state"] = "revoked"
			}
		}
		return map[string]any{}, nil
	})
	for _, action := range []string{"replace", "resume"} { // refused by nextRefusal
		handle("POST "+organization+"/keys/{key}/"+action, func(principal.Principal, *http.Request, map[string]any) (any, error) {
			return map[string]any{}, nil
		})
	}
	handle("GET "+organization+"/settings", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return f.settings, nil
	})
	handle("PATCH "+organization+"/settings", func(_ principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		maps.Copy(f.settings, body)
		return f.settings, nil
	})
	handle("GET "+organization+"/usage", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"data": f.uses, "this_minute": 1234, "limits": map[string]int{"requests_per_minute": 5000,
			"requests_in_flight": 60, "streams": 4, "long_polls": 20, "active_keys": 100}}, nil
	})
	handle("GET "+organization+"/audit", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		if r.URL.Query().Get("after") == "second" {
			return map[string]any{"data": f.trail[len(f.trail)/2:]}, nil
		}
		return map[string]any{"data": f.trail[:len(f.trail)/2], "next": "second", "missing": []string{"los"}}, nil
	})
	handle("POST "+organization+"/audit", func(p principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		what := body["subject"].(map[string]any)
		f.trail = append(f.trail, auditEntry{ID: newFormID(), At: "2026-11-21T15:04:05Z", Action: body["action"].(string), Actor: actor(p.Actor),
			Subject: subject{what["type"].(string), what["id"].(string), what["name"].(string)}, Address: body["address"].(string)})
		return map[string]any{}, nil
	})
}

// recorded reports whether the audit trail has an entry with this action.
func (f *fixture) recorded(action string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.trail {
		if e.Action == action {
			return true
		}
	}
	return false
}

// browser is a browser with its own cookies.
type browser struct {
	f      *fixture
	client *http.Client
	header http.Header
}

type response struct {
	status int
	header http.Header
	body   string
}

func (f *fixture) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return &browser{f, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		http.Header{}}
}

func (b *browser) send(method, path string, form url.Values) response {
	b.f.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequest(method, b.f.server.URL+path, body)
	if err != nil {
		b.f.t.Fatal(err)
	}
	for name, values := range b.header {
		request.Header[name] = values
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	sent, err := b.client.Do(request)
	if err != nil {
		b.f.t.Fatal(err)
	}
	defer sent.Body.Close()
	content, err := io.ReadAll(sent.Body)
	if err != nil {
		b.f.t.Fatal(err)
	}
	return response{sent.StatusCode, sent.Header, string(content)}
}

func (b *browser) get(path string) response { b.f.t.Helper(); return b.send(http.MethodGet, path, nil) }

var tokenPattern = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// post sends a form with the form token of this browser.
func (b *browser) post(path string, form url.Values) response {
	b.f.t.Helper()
	found := tokenPattern.FindStringSubmatch(b.get("/settings/welcome").body)
	if found == nil {
		b.f.t.Fatal("a page without a form")
	}
	if form == nil {
		form = url.Values{}
	}
	form.Set(tokenField, found[1])
	return b.send(http.MethodPost, path, form)
}

func (b *browser) signIn(email, password string) response {
	b.f.t.Helper()
	return b.post("/settings/sign-in", url.Values{"email": {email}, "password": {password}})
}

func (f *fixture) signedIn() *browser {
	f.t.Helper()
	b := f.browser()
	if resp := b.signIn("anne@example.ca", password); resp.status != http.StatusSeeOther {
		f.t.Fatalf("signing in: %d %.300s", resp.status, resp.body)
	}
	return b
}

// execute changes rows, for instance to make them older.
func (f *fixture) execute(statement string) {
	f.t.Helper()
	connection, err := pgx.Connect(f.t.Context(), f.database.OwnerURL)
	if err != nil {
		f.t.Fatal(err)
	}
	defer connection.Close(f.t.Context())
	done, err := connection.Exec(f.t.Context(), statement)
	if err != nil {
		f.t.Fatal(err)
	}
	if done.RowsAffected() == 0 {
		f.t.Fatalf("%s changed nothing", statement)
	}
}
