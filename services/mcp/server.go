package mcp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/services/mcp/oauth"
)

// maxRequestBody is the largest request body: several times the longest texts that a tool accepts.
const maxRequestBody = 1 << 20

// server responds to assistants. It keeps no state between requests: every request has its key, and any instance can
// respond.
type server struct {
	rest     *restClient
	baseURL  string // where the public reaches us
	host     string // of it
	log      *slog.Logger
	profiles profiles
}

func newServer(rest *restClient, baseURL string, log *slog.Logger) *server {
	s := &server{rest: rest, baseURL: baseURL, log: log}
	if base, err := url.Parse(baseURL); err == nil { // the configuration was validated
		s.host = base.Hostname()
	}
	return s
}

// handler serves POST /mcp, both for older clients with a handshake and for protocol 2026-07-28 without one.
// protect (admit) authorizes a request and puts the caller into its context.
func (s *server) handler(protect func(http.Handler) http.Handler) http.Handler {
	protocol := mcp.NewStreamableHTTPHandler(selectedServer, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, // the server sends nothing but responses
		PropagateRequestCancellation: true, MaxRequestBodyBytes: maxRequestBody,
		DisableLocalhostProtection: true,                          // the gateway uses our private address; the host is checked below
		Logger:                     slog.New(slog.DiscardHandler), // it logs mistakes of callers, who get them in the response
	})
	guarded := protect(s.selectServer(checkMessages(jsonErrors(protocol))))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost: // before authentication: clients try whether there is a stream
			w.Header().Set("Allow", http.MethodPost)
			writeError(w, r, http.StatusMethodNotAllowed, "method_not_allowed", "MCP is spoken here by POST alone: every request brings its key, "+
				"and there are no streams or sessions to open or end.")
		case !s.allowedHost(forwardedHost(r)):
			writeError(w, r, http.StatusForbidden, "host_not_allowed", "This server is not reached under that name; use "+s.host+".")
		case r.Header.Get("Origin") != "" && !s.allowedOrigin(r.Header.Get("Origin")):
			writeError(w, r, http.StatusForbidden, "origin_not_allowed", "Pages of another origin may not speak to this server.")
		default:
			guarded.ServeHTTP(w, r)
		}
	})
}

type selectedServerKey struct{}

// selectServer looks the server of the caller's profile up once, with what the request asks to leave away. The protocol library asks for
// it twice.
func (s *server) selectServer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := callerFrom(r.Context()).narrowed(r.Header)
		if err != nil {
			writeError(w, r, http.StatusBadRequest, "toolset_unknown", err.Error())
			return
		}
		ctx := withCaller(r.Context(), who)
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, selectedServerKey{}, s.serverFor(who))))
	})
}

func selectedServer(r *http.Request) *mcp.Server {
	return r.Context().Value(selectedServerKey{}).(*mcp.Server)
}

// forwardedHost is the host that the caller named. The gateway forwards it.
func forwardedHost(r *http.Request) string {
	if host := r.Header.Get("X-Forwarded-Host"); host != "" {
		return host
	}
	return r.Host
}

// allowedHost reports whether a caller may name this host: ours, this machine, or an address. A page that points its own
// name here (DNS rebinding) cannot name any of them.
func (s *server) allowedHost(hostport string) bool {
	address, err := url.Parse("//" + hostport)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(address.Hostname(), ".")
	_, notAnAddress := netip.ParseAddr(host)
	return strings.EqualFold(host, s.host) || oauth.IsLoopback(host) || notAnAddress == nil
}

func (s *server) allowedOrigin(origin string) bool {
	address, err := url.Parse(origin)
	return err == nil && address.Host != "" && (strings.EqualFold(address.Hostname(), s.host) || oauth.IsLoopback(address.Hostname()))
}

// logFailure logs failures on our side. Mistakes of the caller are in the response already.
func (s *server) logFailure(ctx context.Context, what string, err error) {
	var refused *apiError
	if isProblem(err) || errors.As(err, &refused) || errors.Is(err, context.Canceled) {
		return
	}
	s.log.ErrorContext(ctx, "a call of an assistant failed", "call", what, "error", err)
}
