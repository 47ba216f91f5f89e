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

	"ams.internal/deploy/amsctl/api"
	"ams.internal/deploy/demo"
	"ams.internal/deploy/stack"
	"ams.internal/libs/principal"
)

// keys is how many keys the callers share: enough that no two requests in progress need have the same.
const keys = 64

// bench is one benchmark under way.
type bench struct {
	rows, seconds, rounds int
	folder, only          string
	report                report

	options         stack.Options
	stack           *stack.Stack
	description     stack.Description
	secrets         secrets
	postgresAddress string
	collector       string

	organization string
	keyIDs       []string
	keys         []string // API keys
	asset        string   // one in the middle
	session      string
	programs     []*program
}

// secrets are what the stack keeps in its folder; the benchmark starts programs of its own with them.
type secrets struct {
	Principal string            `json:"principal"`
	Roles     map[string]string `json:"roles"`
}

func (b *bench) wants(part string) bool {
	return b.only == "" || slices.Contains(strings.Split(b.only, ","), part)
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

func (b *bench) start(ctx context.Context) error {
	b.report.Rows = b.rows
	binaries, err := stack.BuildPrograms()
	if err != nil {
		return err
	}
	if b.collector, err = serveCollector(); err != nil {
		return err
	}
	b.options = stack.Options{
		Folder: filepath.Join(b.folder, "stack"), Binaries: binaries, Demo: demo.Nothing, Out: os.Stderr,
		Environment: []string{"AMS_KEY_IN_FLIGHT=10000", "AMS_TRACE_RATIO=0.01", "AMS_OTLP_ENDPOINT=" + b.collector, "AMS_LOG_LEVEL=warn"},
	}
	if b.stack, err = stack.Start(ctx, b.options); err != nil {
		return err
	}
	if err := b.describe(); err != nil {
		return err
	}
	if err := b.makeOrganization(ctx); err != nil {
		return err
	}
	if !b.wants("api") && !b.wants("export") && !b.wants("roundtrips") {
		return nil
	}
	b.say("Writing %d assets", b.rows+b.rows/1000*100)
	began := time.Now()
	if err := b.fill(ctx); err != nil {
		return err
	}
	b.say("They are there after %.0f s", time.Since(began).Seconds())
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
		if err := stack.Drop(b.options.Folder); err != nil {
			b.say("%v", err)
		}
	}
}

// makeOrganization makes the organization and its keys as an operator and an Administrator do. A key is limited to
// 1,000 requests a minute at most; in this database, which nobody else has, that rule is taken out.
func (b *bench) makeOrganization(ctx context.Context) error {
	operator := &api.Client{Base: b.description.OperatorURL, Bearer: b.description.OperatorToken}
	var created, signedIn struct {
		ID      string `json:"id"`
		Session string `json:"session"`
	}
	administrator := map[string]string{"email": "bench@example.ca", "name": "Bench", "password": "bench-bench-bench-1"}
	err := operator.JSON(ctx, api.Request{Method: http.MethodPost, Path: "/internal/organizations",
		Body: map[string]any{"name": "Bench", "plan": "enterprise", "administrator": administrator}}, &created)
	if err != nil {
		return err
	}
	b.organization = created.ID
	err = operator.JSON(ctx, api.Request{Method: http.MethodPost, Path: "/internal/sign-in", Body: administratorSignIn(administrator)}, &signedIn)
	if err != nil {
		return err
	}
	b.session = signedIn.Session
	for i := range keys {
		var key struct{ ID, Value string }
		err := b.administrator().JSON(ctx, api.Request{Method: http.MethodPost, Path: "/internal/organizations/" + b.organization + "/keys",
			Body: map[string]any{"name": fmt.Sprintf("bench %d", i), "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true}}, &key)
		if err != nil {
			return err
		}
		b.keys, b.keyIDs = append(b.keys, key.Value), append(b.keyIDs, key.ID)
	}
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, "ALTER TABLE gateway.api_key DROP CONSTRAINT api_key_rate_limit_check; UPDATE gateway.api_key SET rate_limit = 1000000000")
	return errors.Join(err, db.Close(ctx))
}

func (b *bench) administrator() *api.Client {
	return &api.Client{Base: b.description.OperatorURL, Bearer: b.session}
}

func administratorSignIn(administrator map[string]string) map[string]string {
	return map[string]string{"email": administrator["email"], "password": administrator["password"]}
}

// roleURL is how a role reaches the database at an address, which may be a counter's.
func (b *bench) roleURL(role, address string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, b.secrets.Roles[role]), Host: address, Path: "/ams", RawQuery: "sslmode=disable"}
	return u.String()
}

// keyed is a request through a gateway, once with each key.
func (b *bench) keyed(r request) []request {
	var all []request
	for _, key := range b.keys {
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
		OrganizationID: b.organization, Currency: "CAD", Actor: principal.Actor{Type: "api_key", ID: b.keyIDs[0], Name: "bench 0"},
		Scopes: []string{"*:*"}, Features: []string{"api_access"}, Region: stack.Region, RequestID: "bench", Origin: "api",
	}, time.Hour)
	r.headers = map[string]string{principal.Header: header}
	if r.body != "" {
		r.headers["Content-Type"] = "application/json"
	}
	return []request{r}, nil
}

// processors names whose time is taken: of the gateway, of the service, of PostgreSQL and Redis.
func (b *bench) processors() map[string]group {
	pids := b.description.PIDs
	return map[string]group{
		"gateway": {pid: pids["gateway-1"]}, "assets": {pid: pids["assets-1"]}, "postgres": {pid: pids["postgres"], children: true}, "redis": {pid: pids["redis"]},
	}
}
