package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"ams.internal/libs/domain/catalogue"
)

// me is what GET /v1/me answers: what the caller needs to know about its own key and where it is.
type me struct {
	Organization meOrganization `json:"organization"`
	Plan         mePlan         `json:"plan"`
	Key          meKey          `json:"key"`
	Currency     string         `json:"currency"`
	Regions      []string       `json:"regions"`
	Region       string         `json:"region"`
}

type meOrganization struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Currency string `json:"currency"`
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

// me answers GET /v1/me. Any key may ask; it comes from the look-up of this very request.
func (g *gateway) me(c *call) (*http.Response, error) {
	k := c.key
	answer := me{
		Organization: meOrganization{ID: k.organization, Name: k.organizationName, Currency: k.currency},
		Plan:         mePlan{Code: k.plan, Features: k.features, FeatureNames: []string{}},
		Key: meKey{ID: k.id, Name: k.name, Scopes: k.scopes, RateLimit: k.rateLimit, RequestsAtOnce: g.limiter.inFlight,
			ExpiresAt: timestamp(k.expiresAt), AllowedNetworks: []string{}},
		Currency: k.currency, Regions: g.fleet.regions(), Region: g.config.Region,
	}
	for _, feature := range k.features {
		answer.Plan.FeatureNames = append(answer.Plan.FeatureNames, catalogue.Product().FeatureName(feature))
	}
	for _, network := range k.networks {
		answer.Key.AllowedNetworks = append(answer.Key.AllowedNetworks, network.String())
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return own200("application/json", "private, no-cache", body), nil
}

// answer gives what the gateway itself knows.
func (g *gateway) answer(c *call) (*http.Response, error) {
	switch c.route.own {
	case ownMe:
		if c.r.URL.Path != c.route.prefix {
			return nil, unknownPath(c)
		}
		return g.me(c)
	case ownOpenAPI:
		if c.r.URL.Path != c.route.prefix {
			return nil, unknownPath(c)
		}
		return g.document.answer(c)
	default:
		return g.docs(c)
	}
}

func own200(contentType, caching string, body []byte) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Content-Type": {contentType}, "Cache-Control": {caching}, "X-Content-Type-Options": {"nosniff"}},
	}
}
