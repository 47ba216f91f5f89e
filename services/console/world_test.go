package main

import (
	"encoding/json"
	"io"
	"log/slog"
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
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

const (
	town     = "0199a3c5-0000-7000-8000-000000000001"
	anne     = "0199a3c5-0000-7000-8000-00000000000a" // administrator
	marc     = "0199a3c5-0000-7000-8000-00000000000b" // manager
	password = "une phrase assez longue"
)

// world is a console on a database of its own, with the answers of the other services: as the browser tests show,
// the real ones answer like this.
type world struct {
	t        *testing.T
	console  *console
	server   *httptest.Server
	database *postgrestest.Database
	signer   *principal.Signer

	mu       sync.Mutex
	users    map[string]*person
	keys     []map[string]any
	uses     []keyUse
	trail    []auditEntry
	away     bool   // the users service does not answer
	gone     string // beginning of the paths that are not answered
	calls    []principal.Principal
	refusing *fault.Error // what the next write is refused with

	features   []string // of the plan
	endpoints  []map[string]any
	deliveries []map[string]any
	replays    []map[string]any
	bodies     []map[string]any // that the webhooks service was sent
	asked      url.Values       // of the last list of deliveries
	thinks     time.Duration    // how long a receiver takes for a test

	assistants     []assistant
	assistantsAway bool
}

type person struct {
	ID, Email, Name, Role, Status, Locale, password string
	changed                                         time.Time // the password
}

func newWorld(t *testing.T) *world {
	t.Helper()
	signer, err := principal.NewSigner(strings.Repeat("s", 32))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, signer: signer, features: []string{"api_access"}, users: map[string]*person{
		anne: {ID: anne, Email: "anne@example.ca", Name: "Anne Tremblay", Role: "administrator", Status: "active", Locale: "en-CA", password: password},
		marc: {ID: marc, Email: "marc@example.ca", Name: "Marc Roy", Role: "manager", Status: "active", Locale: "fr-CA", password: password},
	}}
	others := httptest.NewServer(w.others())
	t.Cleanup(others.Close)
	address := strings.TrimPrefix(others.URL, "http://")
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: map[string][]string{"users": {address}, "gateway-internal": {address}, "webhooks": {address}, "mcp": {address}, "assets": {address}}, Region: "ca-central-1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	languages, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	w.database = postgrestest.New(t, "console", migrations)
	w.console = &console{db: w.database.Open(t), log: log, languages: languages, services: newServices(reference.NewClient(directory, signer), "ca-central-1")}
	w.server = httptest.NewServer(w.console.handler())
	t.Cleanup(w.server.Close)
	return w
}

// others are the users service and the gateway's internal listener.
func (w *world) others() http.Handler {
	mux := http.NewServeMux()
	answer := func(pattern string, do func(p principal.Principal, r *http.Request, body map[string]any) (any, error)) {
		mux.HandleFunc(pattern, func(out http.ResponseWriter, r *http.Request) {
			p, err := w.signer.Verify(r.Header.Get(principal.Header))
			if err != nil {
				transport.WriteFault(out, fault.New(fault.KindUnauthenticated, "principal_refused", "refused"))
				return
			}
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.calls = append(w.calls, p)
			var made any
			if w.refusing != nil && r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/audit") && !strings.HasSuffix(r.URL.Path, "/session") {
				err, w.refusing = w.refusing, nil
			} else if w.away && strings.Contains(pattern, "users") || w.gone != "" && strings.HasPrefix(r.URL.Path, w.gone) {
				err = fault.Unavailable("service_unavailable", "away")
			} else {
				made, err = do(p, r, body)
			}
			if err != nil {
				transport.WriteFault(out, fault.From(err))
				return
			}
			_ = json.NewEncoder(out).Encode(made)
		})
	}
	w.answerUsers(answer)
	w.answerGateway(answer)
	w.answerWebhooks(answer)
	w.answerAssistants(answer)
	return mux
}

type answering func(pattern string, do func(p principal.Principal, r *http.Request, body map[string]any) (any, error))

func (w *world) answerUsers(answer answering) {
	who := func(u *person) map[string]any {
		return map[string]any{"organization_id": town, "user_id": u.ID, "id": u.ID, "name": u.Name, "email": u.Email, "role": u.Role, "status": u.Status, "locale": u.Locale, "time_zone": "America/Toronto"}
	}
	answer("POST /internal/users/sign-in", func(_ principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		for _, u := range w.users {
			if u.Email == body["email"] && u.password == body["password"] && u.Status == "active" {
				return who(u), nil
			}
		}
		return nil, fault.New(fault.KindUnauthenticated, "sign_in_failed", "wrong")
	})
	answer("POST /internal/users/session", func(_ principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		u := w.users[body["user_id"].(string)]
		since, err := time.Parse(time.RFC3339Nano, body["since"].(string))
		if err != nil || u == nil || u.Status != "active" || u.changed.After(since) {
			return nil, fault.New(fault.KindUnauthenticated, "session_ended", "over")
		}
		return who(u), nil
	})
	answer("POST /internal/users/password", func(_ principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		u := w.users[body["user_id"].(string)]
		if u.password != body["current_password"] {
			return nil, fault.New(fault.KindUnauthenticated, "wrong_password", "wrong")
		}
		u.password, u.changed = body["new_password"].(string), time.Now()
		return map[string]any{}, nil
	})
	answer("GET /v1/users/{id}", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		u := w.users[r.PathValue("id")]
		if u == nil {
			return nil, fault.NotFound("user", r.PathValue("id"))
		}
		return who(u), nil
	})
	answer("GET /v1/users", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"data": []any{who(w.users[anne]), who(w.users[marc])}}, nil
	})
}

