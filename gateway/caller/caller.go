// Package caller determines the address and the request id of a caller before authentication, for both listeners of the gateway.
package caller

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ams.internal/gateway/keys"
	"ams.internal/libs/transport"
)

// Address is the address of whoever calls. Anybody can write an X-Forwarded-For header, so it is believed only
// as far as trusted proxies wrote it: read from the right, up to the first address that is not one of them.
func Address(remote string, header http.Header, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(remote)
	if err != nil { // a Unix socket, a test
		return netip.IPv4Unspecified()
	}
	address := peer.Addr().Unmap().WithZone("")
	if len(trusted) == 0 || !contains(trusted, address) {
		return address
	}
	hops := strings.Split(strings.Join(header["X-Forwarded-For"], ","), ",")
	for _, text := range slices.Backward(hops) {
		hop, err := netip.ParseAddr(strings.TrimSpace(text))
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

// Identity is what requests from an address are counted by.
func Identity(address netip.Addr) string { return "address " + transport.ClientSource(address) }

func contains(networks []netip.Prefix, address netip.Addr) bool {
	for _, network := range networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// RequestID is the caller's id of the request where that is valid, else a new one.
func RequestID(header http.Header) string {
	if given := header["X-Request-Id"]; len(given) == 1 && ValidRequestID(given[0]) {
		return given[0]
	}
	return uuid.Must(uuid.NewV7()).String()
}

// ValidRequestID says whether an id is a token that may stand in logs and headers.
func ValidRequestID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if digit := '0' <= c && c <= '9'; !letter && !digit && c != '-' && c != '_' && c != '.' && c != ':' {
			return false
		}
	}
	return keys.Redact(id) == id
}
