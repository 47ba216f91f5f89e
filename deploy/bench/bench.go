package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/libs/principal"
)

// keys is how many keys the callers share: enough that no two requests in progress need have the same.
const keys = 64

// The administrator of an organization that nobody else reaches.
const (
	email    = "bench@example.ca"
	password = "bench-bench-bench-1"
)

// bench is one benchmark under way.
type bench struct {
	rows, seconds, rounds int
	folder, only          string
	keep                  bool
	cells                 int // 0: one
	report                report

	options         devstack.Options
	stack           *devstack.Stack
	description     devstack.Description
	secrets         secrets
	postgresAddress string
	collector       string

	saved
	session  string
	straight string // address of a service of our own, to be called without a gateway
	service  *program
	programs []*program
}

// saved is what another run needs to use the same data.
type saved struct {
	Rows         int      `json:"rows"` // 0: not written
	Organization string   `json:"organization"`
	KeyIDs       []string `json:"key_ids"`
	Keys         []string `json:"keys"`  // API keys
	Asset        string   `json:"asset"` // one in the middle

	Municipality municipality `json:"municipality"` // of the part reports
}

// secrets are what the stack keeps in its folder; the benchmark starts programs of its own with them.
type secrets struct {
	Principal string            `json:"principal"`
	Webhooks  string            `json:"webhooks"`
	Roles     map[string]string `json:"roles"`
}

func (b *bench) wants(part string) bool {
	return b.only == "" || slices.Contains(strings.Split(b.only, ","), part)
}

func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

func (b *bench) start(ctx context.Context) error {
	b.report.Rows = b.rows
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return err
	}
	if b.collector, err = serveCollector(); err != nil {
		return err
	}
	b.options = devstack.Options{
		Folder: filepath.Join(b.folder, "stack"), Binaries: binaries, Demo: demo.Nothing, Out: os.Stderr, Cells: b.cells,
		Environment: []string{"AMS_KEY_IN_FLIGHT=10000", "AMS_ADDRESS_LIMIT=1000000", "AMS_TRACE_RATIO=0.01", "AMS_OTLP_ENDPOINT=" + b.collector,
			"AMS_LOG_LEVEL=warn", "AMS_DOCUMENTS_SCANNER="}, // what looks through documents would take the processor from what is measured
	}
	if b.stack, err = devstack.Start(ctx, b.options); err != nil {
		return err
	}
	if err := b.describe(); err != nil {
		return err
	}
	if text, err := os.ReadFile(b.savedFile()); err == nil && b.keep {
		if err := json.Unmarshal(text, &b.saved); err != nil {
			return err
		}
	}
	if b.Organization == "" {
		if err := b.makeOrganization(ctx); err != nil {
			return err
		}
	}
	if err := b.signIn(ctx); err != nil {
		return err
	}
	if err := b.prepareRows(ctx); err != nil {
		return err
	}
	return b.remember()
}

// remember writes down what the next run with the same folder needs.
func (b *bench) remember() error {
	if !b.keep {
		return nil
	}
	text, err := json.Marshal(b.saved)
	if err != nil {
		return err
	}
	return os.WriteFile(b.savedFile(), text, 0o600)
}

func (b *bench) savedFile() string { return filepath.Join(b.folder, "bench.json") }

func (b *bench) prepareRows(ctx context.Context) error {
	if b.Rows == b.rows {
		return nil
	}
	if b.Rows != 0 {
		return fmt.Errorf("%s holds %d rows, not %d: give another folder, or the same -rows", b.folder, b.Rows, b.rows)
	}
	if !b.wants("api") && !b.wants("filters") && !b.wants("search") && !b.wants("export") && !b.wants("clients") && !b.wants("roundtrips") &&
		!b.wants("costs") {
		return nil
	}
	b.logf("Writing %d assets", b.rows+b.rows/1000*100)
	began := time.Now()
	if err := b.fill(ctx); err != nil {
		return err
	}
	b.Rows = b.rows
	b.logf("They are there after %.0f s", time.Since(began).Seconds())
	return nil
}

func (b *bench) describe() error {
	b.description = b.stack.Description()
	address, err := url.Parse(b.description.PostgresURL)
	if err != nil {
		return err
	}
	b.postgresAddress = address.Host
	text, err := os.ReadFile(filepath.Join(b.options.Folder, "secrets"))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &b.secrets)
}

func (b *bench) stop() {
	for _, p := range b.programs {
		p.stop()
	}
	if b.stack != nil {
		b.stack.Stop()
		if b.keep {
			return
		}
		if err := devstack.Drop(b.options.Folder); err != nil {
			b.logf("%v", err)
		}
	}
}

