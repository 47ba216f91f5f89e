package edge

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"ams.internal/gateway/edm"
	"ams.internal/gateway/keys"
	"ams.internal/gateway/openapi"
	"ams.internal/gateway/ratelimit"
	"ams.internal/gateway/site"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/transport"
)

// local is what the gateway serves itself.
type local struct {
	region    string
	document  *openapi.Document
	site      *site.Site
	limiter   *ratelimit.Limiter
	upstreams *upstreams
	sets      *edm.Service
}

// paths are those that a caller may have meant: all that the services document, and what the routes begin with.
func (l *local) paths() []string {
	paths := l.document.Paths()
	for _, r := range routes {
		paths = append(paths, r.prefix)
	}
	return paths
}

// respond serves a request whose route is the gateway's own.
func (l *local) respond(c *call) (*http.Response, error) {
	if c.route.own == ownSite {
		response, err := l.site.Respond(c.r)
		if response == nil && err == nil {
			response, err = l.site.NotFound(c.r)
		}
		if response == nil && err == nil {
			err = unknownPath(c)
		}
		return response, err
	}
	if c.route.own == ownOData {
		return l.respondOData(c)
	}
	if c.r.URL.Path != c.route.prefix {
		return nil, unknownPath(c)
	}
	if err := transport.Acceptable(c.r.Header["Accept"], transport.ApplicationJSON); err != nil {
		return nil, err
	}
	if c.route.own == ownOpenAPI {
		return l.document.Respond(c.r)
	}
	return l.me(c.key)
}

// me is the response to GET /v1/me: what the caller needs to know about its own key and where it is.
type me struct {
	Mode         keys.Mode      `json:"mode"`
	Organization meOrganization `json:"organization"`
	Plan         mePlan         `json:"plan"`
	Key          meKey          `json:"key"`
	Limits       keys.Ceilings  `json:"limits"`
	Currency     string         `json:"currency"`
	Regions      []string       `json:"regions"`
	Region       string         `json:"region"`
}

type meOrganization struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Currency string `json:"currency"`
	keys.Settings
	Today      string `json:"today"`
	FiscalYear int    `json:"fiscal_year"` // of today
}

// newMeOrganization describes the organization of a key, on the day that it is there.
func newMeOrganization(k *keys.Key) meOrganization {
	days := k.Settings.Calendar()
	today := days.Today()
	return meOrganization{ID: k.Organization, Name: k.OrganizationName, Currency: k.Currency, Settings: k.Settings,
		Today: today, FiscalYear: days.FiscalYear(today)}
}

type mePlan struct {
	Code         string   `json:"code"`
	Features     []string `json:"features"`
	FeatureNames []string `json:"feature_names"`
}

type meKey struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	Scopes          []string `json:"scopes"`
	RateLimit       int      `json:"rate_limit"`
	RequestsAtOnce  int      `json:"requests_at_once"`
	ExpiresAt       string   `json:"expires_at"`
	AllowedNetworks []string `json:"allowed_networks"`
}

// me responds to GET /v1/me. Any key may call it; all of it comes from the look-up of this very request.
func (l *local) me(k *keys.Key) (*http.Response, error) {
	shown := me{
		Mode:         k.Mode(),
		Organization: newMeOrganization(k),
		Plan:         mePlan{Code: k.Plan, Features: k.Features, FeatureNames: []string{}},
		Key: meKey{ID: k.ID, Name: k.Name, Scopes: k.Scopes, RateLimit: k.RateLimit, RequestsAtOnce: l.limiter.MaxInFlight(),
			ExpiresAt: keys.Timestamp(k.ExpiresAt), AllowedNetworks: []string{}},
		Limits: k.Ceilings, Currency: k.Currency, Regions: l.upstreams.regions(), Region: l.region,
	}
	for _, feature := range k.Features {
		shown.Plan.FeatureNames = append(shown.Plan.FeatureNames, catalogue.Product().FeatureName(feature))
	}
	for _, network := range k.Networks {
		shown.Key.AllowedNetworks = append(shown.Key.AllowedNetworks, network.String())
	}
	body, err := json.Marshal(shown)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"private, no-cache"}, "X-Content-Type-Options": {"nosniff"}},
	}, nil
}
