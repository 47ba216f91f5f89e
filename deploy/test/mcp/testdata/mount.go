package mcp

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/services/mcp/oauth"
)

// mountFixture puts the tools, prompts and resources of the conformance suite into the server of callers who may do
// everything, next to our own. All else is the product: the listener, the checks of host, origin and method, the middleware.
func (s *server) mountFixture() {
	everything := profileOf(caller{Caller: oauth.Caller{Scopes: []string{"*:*"}, Features: []string{"api_access", "los", "infrastructure",
		"projects", "maintenance", "planning", "accounting"}}})
	made := s.build(everything)
	registerTools(made)
	registerResources(made)
	registerPrompts(made)
	s.profiles.servers = map[profile]*mcp.Server{everything: made}
}
