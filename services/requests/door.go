package requests

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// How requests come in that are not written by staff.
const (
	fromLink    = "link"
	fromOpen311 = "open311"
)

// publicDoor serves strangers: people who have no key. What it does for them is limited before the database is asked anything, and the
// organization that they come to follows from a link's token, a receipt or a jurisdiction, which leads to one organization and no other.
type publicDoor struct {
	desk
	counter       *counter
	limits        limits
	organizations *organizations
	stamps        stamps
	owners        owners
	languages     languages
	style         asset
}

func newDoor(d desk, counter *counter, limits limits) *publicDoor {
	counter.now = func() time.Time { return d.now() }
	return &publicDoor{
		desk: d, counter: counter, limits: limits,
		organizations: newOrganizations(d.registry.References, d.now),
		stamps:        stamps{keys: d.registry.API.Signer.Derive("stamps of request forms"), now: d.now},
		owners:        owners{known: map[string]string{}},
		languages:     loadLanguages(), style: loadStyle(),
	}
}

// handler serves the open paths.
func (p *publicDoor) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/r/{token}", methods{http.MethodGet: p.showForm, http.MethodPost: p.takeForm})
	mux.Handle("/r/status/{receipt}", methods{http.MethodGet: p.showReceipt})
	mux.Handle(p.style.path, methods{http.MethodGet: p.style.serve})
	mux.Handle("/public/links/{token}", methods{http.MethodGet: p.showLink, http.MethodPost: p.takeLink})
	p.mountOpen311(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { refuse(w, r, errNothingHere) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		outer := r
		ctx := telemetry.WithRequestID(r.Context(), r.Header.Get("X-Request-Id"))
		r = r.WithContext(principal.Into(ctx, principal.Principal{RequestID: r.Header.Get("X-Request-Id")}))
		secure(w, r)
		mux.ServeHTTP(w, r)
		outer.Pattern = r.Pattern // it names the span and the metrics of the request
	})
}

// policy allows a page our own style and nothing else: no script, no other site, no frame.
const policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxForm is how large a stranger's body may be.
const maxForm = 64 << 10

// secure sets the headers of every response. Pages are never stored, and their addresses are told to nobody.
func secure(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	if r.Header.Get("X-Forwarded-Proto") == "https" {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(30 * time.Second)) // a recorder in a test has none
}

// methods serves one path by method.
type methods map[string]http.HandlerFunc

// ServeHTTP implements http.Handler.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if serve := m[method]; serve != nil {
		serve(w, r)
		return
	}
	allowed := "GET, HEAD"
	if m[http.MethodPost] != nil {
		allowed += ", POST"
	}
	refuse(w, r, fault.Invalid("method_not_allowed", "This takes %s.", allowed).WithHeader("Allow", allowed))
}

// refuse writes an error as the API does.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	e := *fault.From(err)
	e.Request = principal.From(r.Context()).RequestID
	transport.WriteFault(w, r.Header["Accept"], &e)
}

// source is what a stranger is counted by.
func source(r *http.Request) string {
	address, err := netip.ParseAddr(transport.ClientAddress(r))
	if err != nil {
		return "unknown"
	}
	return transport.ClientSource(address)
}

// mark is what the public door says of a request that it writes.
type mark struct {
	source string
	link   *string
}

type markKey struct{}

func withDoor(ctx context.Context, m mark) context.Context {
	return context.WithValue(ctx, markKey{}, &m)
}

// doorFrom gives the mark of the public door; nil for requests that staff write.
func doorFrom(ctx context.Context) *mark {
	m, _ := ctx.Value(markKey{}).(*mark)
	return m
}

// owners are the organizations that links belong to. A token never moves to another, so what was found once is true for good, whether the
// link still works or not; with it an organization's limit is counted before the database is asked.
type owners struct {
	mu    sync.Mutex
	known map[string]string
}

const maxOwners = 10_000

func (o *owners) of(token string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[token]
}

func (o *owners) set(token, organization string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.known) >= maxOwners {
		clear(o.known)
	}
	o.known[token] = organization
}

// prefersJSON says whether a caller of a page is a program.
func prefersJSON(r *http.Request) bool {
	const page = "text/html"
	accept := strings.Join(r.Header["Accept"], ",")
	return accept != "" && !strings.Contains(accept, page) && strings.Contains(accept, transport.ApplicationJSON)
}
