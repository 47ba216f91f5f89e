package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// transactionLifetime is how long a page can be submitted.
const transactionLifetime = 10 * time.Minute

// transaction is the authorization request that the page was opened with. The page carries it, sealed for this browser.
type transaction struct {
	ClientID   string `json:"i"`
	ClientName string `json:"n"`
	Publisher  string `json:"p,omitempty"`
	Redirect   string `json:"r"`
	Host       string `json:"h"` // of Redirect, shown on the page
	State      string `json:"s,omitempty"`
	Challenge  string `json:"c"`
	Language   string `json:"l"`
	Expires    int64  `json:"e"` // Unix seconds
}

// Local reports whether the access goes to a program on the person's own computer.
func (t *transaction) Local() bool { return !strings.HasPrefix(t.Redirect, "https://") }

// challengePattern matches the result of S256: 32 bytes.
var challengePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// maxQuery is the longest query of the page, in bytes.
const maxQuery = 12 << 10

// showConnect opens the page of a connection. A wrong client or redirect address gets an error page and never a
// redirect, because nobody knows whom that would reach. Every other mistake is sent to the client.
func (a *Authorizer) showConnect(w http.ResponseWriter, r *http.Request) {
	req := a.newPageRequest(w, r)
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(r.URL.RawQuery) > maxQuery {
		req.refuse(http.StatusBadRequest, "malformed")
		return
	}
	req.language = preferredLanguage(query.Get("ui_locales"), r.Header.Get("Accept-Language"))
	t, err := req.readTransaction(query)
	if err != nil {
		req.refuseClient(err)
		return
	}
	if refusal := a.checkRequest(query, t); refusal != nil {
		req.redirectToClient(t, url.Values{"error": {refusal.Code}, "error_description": {refusal.Description}})
		return
	}
	req.show(http.StatusOK, t, "")
}

// readTransaction reads the client and the redirect address. The error is a *clientProblem, or a dependency is
// unavailable.
func (req *pageRequest) readTransaction(query url.Values) (*transaction, error) {
	if len(query["client_id"]) > 1 || len(query["redirect_uri"]) > 1 {
		return nil, &clientProblem{"repeated"}
	}
	found, err := req.requestedClient(query.Get("client_id"))
	if err != nil {
		return nil, err
	}
	redirect := query.Get("redirect_uri")
	host, allowed := req.redirects.allow(redirect)
	switch {
	case redirect == "":
		return nil, &clientProblem{"redirect_missing"}
	case !matchesAny(found.redirects, redirect):
		return nil, &clientProblem{"redirect_unregistered"}
	case !allowed:
		return nil, &clientProblem{"redirect_not_allowed"}
	}
	return &transaction{
		ClientID: found.id, ClientName: found.displayName(redirect), Publisher: found.publisher, Redirect: redirect, Host: host,
		State:     singleValue(query, "state"),
		Challenge: singleValue(query, "code_challenge"), Language: req.language.Code, Expires: time.Now().Add(transactionLifetime).Unix(),
	}, nil
}

// requestedClient finds the client. A document that must be fetched counts as an attempt of the caller's address. This
// limits the calls that a caller can make us send to other hosts.
func (req *pageRequest) requestedClient(id string) (*client, error) {
	if !strings.HasPrefix(id, "https://") || req.documents.isFresh(id) {
		return req.findClient(req.r.Context(), id)
	}
	address := requestSourceFrom(req.r.Context()).address
	wait, err := req.beginAttempt(req.r.Context(), address)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return nil, &clientProblem{"slow"}
	}
	found, err := req.findClient(req.r.Context(), id)
	if err == nil {
		req.endAttempt(req.r.Context(), address)
	}
	return found, err
}

func (req *pageRequest) refuseClient(err error) {
	var problem *clientProblem
	switch {
	case errors.As(err, &problem) && problem.word == "slow":
		req.refuse(http.StatusTooManyRequests, problem.word)
	case errors.As(err, &problem):
		req.refuse(http.StatusBadRequest, problem.word)
	default:
		req.fail(err)
	}
}

// checkRequest checks the rest of the request. There is one response type, one resource and one challenge method, S256.
func (a *Authorizer) checkRequest(query url.Values, t *transaction) *oauthError {
	for name, values := range query {
		if len(values) > 1 && knownParameters[name] {
			return refuseRequest("The parameter " + name + " is there more than once.")
		}
	}
	switch responseType := query.Get("response_type"); responseType {
	case "code":
	case "":
		return refuseRequest("The parameter response_type is missing: send code.")
	default:
		return &oauthError{0, "unsupported_response_type", "The one response type is code."}
	}
	if mode := query.Get("response_mode"); mode != "" && mode != "query" {
		return refuseRequest("The one response mode is query.")
	}
	switch method := query.Get("code_challenge_method"); {
	case t.Challenge == "":
		return refuseRequest("The parameter code_challenge is missing: PKCE is required, with S256.")
	case method == "":
		return refuseRequest("The parameter code_challenge_method is missing, which means plain: send S256.")
	case method != "S256":
		return refuseRequest("The one code_challenge_method is S256.")
	case !challengePattern.MatchString(t.Challenge):
		return refuseRequest("The code_challenge is not one of S256: 43 characters of base64url.")
	}
	if query.Get("request") != "" {
		return &oauthError{0, "request_not_supported", "Send the parameters themselves."}
	}
	if query.Get("request_uri") != "" {
		return &oauthError{0, "request_uri_not_supported", "Send the parameters themselves."}
	}
	return a.checkResource(query)
}

// checkResource checks that a resource, where one is named, is this MCP endpoint. Access is valid for no other.
func (a *Authorizer) checkResource(given url.Values) *oauthError {
	if resource := given.Get("resource"); resource != "" && resource != a.resource {
		return &oauthError{http.StatusBadRequest, "invalid_target", "The one resource here is " + a.resource + "."}
	}
	return nil
}

// knownParameters are the parameters that have a meaning here. A repeated one is a mistake or an attack.
var knownParameters = map[string]bool{
	"response_type": true, "response_mode": true, "client_id": true, "redirect_uri": true, "scope": true, "state": true, "resource": true,
	"code_challenge": true, "code_challenge_method": true, "ui_locales": true, "request": true, "request_uri": true,
	"grant_type": true, "code": true, "code_verifier": true, "refresh_token": true, "token": true, "token_type_hint": true,
	"client_secret": true, "client_assertion": true,
}

// singleValue returns a parameter that is present exactly once, else an empty text.
func singleValue(values url.Values, name string) string {
	if len(values[name]) != 1 {
		return ""
	}
	return values.Get(name)
}
