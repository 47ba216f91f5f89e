package oauth

import (
	"context"
	"errors"
	"net/http"
	"time"

	"ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// Region is the region that processes every request of an assistant. The data is stored there.
const Region = "ca-central-1"

// checkTimeout limits the key check at the gateway, whose own look-up has a shorter timeout.
const checkTimeout = 3 * time.Second

// checkKey checks a key at the gateway, for a caller at this address. A key that may not be used returns the error that
// the REST API would return. A gateway that does not respond is a 503, which says nothing about the key.
func (a *Authorizer) checkKey(ctx context.Context, key, address, requestID string) (gateway.CheckedKey, error) {
	return a.callGateway(ctx, gateway.KeyCheck{Key: key, Address: address}, requestID)
}

func (a *Authorizer) callGateway(ctx context.Context, question gateway.KeyCheck, requestID string) (gateway.CheckedKey, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	found, err := gateway.CheckKey.Call(principal.Into(ctx, a.servicePrincipal("", requestID)), a.services, question)
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

// CountRequests counts requests of the caller against the key's limit. It writes the error where that fails.
func (a *Authorizer) CountRequests(w http.ResponseWriter, r *http.Request, requests int) (counted bool) {
	c := CallerFrom(r.Context())
	_, err := a.callGateway(r.Context(), gateway.KeyCheck{Key: c.Key, Address: c.Address, Requests: requests}, c.RequestID)
	if err != nil {
		a.refuse(w, r, err)
	}
	return err == nil
}

// servicePrincipal is this service as the actor, in one organization, or in none while it is unknown.
func (a *Authorizer) servicePrincipal(organization, requestID string) principal.Principal {
	if organization == "" {
		organization = noOrganization
	}
	return principal.Principal{
		OrganizationID: organization, Actor: principal.Actor{Type: "service", ID: "mcp", Name: "AI assistants"},
		Region: Region, Pinned: true, RequestID: requestID, Origin: "mcp",
	}
}

// noOrganization is the organization id of a call without an organization.
const noOrganization = "00000000-0000-0000-0000-000000000000"
