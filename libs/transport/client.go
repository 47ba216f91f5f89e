package transport

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddress is where a request came from, for services whose callers have no signed principal: browsers and assistants. The
// gateway, which alone reaches such a service, writes it, and lets nobody else's word for it through. Empty where it is not known.
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