// makeOrganization makes the organization and its keys as an operator and an Administrator do. A key is limited to
// 1,000 requests a minute at most; in this database, which nobody else has, that rule is taken out.
func (b *bench) makeOrganization(ctx context.Context) error {
	var created struct{ ID string }
	err := b.admin().Request(ctx, ams.Request{Method: http.MethodPost, Path: "/internal/organizations",
		Body: map[string]any{"name": "Bench", "plan": "enterprise",
			"administrator": map[string]string{"email": email, "name": "Bench", "password": password}}}, &created)
	if err != nil {
		return err
	}
	b.Organization = created.ID
	if err := b.signIn(ctx); err != nil {
		return err
	}
	for i := range keys {
		id, value, err := b.makeKey(ctx, fmt.Sprintf("bench %d", i))
		if err != nil {
			return err
		}
		b.Keys, b.KeyIDs = append(b.Keys, value), append(b.KeyIDs, id)
	}
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, `ALTER TABLE gateway.api_key DROP CONSTRAINT api_key_rate_limit_check;
		UPDATE gateway.api_key SET rate_limit = 1000000000;
		UPDATE gateway.plan SET requests_per_minute = 1000000000, requests_in_flight = 1000000000, streams = 1000000, long_polls = 1000000`)
	return errors.Join(err, keepNoMonths(ctx, db, b.Organization), db.Close(ctx))
}

func (b *bench) makeKey(ctx context.Context, name string) (id, value string, err error) {
	var key struct{ ID, Value string }
	err = b.administrator().Request(ctx, ams.Request{Method: http.MethodPost, Path: "/internal/organizations/" + b.Organization + "/keys",
		Body: map[string]any{"name": name, "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true}}, &key)
	return key.ID, key.Value, err
}

func (b *bench) signIn(ctx context.Context) error {
	var signedIn struct{ Session string }
	err := b.admin().Request(ctx, ams.Request{Method: http.MethodPost, Path: "/internal/sign-in",
		Body: map[string]string{"email": email, "password": password}}, &signedIn)
	b.session = signedIn.Session
	return err
}

func (b *bench) admin() *ams.Client {
	return ams.NewClient(b.description.AdminURL, b.description.AdminToken)
}

func (b *bench) administrator() *ams.Client {
	return ams.NewClient(b.description.AdminURL, b.session)
}

// roleURL is how a role reaches the database at an address, which may be a counter's.
func (b *bench) roleURL(role, address string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, b.secrets.Roles[role]), Host: address, Path: "/ams",
		RawQuery: "sslmode=disable"}
	return u.String()
}

// keyed is a request through a gateway, once with each key.
func (b *bench) keyed(r request) []request {
	var all []request
	for _, key := range b.Keys {
		with := r
		with.headers = map[string]string{"Authorization": "Bearer " + key}
		if r.body != "" {
			with.headers["Content-Type"] = "application/json"
		}
		all = append(all, with)
	}
	return all
}

// signed is the same request straight to a service, as a gateway would send it.
func (b *bench) signed(r request) ([]request, error) {
	signer, err := principal.NewSigner(b.secrets.Principal)
	if err != nil {
		return nil, err
	}
	header := signer.SignFor(principal.Principal{
		OrganizationID: b.Organization, Currency: "CAD", Actor: principal.Actor{Type: "api_key", ID: b.KeyIDs[0], Name: "bench 0"},
		Scopes: []string{"*:*"}, Features: []string{"api_access"}, Region: devstack.Region, RequestID: "bench", Origin: "api",
	}, time.Hour)
	r.headers = map[string]string{principal.Header: header}
	if r.body != "" {
		r.headers["Content-Type"] = "application/json"
	}
	return []request{r}, nil
}

// everyProgram is processors of all programs: a search asks them all.
func (b *bench) everyProgram() map[string]group {
	all := map[string]group{}
	for name, pid := range b.description.PIDs {
		all[name] = group{pid: pid, children: strings.HasPrefix(name, "postgres")}
	}
	return all
}

// processors names whose time is taken: of the gateway, of the service, of PostgreSQL and Redis.
func (b *bench) processors() map[string]group {
	pids := b.description.PIDs
	return map[string]group{
		"gateway": {pid: pids["gateway-1"]}, "assets": {pid: pids["assets-1"]}, "postgres": {pid: pids["postgres"], children: true},
		"redis": {pid: pids["redis"]},
	}
}
