package edge

import (
	"net/http"
	"strings"

	"ams.internal/libs/domain/catalogue"
)

// route is what the gateway knows about the paths under a prefix.
type route struct {
	prefix  string // the path itself and everything below it
	service string // who serves it, by its name in Consul; empty: the gateway itself
	scope   string // resource whose :read or :write the key needs; empty: any key
	feature string // feature of the plan besides API access; empty: none
	writes  bool   // every method needs the scope for writing
	waits   bool   // a response may be waited for on purpose: a drain of the gateway does not wait for it
	open    bool   // needs no key: the service behind it identifies its callers itself
	bearers bool   // an open one whose callers have keys all the same, or tokens that stand for keys
	// strangers are those who call, by links that are handed out
	strangers bool
	own       own // what the gateway serves itself
}

// own names what the gateway serves itself.
type own string

const (
	ownMe      own = "me"
	ownOpenAPI own = "openapi"
	ownSite    own = "site"
	ownOData   own = "odata"
)

// routes is the whole map of the product: the API as the catalogue has it, what is the gateway's own, and services that
// identify their callers themselves. A service that is not there yet is a 503, and plan and scopes are checked all the same.
var routes = append(apiRoutes(), []*route{
	{prefix: "/v1/me", own: ownMe},

	{prefix: "/mcp", service: "mcp", open: true, bearers: true},
	{prefix: "/oauth", service: "mcp", open: true},
	{prefix: "/.well-known", service: "mcp", open: true},
	{prefix: "/settings", service: "console", open: true},
	{prefix: "/r", service: "requests", open: true, strangers: true},
	{prefix: "/public", service: "requests", open: true, strangers: true},
	{prefix: "/open311", service: "requests", open: true, strangers: true},
	odataOwn,
	{prefix: "/openapi.json", open: true, own: ownOpenAPI},
	{prefix: "/docs", open: true, own: ownSite},
	{prefix: "/", open: true, own: ownSite}, // this path alone: what is below it has two slashes, and no route
}...)

func apiRoutes() []*route {
	var routes []*route
	for _, r := range catalogue.Product().Routes() {
		routes = append(routes,
			&route{prefix: r.Prefix, service: r.Service, scope: r.Scope, feature: r.Feature, writes: r.Writes, waits: r.Waits})
	}
	return routes
}

// Paths that are nobody's. Below /v1 a key is needed first, so that an anonymous caller learns nothing about the paths.
var (
	unknownKeyed = &route{prefix: "/v1"}
	unknownOpen  = &route{prefix: "/", open: true}
)

// known says whether the route leads anywhere.
func (r *route) known() bool { return r.service != "" || r.own != "" }

// gatewayService is what gateways are called in Consul.
const gatewayService = "gateway"

// servedBy is the service behind the route. What gateways serve themselves is handed to one of another region when the
// request is pinned there.
func (r *route) servedBy() string {
	if r.own != "" {
		return gatewayService
	}
	return r.service
}

// keyed says whether the closed vocabulary of the REST API holds for the route.
func (r *route) keyed() bool { return !r.open }

// findRoute gives the route of a clean path, never nil.
func findRoute(path string) *route {
	for _, r := range routes {
		if rest, found := strings.CutPrefix(path, r.prefix); found && (rest == "" || rest[0] == '/') {
			return r
		}
	}
	if path == "/v1" || strings.HasPrefix(path, "/v1/") {
		return unknownKeyed
	}
	return unknownOpen
}

// services lists the services of all routes, each once.
func services() []string {
	var names []string
	seen := map[string]bool{"": true}
	for _, r := range routes {
		if !seen[r.service] {
			seen[r.service] = true
			names = append(names, r.service)
		}
	}
	return names
}

// allowed is what Allow says about the paths of a route; the service behind it knows better and says so itself.
func (r *route) allowed() string {
	if r.service == "" {
		return "GET, HEAD"
	}
	return "GET, HEAD, POST, PUT, PATCH, DELETE"
}

// readsOnly says whether a method changes nothing.
func readsOnly(method string) bool { return method == http.MethodGet || method == http.MethodHead }
