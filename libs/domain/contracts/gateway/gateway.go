// Package gateway is what the gateway's internal listener does for our own services: the contracts of its internal operations. What it does
// for the operator besides is in gateway/accounts; which organizations there are, services learn by libs/reference.
package gateway

import (
	"encoding/json"

	"ams.internal/libs/reference"
)

const owner = "gateway-internal"

var (
	// CheckKey gives what a key may do that a caller gave a service, with the refusal that any request with it would get. It is neither
	// counted against a limit nor recorded as a use of the key, but for Requests: counted twice, they are refused early at the worst.
	CheckKey = reference.Contract[KeyCheck, CheckedKey]{Owner: owner, Path: "/keys/check", Repeatable: true}

	// TakePlace takes a place for a page of the settings screens, among those of the organization for requests in progress. The place is had
	// until the caller hangs up.
	TakePlace = reference.Contract[PlaceRequest, struct{}]{Owner: owner, Path: "/places", Repeatable: true}
)

// DeactivateKeys makes the keys of a user inactive who is being suspended or removed, and says which.
func DeactivateKeys(organization, user string) reference.Contract[struct{}, json.RawMessage] {
	return reference.Contract[struct{}, json.RawMessage]{Owner: owner,
		Path: "/organizations/" + organization + "/users/" + user + "/deactivate-keys"}
}

// KeyCheck is a key that was shown to one of our services, and where.
type KeyCheck struct {
	Key     string `json:"key" required:"true" maxLength:"65536"`
	Address string `json:"address" required:"true" maxLength:"50" doc:"Of the request; a key that is limited to networks is refused without."`
	// Requests are those that the service was sent in one and that the gateway has not counted yet.
	Requests int `json:"requests,omitempty" default:"0" minimum:"0" maximum:"100" doc:"To count against the limits of key and organization."`
}

// CheckedKey is a key that may be used.
type CheckedKey struct {
	Organization CheckedOrganization `json:"organization"`
	Key          CheckedIdentity     `json:"key"`
	Features     []string            `json:"features"`
	RateLimit    int                 `json:"rate_limit"`
}

// CheckedOrganization is the organization of a key.
type CheckedOrganization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Plan string `json:"plan"`
}

// CheckedIdentity is what a key is known by, and what it may do.
type CheckedIdentity struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Scopes    []string `json:"scopes"`
	ExpiresAt string   `json:"expires_at"`
}

// PlaceRequest says what a place is for.
type PlaceRequest struct {
	Stream bool `json:"stream" doc:"The page is a whole collection."`
}
