package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"ams.internal/libs/fault"
)

// tokenResponse is what an assistant is given for a code or a refresh token.
type tokenResponse struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// onlyScope is said because scopes that were asked for are not looked at: what the assistant may do is the key's matter.
const onlyScope = "mcp"

func (a *authorizer) token(w http.ResponseWriter, r *http.Request) {
	given, err := assistantForm(w, r)
	var made *tokenResponse
	if err == nil {
		made, err = a.exchange(r.Context(), given)
	}
	a.respondOAuth(w, r, http.StatusOK, made, err)
}

func (a *authorizer) exchange(ctx context.Context, given url.Values) (*tokenResponse, error) {
	if refusal := a.checkResource(given); refusal != nil {
		return nil, refusal
	}
	switch given.Get("grant_type") {
	case "authorization_code":
		return a.redeem(ctx, given)
	case "refresh_token":
		return a.refresh(ctx, given)
	case "":
		return nil, refuseRequest("The parameter grant_type is missing: send authorization_code or refresh_token.")
	}
	return nil, &oauthError{http.StatusBadRequest, "unsupported_grant_type", "The grant types are authorization_code and refresh_token."}
}

// verifierPattern is what RFC 7636 allows.
var verifierPattern = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// errCode is said of every code that is not taken, so that nobody learns more by trying.
var errCode = refuseGrant("The code is not good: it was used, is more than 60 seconds old, or belongs to another client, address or verifier. Begin again at the authorization endpoint.")

// redeem gives tokens for a code, once. A code that comes a second time is in two hands: its grant ends.
func (a *authorizer) redeem(ctx context.Context, given url.Values) (*tokenResponse, error) {
	code, verifier := given.Get("code"), given.Get("code_verifier")
	for _, name := range []string{"code", "client_id", "redirect_uri", "code_verifier"} {
		if given.Get(name) == "" {
			return nil, refuseRequest("The parameter " + name + " is missing.")
		}
	}
	if !verifierPattern.MatchString(verifier) {
		return nil, refuseRequest("The code_verifier must be 43 to 128 letters, digits, or - . _ ~")
	}
	sealed, found := parseEnvelope(kindCode, code)
	if !found {
		return nil, errCode
	}
	g, err := a.findGrant(ctx, sealed.grant)
	if err != nil {
		return nil, err
	}
	var content codeContent
	switch {
	case g == nil:
		return nil, errCode
	case g.connected:
		return nil, a.endReplayedGrant(ctx, g, code)
	case !a.sealer.open(sealed, g.salt, &content), time.Now().Unix() >= content.Expires,
		!bytes.Equal(content.Client, hashOf(given.Get("client_id"))), !bytes.Equal(content.Redirect, hashOf(given.Get("redirect_uri"))),
		!verifies(verifier, content.Challenge):
		return nil, errCode
	}
	if err := a.checkGrantKey(ctx, g, content.Key); err != nil {
		return nil, err
	}
	done, err := a.connectGrant(ctx, g, randomBytes(saltSize))
	if err != nil {
		return nil, err
	}
	if !done { // somebody was quicker with the same code
		return nil, a.endReplayedGrant(ctx, g, code)
	}
	return a.issueTokens(g, content.Key), nil
}

// endReplayedGrant ends the grant of a code that comes again. Who only guessed at one has nothing that its hash fits.
func (a *authorizer) endReplayedGrant(ctx context.Context, g *grant, code string) error {
	if subtle.ConstantTimeCompare(g.codeHash, hashOf(code)) != 1 {
		return errCode
	}
	if _, err := a.endGrantAsService(ctx, g, "code_replayed"); err != nil {
		return err
	}
	return errCode
}

// verifies says whether a verifier is the one that a challenge was made of.
func verifies(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(encoded(sum[:])), []byte(challenge)) == 1
}

// errRefresh is said of every refresh token that is not taken.
var errRefresh = refuseGrant("The refresh token is not good: the connection has ended, or it was not used for 90 days. Connect the assistant again.")