func (w *world) answerGateway(answer answering) {
	const organization = "/internal/organizations/{organization}"
	answer("GET "+organization, func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"id": town, "name": "Ville de Rivière-Claire", "plan_name": "Enterprise", "features": w.features,
			"base_url": "https://api.example.ca", "mcp_url": "https://api.example.ca/mcp"}, nil
	})
	answer("GET "+organization+"/keys", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"data": w.keys}, nil
	})
	answer("GET "+organization+"/keys/{key}", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		for _, k := range w.keys {
			if k["id"] == r.PathValue("key") {
				return k, nil
			}
		}
		return nil, fault.NotFound("key", r.PathValue("key"))
	})
	answer("POST "+organization+"/keys", func(p principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		body["id"], body["state"], body["display"], body["created_by"] = newFormID(), "active", "ams_live_3fGk…", p.Actor
		w.keys = append(w.keys, body)
		made := map[string]any{"value": "ams_live_secret"}
		for name, value := range body {
			made[name] = value
		}
		return made, nil
	})
	answer("POST "+organization+"/keys/{key}/revoke", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		for _, k := range w.keys {
			if k["id"] == r.PathValue("key") {
				k["state"] = "revoked"
			}
		}
		return map[string]any{}, nil
	})
	answer("GET "+organization+"/usage", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"data": w.uses}, nil
	})
	answer("GET "+organization+"/audit", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		if r.URL.Query().Get("after") == "second" {
			return map[string]any{"data": w.trail[len(w.trail)/2:]}, nil
		}
		return map[string]any{"data": w.trail[:len(w.trail)/2], "next": "second", "missing": []string{"los"}}, nil
	})
	answer("POST "+organization+"/audit", func(p principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		what := body["subject"].(map[string]any)
		w.trail = append(w.trail, auditEntry{ID: newFormID(), At: "2026-11-21T15:04:05Z", Action: body["action"].(string), Actor: actor(p.Actor),
			Subject: subject{what["type"].(string), what["id"].(string), what["name"].(string)}, Address: body["address"].(string)})
		return map[string]any{}, nil
	})
}

// recorded says whether the trail has an entry with this action.
func (w *world) recorded(action string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.trail {
		if e.Action == action {
			return true
		}
	}
	return false
}

// browser is somebody's.
type browser struct {
	w      *world
	client *http.Client
	header http.Header
}

type shown struct {
	status int
	header http.Header
	body   string
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{}}
}

func (b *browser) send(method, path string, form url.Values) shown {
	b.w.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequest(method, b.w.server.URL+path, body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	for name, values := range b.header {
		request.Header[name] = values
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := b.client.Do(request)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return shown{response.StatusCode, response.Header, string(content)}
}

func (b *browser) get(path string) shown { b.w.t.Helper(); return b.send(http.MethodGet, path, nil) }

var tokenPattern = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// post sends a form with the token that the pages of this browser have.
func (b *browser) post(path string, form url.Values) shown {
	b.w.t.Helper()
	found := tokenPattern.FindStringSubmatch(b.get("/settings/welcome").body)
	if found == nil {
		b.w.t.Fatal("a page without a form")
	}
	if form == nil {
		form = url.Values{}
	}
	form.Set(tokenField, found[1])
	return b.send(http.MethodPost, path, form)
}

func (b *browser) signIn(email, password string) shown {
	b.w.t.Helper()
	return b.post("/settings/sign-in", url.Values{"email": {email}, "password": {password}})
}

func (w *world) signedIn() *browser {
	w.t.Helper()
	b := w.browser()
	if a := b.signIn("anne@example.ca", password); a.status != http.StatusSeeOther {
		w.t.Fatalf("signing in: %d %.300s", a.status, a.body)
	}
	return b
}

// execute changes rows as time would.
func (w *world) execute(statement string) {
	w.t.Helper()
	connection, err := pgx.Connect(w.t.Context(), w.database.OwnerURL)
	if err != nil {
		w.t.Fatal(err)
	}
	defer connection.Close(w.t.Context())
	done, err := connection.Exec(w.t.Context(), statement)
	if err != nil {
		w.t.Fatal(err)
	}
	if done.RowsAffected() == 0 {
		w.t.Fatalf("%s changed nothing", statement)
	}
}
