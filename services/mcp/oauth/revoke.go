package oauth

import (
	"context"
	"net/http"
	"net/url"

	"ams.internal/libs/apikey"
)

// revoke ends a connection at the request of its assistant (RFC 7009), which sends any of its tokens. An unknown token
// is no error, because it is invalid already.
func (a *Authorizer) revoke(w http.ResponseWriter, r *http.Request) {
	given, err := assistantForm(w, r)
	if err == nil {
		err = a.revokeToken(r.Context(), given)
	}
	a.respondOAuth(w, r, http.StatusOK, struct{}{}, err)
}

func (a *Authorizer) revokeToken(ctx context.Context, given url.Values) error {
	token := given.Get("token")
	switch {
	case token == "":
		return refuseRequest("The parameter token is missing.")
	case apikey.Is(token):
		return &oauthError{http.StatusBadRequest, "unsupported_token_type", "This is an API key: an Administrator revokes it on the settings " +
			"screen."}
	}
	for _, k := range []kind{kindAccess, kindRefresh} {
		sealed, found := parseEnvelope(k, token)
		if !found {
			continue
		}
		g, err := a.findGrant(ctx, sealed.grant)
		if err != nil {
			return err
		}
		var content tokenContent
		if g == nil || !a.sealer.open(sealed, g.salt, &content) {
			return nil
		}
		if id := given.Get("client_id"); id != "" && id != g.clientID {
			return &oauthError{http.StatusBadRequest, "invalid_client", "The token was given to another client."}
		}
		_, err = a.endGrant(ctx, a.keyPrincipal(ctx, g), g.id, "revoked_by_assistant")
		return err
	}
	return nil
}
