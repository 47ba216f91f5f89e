package oauth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"ams.internal/libs/apikey"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// RequireBearer passes a request on that has an API key or an access token, with the caller in its context. The gateway
// checks the key for every request, so a revoked key is refused at once. A key that cannot be checked gets 503 and never
// 401, because assistants discard what gets a 401.
func (a *Authorizer) RequireBearer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(telemetry.WithRequestID(r.Context(), r.Header.Get("X-Request-Id")))
		c, err := a.authenticate(r)
		if err != nil {
			a.refuse(w, r, err)
			return
		}
		r = r.WithContext(withCaller(r.Context(), c))
		next.ServeHTTP(w, r)
		if telemetry.IsRecorded(w) {
			telemetry.AddPrincipal(w, principal.From(r.Context()))
		}
	})
}

func (a *Authorizer) authenticate(r *http.Request) (Caller, error) {
	c := Caller{Address: transport.ClientAddress(r), RequestID: r.Header.Get("X-Request-Id")}
	value, err := bearer(r.Header["Authorization"])
	if err != nil {
		return c, err
	}
	if c.Key = value; !apikey.Is(value) {
		if err := a.unseal(r.Context(), value, &c); err != nil {
			return c, err
		}
	}
	checked, err := a.checkKey(r.Context(), c.Key, c.Address, c.RequestID)
	if err != nil {
		return c, err
	}
	if c.GrantID != "" {
		if checked.Organization.ID != c.OrganizationID { // a key never moves to another organization
			return c, unauthenticated("token_unknown", "This access token is not known.")
		}
		a.lastUses.record(c.OrganizationID, c.GrantID, time.Now())
	}
	c.KeyID, c.KeyName = checked.Key.ID, checked.Key.Name
	c.OrganizationID, c.OrganizationName, c.Plan = checked.Organization.ID, checked.Organization.Name, checked.Organization.Plan
	c.Scopes, c.Features = checked.Key.Scopes, checked.Features
	return c, nil
}

// unseal reads the key from an access token.
func (a *Authorizer) unseal(ctx context.Context, token string, c *Caller) error {
	refusal := unauthenticated("token_unknown", "This is neither an API key nor an access token that is good here: it ended, or is not "+
		"from here. Connect the assistant again.")
	sealed, found := parseEnvelope(kindAccess, token)
	if !found {
		return refusal
	}
	g, err := a.findGrant(ctx, sealed.grant)
	if err != nil {
		return fault.Unavailable("token_unconfirmed", "The access token could not be confirmed right now. It may be fine: try again in a "+
			"second.").WithCause(err)
	}
	var content tokenContent
	if g == nil || !a.sealer.open(sealed, g.salt, &content) {
		return refusal
	}
	if time.Now().Unix() >= content.Expires {
		return unauthenticated("token_expired", "This access token is more than 24 hours old: ask for a new one with the refresh token.")
	}
	c.Key, c.GrantID, c.OrganizationID, c.ReadOnly = content.Key, g.id, g.organization, g.readOnly
	return nil
}

// bearer returns the value of the one Authorization header.
func bearer(headers []string) (string, error) {
	switch len(headers) {
	case 0:
		return "", unauthenticated("key_missing", "Send an API key with each request: Authorization: Bearer <API key>. Or connect with OAuth: "+
			"the WWW-Authenticate header says where.")
	case 1:
	default:
		return "", unauthenticated("key_malformed", "Send one Authorization header, not %d.", len(headers))
	}
	scheme, value, _ := strings.Cut(headers[0], " ")
	value = strings.TrimSpace(value)
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return "", unauthenticated("key_missing", "The Authorization header must be of the form: Bearer <API key or access token>.")
	}
	return value, nil
}

func unauthenticated(code, format string, args ...any) *fault.Error {
	return fault.New(fault.KindUnauthenticated, code, format, args...)
}

// refuse writes the error of a request that is not authorized. A 401 names the document that describes authorization.
func (a *Authorizer) refuse(w http.ResponseWriter, r *http.Request, err error) {
	e := *fault.From(err)
	e.Request = r.Header.Get("X-Request-Id")
	if e.Status() >= http.StatusInternalServerError && r.Context().Err() == nil {
		a.log.WarnContext(r.Context(), "a caller could not be let in", "error", e.Error())
	}
	if e.Kind == fault.KindUnauthenticated {
		challenge := `Bearer resource_metadata="` + a.issuer + protectedResourcePath + `/mcp"`
		if e.Code != "key_missing" {
			challenge += `, error="invalid_token", error_description="` + strings.NewReplacer(`"`, `'`, `\`, ``).Replace(e.Message) + `"`
		}
		e.Header = http.Header{"Www-Authenticate": {challenge}}
	}
	transport.WriteFault(w, r.Header["Accept"], &e)
}
