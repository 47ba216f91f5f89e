package oauth

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"ams.internal/libs/service"
)

// Config is the configuration of the MCP service. All that it has beyond that of any service is about authorization.
type Config struct {
	service.Config

	BaseURL        string   `env:"AMS_BASE_URL" format:"url" required:"true" example:"https://api.example.ca" doc:"Public URL of the API, as callers see it, without a path. The MCP endpoint is /mcp below it; access tokens are good for that address alone."`
	Secrets        []string `env:"AMS_MCP_SECRETS" secret:"true" required:"true" each:"32" doc:"Root secrets under which tokens are sealed, separated by commas. The first seals, all open: put a new one first, and take the old one away after 90 days."`
	Redirects      []string `env:"AMS_MCP_REDIRECTS" envDefault:"claude.ai/api/mcp/auth_callback,claude.com/api/mcp/auth_callback,chatgpt.com/connector_platform_oauth_redirect,chatgpt.com/connector/oauth/*,vscode.dev/redirect,insiders.vscode.dev/redirect" doc:"Addresses of assistants that access may be sent to over https, separated by commas: host and whole path, with a port where it is not 443; a last part of * is any one. This machine's own programs and Cursor need no entry."`
	ClientNetworks []string `env:"AMS_MCP_CLIENT_NETWORKS" example:"10.20.0.0/16" doc:"Private networks from which the descriptions of assistants may be fetched, separated by commas. Without it: public addresses only."`
}

// Check implements service.Checked.
func (c Config) Check() []service.Problem {
	problems := c.Config.Check()
	refuse := func(variable, format string, args ...any) {
		problems = append(problems, service.Problem{Variable: variable, Message: fmt.Sprintf(format, args...)})
	}
	switch base, err := url.Parse(c.BaseURL); {
	case err != nil || base.Host == "" || base.User != nil || strings.Trim(base.Path, "/") != "" || base.RawQuery != "" || base.Fragment != "":
		refuse("AMS_BASE_URL", "is %q: give scheme and host alone, such as https://api.example.ca", c.BaseURL)
	case base.Scheme != "https" && !IsLoopback(base.Hostname()):
		refuse("AMS_BASE_URL", "is %q: keys are pasted and tokens are sent there, so it must begin with https:// unless it is this machine "+
			"itself", c.BaseURL)
	}
	for _, given := range c.Redirects {
		address, err := url.Parse("https://" + strings.TrimSuffix(given, "/*"))
		if err != nil || address.Host == "" || strings.Trim(address.Path, "/") == "" || address.RawQuery != "" || address.Fragment != "" ||
			address.User != nil || strings.Contains(given, "://") || strings.ContainsAny(address.Host+address.Path, "* ") {
			refuse("AMS_MCP_REDIRECTS", "holds %q, which is no host with a path: give addresses such as claude.ai/api/mcp/auth_callback", given)
		}
	}
	for _, network := range c.ClientNetworks {
		if _, err := netip.ParsePrefix(network); err != nil {
			refuse("AMS_MCP_CLIENT_NETWORKS", "holds %q, which is no network: give one such as 10.20.0.0/16", network)
		}
	}
	return problems
}

// clientNetworks are the networks of the configuration, which Check has validated.
func (c Config) clientNetworks() []netip.Prefix {
	var networks []netip.Prefix
	for _, text := range c.ClientNetworks {
		if network, err := netip.ParsePrefix(text); err == nil {
			networks = append(networks, network)
		}
	}
	return networks
}

// Issuer is the base URL without a slash at its end, as in tokens and metadata.
func (c Config) Issuer() string { return strings.TrimRight(c.BaseURL, "/") }

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	address := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || address != nil && address.IsLoopback()
}

// encoded writes bytes as in tokens, codes and client ids.
func encoded(bytes []byte) string { return base64.RawURLEncoding.EncodeToString(bytes) }

// decoded reads what encoded wrote. It accepts one spelling only: a second spelling of a code would be a second code.
func decoded(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") { // the decoder would ignore them
		return nil, errors.New("it has line breaks")
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}
