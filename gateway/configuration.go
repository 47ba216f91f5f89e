package gateway

import (
	"net/netip"
	"strings"
	"time"

	"ams.internal/gateway/accounts"
	"ams.internal/gateway/edge"
	"ams.internal/libs/service"
)

// Config is the gateway's configuration: environment variables, each with a safe default or a refusal at start.
type Config struct {
	service.Config

	AdminListen    string        `env:"AMS_OPERATOR_LISTEN" envDefault:"127.0.0.1:0" format:"address" doc:"Where the internal listener for organizations and keys listens, as host:port. Never public."`
	AdminToken     string        `env:"AMS_OPERATOR_TOKEN" secret:"true" doc:"What the platform's operator sends to the internal listener, 16 characters at least. Without it nobody is the operator."`
	BaseURL        string        `env:"AMS_BASE_URL" format:"url" example:"https://api.example.ca" doc:"Public URL of the API, as people see it. Without it: http:// and the public listener."`
	Downloads      string        `env:"AMS_DOWNLOADS" example:"/downloads" doc:"Folder of the packages that /docs/downloads offers: what make downloads writes. Without it: the page has what is made of the API's description alone."`
	RedisAddr      string        `env:"AMS_REDIS_ADDR" envDefault:"127.0.0.1:6379" secret:"true" doc:"Redis as host:port, several with commas for a cluster, or as redis:// URL."`
	RedisTimeout   time.Duration `env:"AMS_REDIS_TIMEOUT" envDefault:"50ms" minimum:"1ms" maximum:"10s" doc:"How long a request waits for Redis, at least, before this gateway counts by itself: longer while Redis is slow, up to 500ms."`
	AddressLimit   int           `env:"AMS_ADDRESS_LIMIT" envDefault:"1000" minimum:"1" maximum:"1000000" doc:"Requests a minute that are counted for one address without a valid key."`
	KeyInFlight    int           `env:"AMS_KEY_IN_FLIGHT" envDefault:"20" minimum:"1" maximum:"100000" doc:"Requests of one key in progress at once, on each gateway."`
	MaxBody        int64         `env:"AMS_MAX_BODY" envDefault:"10485760" minimum:"1024" maximum:"1073741824" doc:"The largest body that is accepted, in bytes."`
	Origins        []string      `env:"AMS_CORS_ORIGINS" example:"https://maps.example.ca" doc:"Origins whose pages may call the API from a browser, separated by commas; * for all. Without it: none."`
	TrustedProxies []string      `env:"AMS_TRUSTED_PROXIES" example:"10.0.0.0/8" doc:"Networks of the proxies whose X-Forwarded-For is believed, separated by commas. Without it: nobody's."`
	Regions        []string      `env:"AMS_REGIONS" envDefault:"ca-central-1" doc:"Regions that callers may pin even while Consul does not know them, separated by commas."`
}

// Check implements service.Checked.
func (c Config) Check() []service.Problem {
	problems := c.Config.Check()
	if c.AdminToken != "" && len(c.AdminToken) < 16 {
		problems = append(problems, service.Problem{Variable: "AMS_OPERATOR_TOKEN", Message: "needs 16 characters at least"})
	}
	for _, text := range c.TrustedProxies {
		if _, err := netip.ParsePrefix(strings.TrimSpace(text)); err != nil {
			problems = append(problems, service.Problem{Variable: "AMS_TRUSTED_PROXIES",
				Message: "holds " + text + ", which is no network: give one such as 10.0.0.0/8"})
		}
	}
	return problems
}

// trustedProxies are the networks that Check has seen.
func (c Config) trustedProxies() []netip.Prefix {
	var networks []netip.Prefix
	for _, text := range c.TrustedProxies {
		if network, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
			networks = append(networks, network)
		}
	}
	return networks
}

// edge is the configuration of the public listener.
func (c Config) edge() edge.Config {
	return edge.Config{
		BaseURL: c.BaseURL, Regions: c.Regions, AddressLimit: c.AddressLimit, MaxBody: c.MaxBody, Origins: c.Origins,
		TrustedProxies: c.trustedProxies(),
	}
}

// accounts is the configuration of the internal listener.
func (c Config) accounts() accounts.Config {
	return accounts.Config{AdminToken: c.AdminToken, BaseURL: c.BaseURL, TrustedProxies: c.trustedProxies()}
}
