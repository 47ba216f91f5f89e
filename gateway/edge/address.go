package edge

import (
	"net/http"
	"net/netip"

	"ams.internal/gateway/caller"
	"ams.internal/libs/principal"
)

// addresses finds out where requests come from.
type addresses struct {
	signer  *principal.Signer
	trusted []netip.Prefix
}

// of is where a request came from. The MCP service calls the API on behalf of assistants, and signs where they are:
// a key that is limited to networks is held to the assistant's address, and the trail names it. So does a gateway that hands
// over a request which is pinned to this region.
func (a addresses) of(r *http.Request) (client netip.Addr, handed bool) {
	if given := r.Header[principal.Header]; len(given) == 1 {
		p, err := a.signer.Verify(given[0])
		address, unreadable := netip.ParseAddr(p.Address)
		if err == nil && unreadable == nil && p.Actor.Type == "service" {
			return address.Unmap().WithZone(""), p.Actor.ID == gatewayService
		}
	}
	return caller.Address(r.RemoteAddr, r.Header, a.trusted), false
}
