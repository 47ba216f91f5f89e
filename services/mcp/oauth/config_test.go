package oauth

import (
	"strings"
	"testing"

	"ams.internal/libs/service"
)

func TestWhatTheConfigurationRefuses(t *testing.T) {
	good := func() map[string]string {
		return map[string]string{
			"AMS_DATABASE_URL": "postgres://ams_mcp:x@127.0.0.1/ams", "AMS_PRINCIPAL_SECRETS": strings.Repeat("p", 32),
			"AMS_BASE_URL": "https://api.example.ca", "AMS_MCP_SECRETS": strings.Repeat("r", 32) + "," + strings.Repeat("o", 32),
		}
	}
	load := func(environment map[string]string) (Config, error) {
		var all []string
		for name, value := range environment {
			all = append(all, name+"="+value)
		}
		return service.Load[Config](all)
	}
	config, err := load(good())
	if err != nil || len(config.Secrets) != 2 || len(config.Redirects) != 6 || config.Redirects[0] != "claude.ai/api/mcp/auth_callback" ||
		config.Issuer() != "https://api.example.ca" {
		t.Fatalf("%+v %v", config, err)
	}
	for name, test := range map[string]struct{ variable, value, says string }{
		"no base URL":               {"AMS_BASE_URL", "", "AMS_BASE_URL is not set"},
		"a base URL with a path":    {"AMS_BASE_URL", "https://example.ca/api", "give scheme and host alone"},
		"a base URL with a query":   {"AMS_BASE_URL", "https://example.ca/?x=1", "give scheme and host alone"},
		"a base URL with a name":    {"AMS_BASE_URL", "https://me@example.ca", "give scheme and host alone"},
		"plain http":                {"AMS_BASE_URL", "http://api.example.ca", "must begin with https://"},
		"plain http to a neighbour": {"AMS_BASE_URL", "http://10.0.0.5:8080", "must begin with https://"},
		"no secrets":                {"AMS_MCP_SECRETS", "", "AMS_MCP_SECRETS is not set"},
		"a short secret":            {"AMS_MCP_SECRETS", strings.Repeat("r", 32) + ",short", "holds a secret of 5 characters"},
		"a host alone":              {"AMS_MCP_REDIRECTS", "claude.ai", "which is no host with a path"},
		"an address with a scheme":  {"AMS_MCP_REDIRECTS", "https://claude.ai/x", "which is no host with a path"},
		"any host":                  {"AMS_MCP_REDIRECTS", "*.claude.ai/x", "which is no host with a path"},
		"any path":                  {"AMS_MCP_REDIRECTS", "claude.ai/*", "which is no host with a path"},
		"a * in the middle":         {"AMS_MCP_REDIRECTS", "claude.ai/*/callback", "which is no host with a path"},
		"a network that is none":    {"AMS_MCP_CLIENT_NETWORKS", "10.0.0.1", "which is no network"},
	} {
		t.Run(name, func(t *testing.T) {
			environment := good()
			environment[test.variable] = test.value
			if _, err := load(environment); err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "short") &&
				test.variable == "AMS_MCP_SECRETS" {
				t.Errorf("%v", err)
			}
		})
	}
	for _, base := range []string{"http://127.0.0.1:8080", "http://localhost:8080/", "http://[::1]:8080"} {
		environment := good()
		environment["AMS_BASE_URL"] = base
		if config, err := load(environment); err != nil || config.Issuer() != strings.TrimSuffix(base, "/") {
			t.Errorf("%s: %v", base, err)
		}
	}
}
