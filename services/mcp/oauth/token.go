package oauth

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

// tokenResponse is the response to a code or a refresh token.
type tokenResponse struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// onlyScope is the scope of every token. Requested scopes are ignored, because the key decides what the assistant may
// do.
const onlyScope = "mcp"

func (a *Authorizer) token(w http.ResponseWriter, r *http.Request) {
	given, err := assistantForm(w, r)
	var made *tokenResponse
	if err == nil {
		made, err = a.exchange(r.Context(), given)
	}
	a.respondOAuth(w, r, http.StatusOK, made, err)
}

func (a *Authorizer) exchange(ctx context.Context, given url.Values) (*tokenResponse, error) {
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

// verifierPattern is the form of a verifier in RFC 7636.
var verifierPattern = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// errCode is the error of every code that is refused, so that nobody learns more by trying.
var errCode = refuseGrant("The code is not good: it was used, is more than 60 seconds old, or belongs to another client, address or " +
	"verifier. Begin again at the authorization endpoint.")

// redeem issues tokens for a code, once. A code that is sent twice has leaked: its grant ends.
func (a *Authorizer) redeem(ctx context.Context, given url.Values) (*tokenResponse, error) {
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
	if !done { // another request redeemed the same code first
		return nil, a.endReplayedGrant(ctx, g, code)
	}
	return a.issueTokens(g, content.Key), nil
}

// endReplayedGrant ends the grant of a code that is sent again. A guessed code does not match the stored hash and ends
// nothing.
func (a *Authorizer) endReplayedGrant(ctx context.Context, g *grant, code string) error {
	if subtle.ConstantTimeCompare(g.codeHash, hashOf(code)) != 1 {
		return errCode
	}
	if _, err := a.endGrantAsService(ctx, g, "code_replayed"); err != nil {
		return err
	}
	return errCode
}

// verifies reports whether a challenge was made from a verifier.
func verifies(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(encoded(sum[:])), []byte(challenge)) == 1
}

// errRefresh is the error of every refresh token that is refused.
var errRefresh = refuseGrant("The refresh token is not good: the connection has ended, or it was not used for 90 days. Connect the " +
	"assistant again.")

// refresh issues new tokens for a refresh token and replaces it. The previous one stays valid for two minutes, because
// its holder may not have received the response. An older one has leaked, and ends the grant.
func (a *Authorizer) refresh(ctx context.Context, given url.Values) (*tokenResponse, error) {
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
		if g, err = a.findGrant(ctx, sealed.grant); err != nil { // two requests came at once, or the grant has ended meanwhile
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

// checkGrantKey checks the key of a grant at the gateway. A key that can never be used again ends the grant. A suspended
// key may be resumed, and the grant with it.
func (a *Authorizer) checkGrantKey(ctx context.Context, g *grant, key string) error {
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

// endGrantAsService ends a grant with this service as the actor.
func (a *Authorizer) endGrantAsService(ctx context.Context, g *grant, why string) (bool, error) {
	from := requestSourceFrom(ctx)
	p := a.servicePrincipal(g.organization, from.requestID)
	p.Address = from.address
	done, err := a.endGrant(ctx, p, g.id, why)
	if done {
		a.log.InfoContext(ctx, "a connection of an assistant ended", "organization_id", g.organization, "grant_id", g.id, "reason", why)
	}
	return done, err
}

// issueTokens seals the key into new tokens of a grant.
func (a *Authorizer) issueTokens(g *grant, key string) *tokenResponse {
	now := time.Now()
	return &tokenResponse{
		AccessToken: a.sealer.seal(kindAccess, g.grantID(), g.salt, tokenContent{Key: key, Expires: now.Add(accessLifetime).Unix()}),
		TokenType:   "Bearer", ExpiresIn: int(accessLifetime / time.Second), Scope: onlyScope,
		RefreshToken: a.sealer.seal(kindRefresh, g.grantID(), g.salt, tokenContent{
			Key: key, Expires: now.Add(refreshLifetime).Unix(), Generation: g.generation, Client: hashOf(g.clientID),
		}),
	}
}

// assistantForm reads the form of a client: in the body, each parameter once, from a client without a secret.
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
		return nil, &oauthError{http.StatusUnauthorized, "invalid_client", "Clients have no secret here: send no Authorization header, and " +
			"client_id in the body."}
	}
	if strings.TrimSpace(r.PostForm.Get("client_secret")) != "" || r.PostForm.Get("client_assertion") != "" {
		return nil, &oauthError{http.StatusBadRequest, "invalid_client", "Clients have no secret here: send client_id alone."}
	}
	return r.PostForm, nil
}
