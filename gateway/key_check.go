package main

import (
	"context"
	"net/netip"
	"slices"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
)

// keyCheck is a key that was shown to one of our services, and where.
type keyCheck struct {
	Key     string `json:"key" required:"true" maxLength:"65536"`
	Address string `json:"address" required:"true" maxLength:"50" doc:"Where the request came from; a key that is limited to networks is refused without."`
}

// checkedKey is what our own services are told about a key that may be used.
type checkedKey struct {
	Organization checkedOrganization `json:"organization"`
	Key          checkedIdentity     `json:"key"`
	Features     []string            `json:"features"`
	RateLimit    int                 `json:"rate_limit"`
}

type checkedOrganization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Plan string `json:"plan"`
}

type checkedIdentity struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Scopes    []string `json:"scopes"`
	ExpiresAt string   `json:"expires_at"`
}

// checkKey tells a service of ours about a key that a caller gave it: by the look-up that every request makes, and with the
// refusal that every request would get. It is neither counted against the key's limit nor entered as its use: what the
// service then does with the key is.
func (o *operator) checkKey(ctx context.Context, in keyCheck) (checkedKey, error) {
	p := principal.From(ctx)
	if _, err := enter(ctx, p.OrganizationID, roleService); err != nil {
		return checkedKey{}, err
	}
	client, err := netip.ParseAddr(in.Address)
	if err != nil {
		client = netip.IPv4Unspecified()
	}
	k, refusal := o.gateway.know(ctx, in.Key, client.Unmap().WithZone(""), p.RequestID)
	if refusal != nil {
		return checkedKey{}, refusal
	}
	if !slices.Contains(k.features, catalogue.APIAccess) {
		return checkedKey{}, notInPlan(catalogue.APIAccess, k.plan)
	}
	return checkedKey{
		checkedOrganization{k.organization, k.organizationName, k.plan},
		checkedIdentity{k.id, k.name, k.scopes, timestamp(k.expiresAt)}, k.features, k.rateLimit,
	}, nil
}
