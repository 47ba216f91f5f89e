package oauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/transport"
)

// Paths of the authorization metadata (RFC 9728 and RFC 8414) and of the OAuth endpoints.
const (
	protectedResourcePath   = "/.well-known/oauth-protected-resource"
	authorizationServerPath = "/.well-known/oauth-authorization-server"
	authorizePath           = "/oauth/authorize"
	tokenPath               = "/oauth/token" // #nosec G101 -- a path
	registerPath            = "/oauth/register"
	revokePath              = "/oauth/revoke"
)

// protectedResource describes the MCP endpoint to a client that got a 401.
type protectedResource struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name"`
	Documentation        string   `json:"resource_documentation"`
}

// authorizationServer describes the OAuth endpoints: one kind of grant, for public clients, with PKCE.
type authorizationServer struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	ClientDocuments       bool     `json:"client_id_metadata_document_supported"`
	Issuers               bool     `json:"authorization_response_iss_parameter_supported"`
	Locales               []string `json:"ui_locales_supported"`
	Documentation         string   `json:"service_documentation"`
}

func (a *Authorizer) describeResource(w http.ResponseWriter, _ *http.Request) {
	writePublicJSON(w, protectedResource{
		Resource: a.resource, AuthorizationServers: []string{a.issuer}, BearerMethods: []string{"header"},
		Name: "Asset management", Documentation: a.issuer + "/docs",
	})
}

func (a *Authorizer) describeServer(w http.ResponseWriter, _ *http.Request) {
	writePublicJSON(w, authorizationServer{
		Issuer: a.issuer, AuthorizationEndpoint: a.issuer + authorizePath, TokenEndpoint: a.issuer + tokenPath,
		RegistrationEndpoint: a.issuer + registerPath, RevocationEndpoint: a.issuer + revokePath,
		ResponseTypes: []string{"code"}, ResponseModes: []string{"query"}, GrantTypes: []string{"authorization_code", "refresh_token"},
		ChallengeMethods: []string{"S256"}, TokenAuthMethods: []string{"none"}, RevocationAuthMethods: []string{"none"},
		ClientDocuments: true, Issuers: true, Locales: []string{"en-CA", "fr-CA"}, Documentation: a.issuer + "/docs",
	})
}

// writePublicJSON writes a public document. Pages of other sites may read it.
func writePublicJSON(w http.ResponseWriter, document any) {
	w.Header().Set("Cache-Control", "public, max-age=300")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	writeJSON(w, http.StatusOK, document)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil { // texts and numbers cannot fail
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone; nobody reads the error
}

// methods serves one path by method. Other methods get 405 with the allowed ones.
type methods map[string]http.HandlerFunc

// ServeHTTP implements http.Handler.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if serve := m[method]; serve != nil {
		serve(w, withRequestSource(r))
		return
	}
	var allowed []string
	for _, each := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if m[each] != nil || each == http.MethodHead && m[http.MethodGet] != nil {
			allowed = append(allowed, each)
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	http.Error(w, "This takes "+strings.Join(allowed, " and ")+".", http.StatusMethodNotAllowed)
}

// unknownPath responds to paths below ours that do not exist.
func unknownPath(w http.ResponseWriter, r *http.Request) {
	e := fault.New(fault.KindNotFound, "unknown_path", "There is nothing here. "+authorizationServerPath+" says what there is.")
	e.Request = r.Header.Get("X-Request-Id")
	transport.WriteFault(w, r.Header["Accept"], e)
}

// oauthError is an error in the form of OAuth.
type oauthError struct {
	status      int
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func refuseGrant(description string) *oauthError {
	return &oauthError{http.StatusBadRequest, "invalid_grant", description}
}

func refuseRequest(description string) *oauthError {
	return &oauthError{http.StatusBadRequest, "invalid_request", description}
}

// respondOAuth writes the response or the error of a token, registration or revocation request. Clients may not store
// it.
func (a *Authorizer) respondOAuth(w http.ResponseWriter, r *http.Request, status int, response any, err error) {
	w.Header().Set("Cache-Control", "no-store")
	if err == nil {
		writeJSON(w, status, response)
		return
	}
	var refusal *oauthError
	if !errors.As(err, &refusal) {
		e := fault.From(err)
		a.log.WarnContext(r.Context(), "a request of an assistant failed", "path", r.URL.Path, "error", e.Error())
		refusal = &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable",
			"This cannot be answered right now; nothing was done. Try again in a moment."}
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(e.RetryAfter/time.Second))))
	}
	if refusal.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="none"`)
	}
	writeJSON(w, refusal.status, refusal)
}