// refresh gives new tokens for a refresh token, and replaces it. The one before is taken for two minutes more, since its
// holder may never have seen the answer; an older one is in two hands, and ends the grant.
func (a *authorizer) refresh(ctx context.Context, given url.Values) (*tokenResponse, error) {
	if given.Get("refresh_token") == "" {
		return nil, refuseRequest("The parameter refresh_token is missing.")
	}
	sealed, found := parseEnvelope(kindRefresh, given.Get("refresh_token"))
	if !found {
		return nil, errRefresh
	}
	g, err := a.findGrant(ctx, sealed.grant)
	if err != nil {
		return nil, err
	}
	var content tokenContent
	if g == nil || !a.sealer.open(sealed, g.salt, &content) || time.Now().Unix() >= content.Expires ||
		given.Get("client_id") != "" && !bytes.Equal(content.Client, hashOf(given.Get("client_id"))) {
		return nil, errRefresh
	}
	if err := a.checkGrantKey(ctx, g, content.Key); err != nil {
		return nil, err
	}
	if content.Generation == g.generation {
		moved, err := a.rotateGrant(ctx, g)
		if err != nil {
			return nil, err
		}
		if moved {
			return a.issueTokens(g, content.Key), nil
		}
		if g, err = a.findGrant(ctx, sealed.grant); err != nil { // two came at once, or it ended meanwhile
			return nil, err
		}
		if g == nil || g.salt == nil {
			return nil, errRefresh
		}
	}
	if content.Generation == g.generation-1 && time.Since(g.rotatedAt) < rotationTolerance {
		return a.issueTokens(g, content.Key), nil
	}
	if _, err := a.endGrantAsService(ctx, g, "refresh_replayed"); err != nil {
		return nil, err
	}
	return nil, errRefresh
}

// checkGrantKey asks the gateway about the key of a grant. A key that will never be good again ends the grant; one that is
// suspended may come back, and so may the grant.
func (a *authorizer) checkGrantKey(ctx context.Context, g *grant, key string) error {
	from := requestSourceFrom(ctx)
	_, err := a.checkKey(ctx, key, from.address, from.requestID)
	if err == nil {
		return nil
	}
	refusal := fault.From(err)
	switch {
	case refusal.Kind == fault.KindUnavailable:
		return err
	case refusal.Kind == fault.KindUnauthenticated || refusal.Code == "key_expired":
		if _, err := a.endGrantAsService(ctx, g, refusal.Code); err != nil {
			return err
		}
	}
	return refuseGrant("The API key behind this connection cannot be used: " + refusal.Message)
}

// endGrantAsService ends a grant on our own account.
func (a *authorizer) endGrantAsService(ctx context.Context, g *grant, why string) (bool, error) {
	from := requestSourceFrom(ctx)
	p := a.servicePrincipal(g.organization, from.requestID)
	p.Address = from.address
	done, err := a.endGrant(ctx, p, g.id, why)
	if done {
		a.log.InfoContext(ctx, "a connection of an assistant ended", "organization_id", g.organization, "grant_id", g.id, "reason", why)
	}
	return done, err
}

// issueTokens seals the key into the tokens of a grant as it is now.
func (a *authorizer) issueTokens(g *grant, key string) *tokenResponse {
	now := time.Now()
	return &tokenResponse{
		AccessToken: a.sealer.seal(kindAccess, g.grantID(), g.salt, tokenContent{Key: key, Expires: now.Add(accessLifetime).Unix()}),
		TokenType:   "Bearer", ExpiresIn: int(accessLifetime / time.Second), Scope: onlyScope,
		RefreshToken: a.sealer.seal(kindRefresh, g.grantID(), g.salt, tokenContent{
			Key: key, Expires: now.Add(refreshLifetime).Unix(), Generation: g.generation, Client: hashOf(g.clientID),
		}),
	}
}

// assistantForm reads what an assistant posts: a form in the body, each parameter once, from a client that has no secret.
func assistantForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, refuseRequest("Send a form, with Content-Type: application/x-www-form-urlencoded.")
	}
	if r.URL.RawQuery != "" {
		return nil, refuseRequest("Send the parameters in the body, none in the URL: URLs end up in logs.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxOAuthRequest)
	if err := r.ParseForm(); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, refuseRequest("The body is too large: 16 KB at most.")
		}
		return nil, refuseRequest("The body is no form.")
	}
	for name, values := range r.PostForm {
		if len(values) > 1 && knownParameters[name] {
			return nil, refuseRequest("The parameter " + name + " is there more than once.")
		}
	}
	if r.Header.Get("Authorization") != "" {
		return nil, &oauthError{http.StatusUnauthorized, "invalid_client", "Clients have no secret here: send no Authorization header, and client_id in the body."}
	}
	if strings.TrimSpace(r.PostForm.Get("client_secret")) != "" || r.PostForm.Get("client_assertion") != "" {
		return nil, &oauthError{http.StatusBadRequest, "invalid_client", "Clients have no secret here: send client_id alone."}
	}
	return r.PostForm, nil
}
