// Package transport serves operations over HTTP. It alone builds go-kit servers, reads bodies and query parameters, writes responses
// and errors, and makes the OpenAPI document.
package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	kit "github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"
	"github.com/klauspost/compress/gzhttp"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/fairqueue"
	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/throughput"
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
	keyed      *http.ServeMux     // the paths with ByExternalID, which other patterns match as well
	throughput throughput.Minimum // that callers must keep
	large      *fairqueue.Queue   // for the large bodies that are worked on
	described  func() []byte      // the document, made when it is first read: every gateway reads it again and again
}

// New makes an API without operations. Its OpenAPI part is served at /internal/openapi.json.
func New(signer *principal.Signer, db *postgres.DB, log *slog.Logger) *API {
	api := &API{Signer: signer, DB: db, Log: log, components: map[string]any{}, paths: map[string]map[string]http.Handler{},
		mux: http.NewServeMux(), keyed: http.NewServeMux(), throughput: throughput.Minimum{BytesPerSecond: minSendRate, Window: sendWindow},
		large: fairqueue.New(largeBodies)}
	api.described = sync.OnceValue(api.document)
	maps.Copy(api.components, CommonComponents()["schemas"])
	api.mux.HandleFunc("GET /internal/openapi.json", api.serveDocument)
	if db != nil {
		api.serveCell()
	}
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
	Feature     string // plan feature: "", "los", "infrastructure", "projects", "maintenance", "planning", "accounting"
	MaxBody     int64
	Deadline    time.Duration // endpoint.Deadline when left out
	Status      int           // of success; 200 when left out
	OrCreated   bool          // the operation answers 201 as well, where it creates

	Parameters []Parameter
	Body       any // JSON Schema of the request's body, nil for none
	Response   any // JSON Schema of the response's body, nil for none
	Streams    []string
	Versioned  bool // the response has an ETag

	// Content is the media type of a body of any length up to MaxBody, which the operation itself reads from Request.Content at the pace of
	// its sender; "*/*" for any. At its path there may be another operation, of JSON. It looks at an Idempotency-Key itself (Answered, Once).
	Content string
	// Form describes, of a body that is a form (multipart/form-data), its parts by name.
	Form map[string]any
	// Returns is the media type of a response of bytes; "*/*" for any. Partial says that a Range of it can be had.
	Returns string
	Partial bool

	// Names of the schemas of body and response in the document, and of the rows of a response that is a list. Get and Post name a
	// response after its type.
	BodyName, ResponseName, RowName string

	row any // JSON Schema of the rows of a stream, nil for none

	lists []string // parameters of the query that take several values

	// Deprecated, where given, says that the operation is going to be removed.
	Deprecated *Deprecation

	// CallsOut says that the operation waits for somebody outside, such as a receiver of webhooks. Then no transaction surrounds it:
	// with an Idempotency-Key, the claim and the stored response are one each.
	CallsOut bool

	// FromReplica says that the operation reads much and writes nothing: it is carried out with postgres.DB.FromReplica, so that a standby
	// may answer, and perhaps a second time. Streams of lists are read so without saying it.
	FromReplica bool

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

	List     bool // takes several values, with commas between them or by repeating the parameter; Schema is that of one
	MaxItems int  // of a list; 0 for no limit
	Shared   bool // many operations have the very same: it is a component of the document
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
	for _, p := range op.Parameters {
		if p.List && p.In == "query" {
			op.lists = append(op.lists, p.Name)
		}
	}
	if !internal {
		api.nameSchemas(&op)
	}
	chain := kit.Chain(endpoint.Recover, endpoint.Authorize(op.Scope, op.Feature), endpoint.WithDeadline(op.Deadline), api.inTurn,
		complete(op), inOrder, before(op), api.idempotent(op), api.fromReplica(op))
	var outage fault.Outage
	server := kithttp.NewServer(
		withoutBody(chain(endpoint.Make(do))),
		func(_ context.Context, r *http.Request) (any, error) { return readRequest(r, &op) },
		func(ctx context.Context, w http.ResponseWriter, response any) error {
			err := api.writeResponse(ctx, w, response)
			if err == nil {
				outage.Succeeded()
			}
			return err
		},
		kithttp.ServerErrorEncoder(func(ctx context.Context, err error, w http.ResponseWriter) {
			if !errors.Is(ctx.Err(), context.Canceled) {
				err = outage.Failed(fault.From(err), time.Now())
			}
			api.writeError(ctx, err, w)
		}),
	)
	methods := api.paths[op.Path]
	if methods == nil {
		methods = map[string]http.Handler{}
		api.paths[op.Path] = methods
		api.muxOf(op.Path).Handle(op.Path, api.byMethod(methods))
	}
	handler := op.announced(op.limitThroughput(server))
	if earlier := methods[op.Method]; earlier != nil {
		of := api.find(op.Method, op.Path)
		switch {
		case of != nil && of.Content == "" && op.Content != "":
			handler = byContentType(&op, handler, earlier)
		case of != nil && of.Content != "" && op.Content == "":
			handler = byContentType(of, earlier, handler)
		default:
			panic("transport: " + op.Method + " " + op.Path + " is mounted twice")
		}
	}
	methods[op.Method] = handler
	if !internal {
		api.operations = append(api.operations, &op)
	}
}

