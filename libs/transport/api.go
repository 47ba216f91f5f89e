// Package transport serves operations over HTTP. It alone builds go-kit servers, reads bodies and query parameters, writes
// responses and errors, and makes the OpenAPI document.
package transport

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	kit "github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"
	"github.com/klauspost/compress/gzhttp"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/fairqueue"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
)

// MaxBody is how large a body may be, unless the operation says otherwise.
const MaxBody = 1 << 20

// MaxBulkBody is how large the body of a bulk call may be.
const MaxBulkBody = 10 << 20

// API is the operations of one service.
type API struct {
	Signer     *principal.Signer
	DB         *postgres.DB // stores the responses to requests with an Idempotency-Key
	Log        *slog.Logger
	operations []*Operation
	webhooks   []*Webhook
	components map[string]any                     // named JSON Schemas of the OpenAPI document
	paths      map[string]map[string]http.Handler // path pattern → method → handler
	mux        *http.ServeMux
	pace       pace             // that callers must keep
	large      *fairqueue.Queue // for the large bodies that are worked on
}

// New makes an API without operations. Its OpenAPI part is served at /internal/openapi.json.
func New(signer *principal.Signer, db *postgres.DB, log *slog.Logger) *API {
	api := &API{Signer: signer, DB: db, Log: log, components: map[string]any{}, paths: map[string]map[string]http.Handler{},
		mux: http.NewServeMux(), pace: pace{least: leastPace, window: paceWindow}, large: fairqueue.New(largeBodies)}
	api.Component("Error", ErrorSchema)
	api.mux.HandleFunc("GET /internal/openapi.json", api.serveDocument)
	return api
}

// Operation declares one method of one path.
type Operation struct {
	Method      string // set by Get, Post …
	Path        string // "/v1/sites/{id}/summary"
	ID          string // OpenAPI operationId, snake case, unique in the product
	Summary     string // one line, in the imperative
	Description string
	Scope       string // "sites:read"; required for /v1 paths, unless AnyKey
	AnyKey      bool   // no scope is needed: the operation itself shows each caller what his scopes and features allow
	Feature     string // plan feature: "", "los", "infrastructure", "projects"
	MaxBody     int64
	Deadline    time.Duration // endpoint.Deadline when left out
	Status      int           // of success; 200 when left out

	Parameters []Parameter
	Body       any // JSON Schema of the request's body, nil for none
	Response   any // JSON Schema of the response's body, nil for none
	Streams    []string

	// CallsOut says that the operation waits for somebody outside, such as a receiver of webhooks. Then no transaction surrounds it:
	// with an Idempotency-Key, the claim and the stored response are one each.
	CallsOut bool

	// Before, where given, is called before any transaction of the request, also that of an Idempotency-Key: for what must be waited
	// for outside. What it finds goes into the context, which the operation gets.
	Before func(ctx context.Context, r *Request) (context.Context, error)

	// Complete, where given, adds to a successful response what must not be stored with it: a secret that is shown once. It is
	// called after the response was stored for its Idempotency-Key, and again whenever that response is replayed.
	Complete func(ctx context.Context, response *Response) error
}

// Parameter is one path, query or header parameter.
type Parameter struct {
	Name, In, Description string
	Required              bool
	Schema                any
	Example               any
}

// Handle mounts an operation. It panics for a public operation without a scope and for one that is mounted twice, so that the
// mistake is found at start.
func (api *API) Handle(op Operation, do endpoint.Operation[*Request, *Response]) {
	internal := strings.HasPrefix(op.Path, "/internal/")
	if op.Scope == "" && !op.AnyKey && !internal {
		panic("transport: operation " + op.Method + " " + op.Path + " declares no scope")
	}
	if op.MaxBody == 0 {
		op.MaxBody = MaxBody
	}
	if op.Deadline == 0 {
		op.Deadline = endpoint.Deadline
	}
	chain := kit.Chain(endpoint.Recover, endpoint.Authorize(op.Scope, op.Feature), endpoint.WithDeadline(op.Deadline), api.inTurn, complete(op),
		before(op), api.idempotent(op))
	server := kithttp.NewServer(
		withoutStream(chain(endpoint.Make(do))),
		func(_ context.Context, r *http.Request) (any, error) { return readRequest(r, &op) },
		api.writeResponse,
		kithttp.ServerErrorEncoder(api.writeError),
	)
	methods := api.paths[op.Path]
	if methods == nil {
		methods = map[string]http.Handler{}
		api.paths[op.Path] = methods
		api.mux.Handle(op.Path, api.byMethod(methods))
	}
	if methods[op.Method] != nil {
		panic("transport: " + op.Method + " " + op.Path + " is mounted twice")
	}
	methods[op.Method] = server
	if !internal {
		api.operations = append(api.operations, &op)
	}
}

// withoutStream answers a HEAD without running the stream whose headers it asks for.
func withoutStream(next kit.Endpoint) kit.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		result, err := next(ctx, request)
		if response, ok := result.(*Response); ok && response != nil && request.(*Request).head {
			response.Stream = nil
		}
		return result, err
	}
}

// Handler serves the API.
func (api *API) Handler() http.Handler {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1024))
	if err != nil {
		panic(err) // only a wrong option can do that
	}
	compressed := compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := api.mux.Handler(r); pattern == "" || path.Clean(r.URL.Path) != r.URL.Path {
			api.writeError(r.Context(), fault.New(fault.KindNotFound, "unknown_path",
				"There is no %s in this API; /openapi.json lists the paths.", r.URL.Path), w)
			return
		}
		api.mux.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		outer := r
		r = api.identify(r)
		compressed.ServeHTTP(w, r)
		outer.Pattern = r.Pattern // it names the span and the metrics of the request
		if telemetry.IsRecorded(w) {
			telemetry.AddPrincipal(w, principal.From(r.Context()))
		}
	})
}

func (api *API) byMethod(methods map[string]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if handler := methods[method]; handler != nil {
			if method != http.MethodGet {
				// A slow sender is disconnected. A connection without support for deadlines (in tests) has none.
				_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyDeadline))
			}
			handler.ServeHTTP(w, r)
			return
		}
		var allowed []string
		for method := range methods {
			allowed = append(allowed, method)
		}
		slices.Sort(allowed)
		list := strings.Join(allowed, ", ")
		api.writeError(r.Context(), fault.Invalid("method_not_allowed", "%s does not take %.20q; it takes %s.", r.URL.Path, r.Method,
			list).WithHeader("Allow", list), w)
	})
}

// identify puts the principal that the gateway or another service signed into the request's context.
func (api *API) identify(r *http.Request) *http.Request {
	p, err := api.Signer.Verify(r.Header.Get(principal.Header))
	if err != nil {
		return r // no principal: Authorize rejects the request
	}
	return r.WithContext(principal.Into(r.Context(), p))
}

func (api *API) serveDocument(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(api.document()); err != nil {
		api.Log.DebugContext(r.Context(), "openapi not sent", "error", err)
	}
}

func (op *Operation) String() string { return fmt.Sprintf("%s %s", op.Method, op.Path) }
