package transport

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddress is the address of the client, for services whose callers have no signed principal: browsers and assistants. The
// gateway, which alone can call such a service, sets X-Forwarded-For and discards a caller's own. Empty where it is unknown.
func ClientAddress(r *http.Request) string {
	if address, err := netip.ParseAddr(strings.TrimSpace(r.Header.Get("X-Forwarded-For"))); err == nil {
		return address.Unmap().String()
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return peer.Addr().Unmap().String()
}

// ClientSource is what the requests and attempts of a client are counted by: its address, or of IPv6 the /64, all of which one
// subscriber has.
func ClientSource(address netip.Addr) string {
	if address = address.Unmap(); !address.Is6() {
		return address.String()
	}
	return netip.PrefixFrom(address, 64).Masked().String()
}
