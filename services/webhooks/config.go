package main

import (
	"net/netip"
	"strings"

	"ams.internal/libs/service"
)

// config is what this service is configured by, besides what every service is.
type config struct {
	service.Config
	Secrets       []string `env:"AMS_WEBHOOK_SECRETS" secret:"true" required:"true" each:"32" doc:"Root keys that seal the secrets of webhook endpoints in the database, separated by commas. The first seals, all of them open. The same for every instance; what was sealed with one that is lost cannot be opened again."`
	AllowPrefixes []string `env:"AMS_WEBHOOK_ALLOW_PREFIXES" example:"10.20.30.0/24" doc:"Networks that webhooks may call although they are not public, also by plain http and on any port; separated by commas. Without it: the public internet only."`
}

// Check implements service.Checked.
func (c config) Check() []service.Problem {
	problems := c.Config.Check()
	if _, err := c.allowed(); err != nil {
		problems = append(problems, service.Problem{Variable: "AMS_WEBHOOK_ALLOW_PREFIXES",
			Message: "cannot be read: give networks such as 10.20.30.0/24, separated by commas"})
	}
	return problems
}

func (c config) allowed() ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, text := range c.AllowPrefixes {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes, nil
}
