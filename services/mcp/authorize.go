package main

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// transactionLife is how long the page may lie open.
const transactionLife = 10 * time.Minute

// transaction is what was asked for on the way to the page. It travels through the page, sealed for this browser.
type transaction struct {
	ClientID   string `json:"i"`
	ClientName string `json:"n"`
	Publisher  string `json:"p,omitempty"`
	Redirect   string `json:"r"`
	Host       string `json:"h"` // of Redirect, for people
	State      string `json:"s,omitempty"`
	Challenge  string `json:"c"`
	Language   string `json:"l"`
	Expires    int64  `json:"e"` // Unix seconds
}

// Local says whether the access goes to a program on the person's own computer.
func (t *transaction) Local() bool { return !strings.HasPrefix(t.Redirect, "https://") }

// challengePattern is what S256 gives: 32 bytes.
var challengePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// mostQuery is how long the address of the page may be, in bytes.
const mostQuery = 12 << 10

// showConnect begins a connection. A client or an address that is wrong gets a page, never a redirect: nobody knows then
// whom it would reach. What else is wrong is told to the assistant.
func (d *door) showConnect(w http.ResponseWriter, r *http.Request) {
	v := d.visit(w, r)
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(r.URL.RawQuery) > mostQuery {
		v.refuse(http.StatusBadRequest, "malformed")
		return
	}
	v.wording = preferred(query.Get("ui_locales"), r.Header.Get("Accept-Language"))
	t, err := v.readTransaction(query)
	if err != nil {
		v.refuseClient(err)
		return
	}
	if refusal := d.checkRequest(query, t); refusal != nil {
		v.leave(t, url.Values{"error": {refusal.Code}, "error_description": {refusal.Description}})
		return
	}
	v.show(http.StatusOK, t, "")
}

// readTransaction finds who asks, and where the access is to go. The error is a *clientProblem or something that is away.
func (v *visit) readTransaction(query url.Values) (*transaction, error) {
	if len(query["client_id"]) > 1 || len(query["redirect_uri"]) > 1 {
		return nil, &clientProblem{"repeated"}
	}
	found, err := v.askedClient(query.Get("client_id"))
	if err != nil {
		return nil, err
	}
	redirect := query.Get("redirect_uri")
	host, allowed := v.redirects.allow(redirect)
	switch {
	case redirect == "":
		return nil, &clientProblem{"redirect_missing"}
	case !among(found.redirects, redirect):
		return nil, &clientProblem{"redirect_unregistered"}
	case !allowed:
		return nil, &clientProblem{"redirect_not_allowed"}
	}
	return &transaction{
		ClientID: found.id, ClientName: found.called(redirect), Publisher: found.publisher, Redirect: redirect, Host: host, State: only(query, "state"),
		Challenge: only(query, "code_challenge"), Language: v.wording.Code, Expires: time.Now().Add(transactionLife).Unix(),
	}, nil
}

// askedClient finds the client. A description that must be fetched for it is an attempt of who asks: nobody makes us call
// addresses as often as they like.
func (v *visit) askedClient(id string) (*client, error) {
	if !strings.HasPrefix(id, "https://") || v.documents.knows(id) {
		return v.findClient(v.r.Context(), id)
	}
	address := arrivalFrom(v.r.Context()).address
	wait, err := v.begin(v.r.Context(), address)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return nil, &clientProblem{"slow"}
	}
	found, err := v.findClient(v.r.Context(), id)
	if err == nil {
		v.succeed(v.r.Context(), address)
	}
	return found, err
}

func (v *visit) refuseClient(err error) {
	var problem *clientProblem
	switch {
	case errors.As(err, &problem) && problem.word == "slow":
		v.refuse(http.StatusTooManyRequests, problem.word)
	case errors.As(err, &problem):
		v.refuse(http.StatusBadRequest, problem.word)
	default:
		v.fail(err)
	}
}

// checkRequest holds the rest of the request against what there is here: one response type, one resource, S256.
func (d *door) checkRequest(query url.Values, t *transaction) *oauthError {
	for name, values := range query {
		if len(values) > 1 && known[name] {
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
	return d.checkResource(query)
}

// checkResource: access is good for this MCP endpoint alone, and whoever names a resource must mean it.
func (d *door) checkResource(given url.Values) *oauthError {
	if resource := given.Get("resource"); resource != "" && resource != d.resource {
		return &oauthError{http.StatusBadRequest, "invalid_target", "The one resource here is " + d.resource + "."}
	}
	return nil
}

// known are the parameters that mean something; a repeated one is a mistake or an attack.
var known = map[string]bool{
	"response_type": true, "response_mode": true, "client_id": true, "redirect_uri": true, "scope": true, "state": true, "resource": true,
	"code_challenge": true, "code_challenge_method": true, "ui_locales": true, "request": true, "request_uri": true,
	"grant_type": true, "code": true, "code_verifier": true, "refresh_token": true, "token": true, "token_type_hint": true,
	"client_secret": true, "client_assertion": true,
}

// only gives a parameter that is there once; one that is repeated is worth nothing.
func only(values url.Values, name string) string {
	if len(values[name]) != 1 {
		return ""
	}
	return values.Get(name)
}
