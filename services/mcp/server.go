package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxRequestBody is how large a request may be: the longest texts that a tool takes, several times over.
const maxRequestBody = 1 << 20

// server answers what assistants ask. It holds no state between requests: every request brings its key, and any instance
// can answer it.
type server struct {
	rest     *restClient
	host     string // of the public base URL
	log      *slog.Logger
	profiles profiles
}

func newServer(rest *restClient, baseURL string, log *slog.Logger) *server {
	s := &server{rest: rest, log: log}
	if base, err := url.Parse(baseURL); err == nil { // the configuration was checked
		s.host = base.Hostname()
	}
	return s
}

// handler serves POST /mcp, for the handshake of older clients and for protocol 2026-07-28 without one. protect lets in
// who has a key and puts the caller into the context.
func (s *server) handler(protect func(http.Handler) http.Handler) http.Handler {
	protocol := mcp.NewStreamableHTTPHandler(selectedServer, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, // nothing is ever sent but the answer
		PropagateRequestCancellation: true, MaxRequestBodyBytes: maxRequestBody,
		DisableLocalhostProtection: true,                          // the gateway reaches us on a private address, whatever host the caller named: ours is below
		Logger:                     slog.New(slog.DiscardHandler), // it logs what callers do wrong, which they are told
	})
	guarded := protect(s.selectServer(jsonErrors(protocol)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost: // before authentication: clients ask whether there is a stream
			w.Header().Set("Allow", http.MethodPost)
			writeError(w, r, http.StatusMethodNotAllowed, "method_not_allowed", "MCP is spoken here by POST alone: every request brings its key, and there are no streams or sessions to open or end.")
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

// selectServer finds the server of the caller's profile, once: the protocol library asks for it twice.
func (s *server) selectServer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), selectedServerKey{}, s.serverFor(callerFrom(r.Context())))))
	})
}

func selectedServer(r *http.Request) *mcp.Server {
	return r.Context().Value(selectedServerKey{}).(*mcp.Server)
}

// forwardedHost is the host that the caller named, which the gateway passes on.
func forwardedHost(r *http.Request) string {
	if host := r.Header.Get("X-Forwarded-Host"); host != "" {
		return host
	}
	return r.Host
}

// allowedHost says whether a caller may name this host: ours, this machine itself, or an address. A page that has made its own
// name point here (DNS rebinding) cannot name any of them.
func (s *server) allowedHost(hostport string) bool {
	address, err := url.Parse("//" + hostport)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(address.Hostname(), ".")
	_, notAnAddress := netip.ParseAddr(host)
	return strings.EqualFold(host, s.host) || isLoopback(host) || notAnAddress == nil
}

func (s *server) allowedOrigin(origin string) bool {
	address, err := url.Parse(origin)
	return err == nil && address.Host != "" && (strings.EqualFold(address.Hostname(), s.host) || isLoopback(address.Hostname()))
}

// logFailure writes to the log what is our mistake; what the caller did wrong, it was told.
func (s *server) logFailure(ctx context.Context, what string, err error) {
	var refused *apiError
	if isProblem(err) || errors.As(err, &refused) || errors.Is(err, context.Canceled) {
		return
	}
	s.log.ErrorContext(ctx, "a call of an assistant failed", "call", what, "error", err)
}
