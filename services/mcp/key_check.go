package mcp

import (
	"context"
	"errors"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// checkTimeout limits the key check at the gateway, whose own look-up has a shorter timeout.
const checkTimeout = 3 * time.Second

// checkedKey is the gateway's response for a key that may be used.
type checkedKey struct {
	Organization struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Plan string `json:"plan"`
	} `json:"organization"`
	Key struct {
		ID        string   `json:"id"`
		Name      string   `json:"name"`
		Scopes    []string `json:"scopes"`
		ExpiresAt string   `json:"expires_at"`
	} `json:"key"`
	Features []string `json:"features"`
}

// keyCheck is the question about a key, for a caller at an address.
type keyCheck struct {
	Key      string `json:"key"`
	Address  string `json:"address"`
	Requests int    `json:"requests,omitempty"` // to be counted against the key's limit
}

// checkKey checks a key at the gateway, for a caller at this address. A key that may not be used returns the error that
// the REST API would return. A gateway that does not respond is a 503, which says nothing about the key.
func (a *authorizer) checkKey(ctx context.Context, key, address, requestID string) (checkedKey, error) {
	return a.askGateway(ctx, keyCheck{Key: key, Address: address}, requestID)
}

func (a *authorizer) askGateway(ctx context.Context, question keyCheck, requestID string) (checkedKey, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var found checkedKey
	err := a.services.Ask(principal.Into(ctx, a.servicePrincipal("", requestID)), "gateway-internal", "/internal/keys/check", question, &found)
	var refusal *fault.Error
	switch {
	case err == nil:
		return found, nil
	case errors.As(err, &refusal) && refusal.Kind != fault.KindInternal && refusal.Kind != fault.KindUnavailable &&
		refusal.Kind != fault.KindInvalid:
		return found, refusal
	}
	return found, fault.Unavailable("key_unconfirmed",
		"The key could not be confirmed right now. It may be fine: try again in a second.").WithCause(err)
}

// servicePrincipal is this service as the actor, in one organization, or in none while it is unknown.
func (a *authorizer) servicePrincipal(organization, requestID string) principal.Principal {
	if organization == "" {
		organization = noOrganization
	}
	return principal.Principal{
		OrganizationID: organization, Actor: principal.Actor{Type: "service", ID: "mcp", Name: "AI assistants"},
		Region: pinnedRegion, Pinned: true, RequestID: requestID, Origin: "mcp",
	}
}

// noOrganization is the organization id of a call without an organization.
const noOrganization = "00000000-0000-0000-0000-000000000000"
