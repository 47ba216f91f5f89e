package main

import (
	"net/http"
	"net/netip"
	"strings"

	"ams.internal/libs/principal"
)

// callerAddress is where a request came from. The MCP service calls the API on behalf of assistants, and signs where they are:
// a key that is limited to networks is held to the assistant's address, and the trail names it. So does a gateway that hands
// over a request which is pinned to this region.
func (g *gateway) callerAddress(r *http.Request) (client netip.Addr, handed bool) {
	if given := r.Header[principal.Header]; len(given) == 1 {
		p, err := g.signer.Verify(given[0])
		address, unreadable := netip.ParseAddr(p.Address)
		if err == nil && unreadable == nil && p.Actor.Type == "service" {
			return address.Unmap().WithZone(""), p.Actor.ID == gatewayService
		}
	}
	return clientAddress(r.RemoteAddr, r.Header, g.trusted), false
}

// clientAddress is the address of whoever calls. Anybody can write an X-Forwarded-For header, so it is believed only
// as far as trusted proxies wrote it: read from the right, up to the first address that is not one of them.
func clientAddress(remote string, header http.Header, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(remote)
	if err != nil { // a Unix socket, a test
		return netip.IPv4Unspecified()
	}
	address := peer.Addr().Unmap().WithZone("")
	if len(trusted) == 0 || !contains(trusted, address) {
		return address
	}
	hops := strings.Split(strings.Join(header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break // what stands further left passed through somebody who writes nonsense
		}
		address = hop.Unmap().WithZone("")
		if !contains(trusted, address) {
			break
		}
	}
	return address
}

func contains(networks []netip.Prefix, address netip.Addr) bool {
	for _, network := range networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// addressIdentity is what requests without a valid key are counted by. One subscriber has a whole /64 of IPv6.
func addressIdentity(address netip.Addr) string {
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return "address " + network.Addr().String()
		}
	}
	return "address " + address.String()
}