// fromReplica carries out an operation that says so where a standby may answer.
func (api *API) fromReplica(op Operation) kit.Middleware {
	return func(next kit.Endpoint) kit.Endpoint {
		if !op.FromReplica {
			return next
		}
		return func(ctx context.Context, request any) (response any, err error) {
			err = api.DB.FromReplica(ctx, func(ctx context.Context) error {
				response, err = next(ctx, request)
				return err
			})
			return response, err
		}
	}
}

// AnyParent stands in the place of the parent's id in the path of a list: it has the records of all parents that the caller may see.
const AnyParent = "-"

// ByExternalID is what stands in a path before the external id of a record.
const ByExternalID = "/by-external-id/"

func (api *API) muxOf(path string) *http.ServeMux {
	if strings.Contains(path, ByExternalID) {
		return api.keyed
	}
	return api.mux
}

// announced sets what every response of an operation has, whatever becomes of the request.
func (op *Operation) announced(next http.Handler) http.Handler {
	if op.Streams == nil && op.Deprecated == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if op.Streams != nil {
			VaryBy(w.Header(), "Accept")
		}
		if op.Deprecated != nil {
			op.Deprecated.announce(w.Header())
		}
		next.ServeHTTP(w, r)
	})
}

// find gives the operation of a method and a path, or nil.
func (api *API) find(method, path string) *Operation {
	for _, op := range api.operations {
		if op.Method == method && op.Path == path {
			return op
		}
	}
	return nil
}

// withoutBody answers a HEAD without running the stream, or opening the content, whose headers it asks for.
func withoutBody(next kit.Endpoint) kit.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		result, err := next(ctx, request)
		if response, ok := result.(*Response); ok && response != nil && request.(*Request).head {
			response.Stream = nil
			if response.Content != nil {
				if response.Content.Length >= 0 {
					response.SetHeader("Content-Length", strconv.FormatInt(response.Content.Length, 10))
				}
				response.Content = nil
			}
		}
		return result, err
	}
}

// Handler serves the API.
func (api *API) Handler() http.Handler {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1024), gzhttp.SuffixETag("-gzip")) // what is compressed is another representation
	if err != nil {
		panic(err) // only a wrong option can do that
	}
	compressed := compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux, plain := api.muxOf(r.URL.EscapedPath()), r.URL.Path
		if mux == api.keyed { // in whose last segment anything may be encoded
			plain = r.URL.EscapedPath()
		}
		if _, pattern := mux.Handler(r); pattern == "" || path.Clean(plain) != plain {
			api.writeError(r.Context(), UnknownPath(r.URL.Path, r.URL.Path, slices.Collect(maps.Keys(api.paths))), w)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		outer := r
		if r = api.identify(r); odata.From(r.Header) != nil {
			w.Header().Set(odata.VersionHeader, odata.Version)
			VaryBy(w.Header(), "Accept")
		}
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
		w.Header().Set("Allow", list)
		if methods[http.MethodPatch] != nil {
			w.Header().Set("Accept-Patch", AcceptPatch)
		}
		api.writeError(r.Context(), fault.Invalid("method_not_allowed", "%s does not take %.20q; it takes %s.", r.URL.Path, r.Method, list), w)
	})
}

// identify puts the principal that the gateway or another service signed into the request's context, and what an error is accepted as.
func (api *API) identify(r *http.Request) *http.Request {
	ctx := r.Context()
	if accept := r.Header["Accept"]; Negotiate(accept, Problem) == Problem {
		ctx = context.WithValue(ctx, acceptKey{}, accept)
	}
	if p, err := api.Signer.Verify(r.Header.Get(principal.Header)); err == nil { // without a principal Authorize rejects the request
		ctx = principal.Into(ctx, p)
	}
	if strings.HasPrefix(r.URL.Path, "/internal/") {
		if left, err := strconv.ParseUint(r.Header.Get(endpoint.TimeLeftHeader), 10, 31); err == nil {
			ctx = postgres.By(ctx, time.Now().Add(time.Duration(left)*time.Millisecond))
		}
	}
	return r.WithContext(ctx)
}

type acceptKey struct{}

// acceptedBy gives the Accept of a request that prefers errors in another form than JSON; nil for all others.
func acceptedBy(ctx context.Context) []string {
	accept, _ := ctx.Value(acceptKey{}).([]string)
	return accept
}

func (api *API) serveDocument(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(api.described()); err != nil {
		api.Log.DebugContext(r.Context(), "openapi not sent", "error", err)
	}
}

func (op *Operation) String() string { return fmt.Sprintf("%s %s", op.Method, op.Path) }
