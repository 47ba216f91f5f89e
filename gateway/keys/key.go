// Package keys defines API keys for both listeners of the gateway: the key's value, its store, its look-up, and the scopes and
// features that it may have.
package keys

import (
	"net/netip"
	"time"

	"ams.internal/libs/principal"
)

// Key is all that is known about a key at the moment when it was looked up.
type Key struct {
	ID, Name         string
	Organization     string // id
	OrganizationName string
	Cell             string // of the organization
	Currency         string
	Plan             string
	Features         []string
	Scopes           []string
	State            string // active, inactive, expired or revoked
	RateLimit        int
	Networks         []netip.Prefix // empty: from anywhere
	ExpiresAt        time.Time
	Ceilings         Ceilings // of the organization
	Settings         Settings // of the organization; of a sandbox, those of its live organization, as plan and features
	Emptying         bool     // the key's sandbox is being emptied
	Suspended        bool     // the operator has suspended the organization
}

// Ceilings are what an organization may do at most, over all its keys and all gateways.
type Ceilings struct {
	RequestsPerMinute int `json:"requests_per_minute"`
	RequestsInFlight  int `json:"requests_in_flight"` // streams and long polls among them
	Streams           int `json:"streams"`
	LongPolls         int `json:"long_polls"`
	ActiveKeys        int `json:"active_keys"`

	StorageBytes int64 `json:"storage_bytes"` // of documents, as their contents are counted
}

// Mode says whether the key is for the records of an organization or for those of its sandbox.
func (k *Key) Mode() Mode { return ModeOf(k.Organization) }

// Actor is the key as the author of what is done with it.
func (k *Key) Actor() principal.Actor {
	return principal.Actor{Type: "api_key", ID: k.ID, Name: k.Name}
}

// Timestamp is how the gateway writes times for people and in JSON.
func Timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }
