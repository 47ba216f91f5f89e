// Package accounts serves the internal listener of the gateway, for platform operators and our own services: organizations, plans,
// keys, sign-in, people, usage and the audit trail. It is never public.
package accounts

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"ams.internal/gateway/caller"
	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	contract "ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

// Config is the configuration of the internal listener.
type Config struct {
	AdminToken     string         // of the platform's admin; empty: nobody is that
	BaseURL        string         // of the API, as people see it
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
}

// Server is the internal listener.
type Server struct {
	region  string
	trusted []netip.Prefix
	db      *postgres.DB
	log     *slog.Logger
	signer  *principal.Signer
	callers *callers
	cleaner *sandboxCleaner
	persons *personKeeping
	places  *places
	api     http.Handler
}

// New puts the internal listener together. It waits for nothing that may be unavailable.
func New(s *service.Service, config Config, lookup *keys.Lookup, limiter *ratelimit.Limiter) *Server {
	client := reference.NewClient(s.Directory, s.Signer)
	cells := &cells{db: s.DB, client: client}
	client.CellOf = cells.of
	sessions := &sessions{db: s.DB, client: client, signer: sessionSigner(s.Config.PrincipalSecrets), limiter: limiter}
	cleaner := newSandboxCleaner(s.DB, client, s.Log)
	api := transport.New(s.Signer, s.DB, s.Log)
	(&organizations{db: s.DB, client: client, baseURL: config.BaseURL}).mount(api)
	(&sandboxes{db: s.DB, cleaner: cleaner}).mount(api)
	(&settings{db: s.DB}).mount(api)
	(&plans{db: s.DB}).mount(api)
	cells.mount(api)
	(&moves{db: s.DB}).mount(api)
	(&suspensions{db: s.DB}).mount(api)
	(&deletions{db: s.DB}).mount(api)
	(&apiKeys{db: s.DB, creators: &creators{client: client}}).mount(api)
	(&keyChecks{lookup: lookup, limiter: limiter}).mount(api)
	sessions.mount(api)
	(&users{db: s.DB, client: client, baseURL: config.BaseURL}).mount(api)
	(&trail{db: s.DB, client: client, log: s.Log}).mount(api)
	(&indexes{db: s.DB, client: client}).mount(api)
	persons := &personKeeping{db: s.DB, client: client, log: s.Log}
	persons.mount(api)
	(&recordings{db: s.DB}).mount(api)
	(&usage{db: s.DB, limiter: limiter}).mount(api)
	return &Server{
		region: s.Config.Region, trusted: config.TrustedProxies, db: s.DB, log: s.Log, signer: s.Signer,
		callers: &callers{signer: s.Signer, sessions: sessions, adminToken: config.AdminToken}, cleaner: cleaner, persons: persons,
		places: &places{db: s.DB, limiter: limiter, ending: make(chan struct{})}, api: api.Handler(),
	}
}

// Handler serves the requests of the internal listener. The principal that operations see is signed here: it says who the
// caller proved to be, and its one scope is the caller's role.
func (a *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := caller.RequestID(r.Header)
		w.Header().Set("X-Request-Id", id)
		p, vouched, refusal := a.callers.identify(r)
		if refusal != nil {
			refusal.Request = id
			transport.WriteFault(w, r.Header["Accept"], refusal)
			return
		}
		if !vouched || !caller.ValidRequestID(p.RequestID) {
			p.RequestID = id
		}
		if !vouched || p.Address == "" {
			p.Address = caller.Address(r.RemoteAddr, r.Header, a.trusted).String()
		}
		if !p.Pinned {
			p.Region = a.region
		}
		p.Cell = "" // that of the caller's work; what concerns an organization is in the organization's
		w.Header().Set("X-Request-Id", p.RequestID)
		r.Header.Set(principal.Header, a.signer.Sign(p))
		r.Header.Del("Idempotency-Key") // a response that shows a key's value is stored nowhere
		r.Pattern = "/internal"
		if vouched && r.Method == http.MethodPost && r.URL.Path == contract.TakePlace.URLPath() {
			a.places.hold(w, r, p)
			return
		}
		a.api.ServeHTTP(w, r.WithContext(withVouched(r.Context(), vouched)))
	})
}

// Run does what happens in the background, until ctx ends.
func (a *Server) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { a.cleaner.run(ctx) })
	running.Go(func() { a.persons.forgetRemoved(time.Now).Run(ctx) })
	running.Go(func() {
		<-ctx.Done()
		close(a.places.ending)
	})
	running.Wait()
}

// ForgetRemoved forgets users who were removed contact_retention_days before now. Run does it every hour.
func (a *Server) ForgetRemoved(ctx context.Context, now time.Time) error {
	return a.persons.forgetRemoved(func() time.Time { return now }).Once(ctx)
}
