package accounts

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/domain/catalogue"
	contract "ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// keyChecks is the check of keys for our own services.
type keyChecks struct {
	lookup  *keys.Lookup
	limiter *ratelimit.Limiter
}

func (c *keyChecks) mount(api *transport.API) {
	transport.Internal(api, contract.CheckKey, c.checkKey)
}

// checkKey gives a service of ours what a key may do that a caller gave it: by the look-up that every request makes, and with the
// refusal that every request would get. It is neither counted against a limit nor recorded as its use: what the
// service then does with the key is. Requests that came in one with others are counted here.
func (c *keyChecks) checkKey(ctx context.Context, in contract.KeyCheck) (contract.CheckedKey, error) {
	p := principal.From(ctx)
	if _, err := authorize(ctx, p.OrganizationID, roleService); err != nil {
		return contract.CheckedKey{}, err
	}
	client, err := netip.ParseAddr(in.Address)
	if err != nil {
		client = netip.IPv4Unspecified()
	}
	k, refusal := c.lookup.Identify(ctx, in.Key, client.Unmap().WithZone(""), p.RequestID)
	if refusal != nil {
		return contract.CheckedKey{}, refusal
	}
	if !slices.Contains(k.Features, catalogue.APIAccess) {
		return contract.CheckedKey{}, keys.NotInPlan(catalogue.APIAccess, k.Plan)
	}
	if err := c.count(ctx, k, in.Requests); err != nil {
		return contract.CheckedKey{}, err
	}
	return contract.CheckedKey{
		Organization: contract.CheckedOrganization{ID: k.Organization, Name: k.OrganizationName, Plan: k.Plan},
		Key:          contract.CheckedIdentity{ID: k.ID, Name: k.Name, Scopes: k.Scopes, ExpiresAt: keys.Timestamp(k.ExpiresAt)},
		Features:     k.Features, RateLimit: k.RateLimit,
	}, nil
}

// count counts requests against the limits of a key and its organization, and refuses what is over one as any request is. They are
// counted side by side, so that they share a round trip.
func (c *keyChecks) count(ctx context.Context, k *keys.Key, requests int) error {
	refusals := make([]*fault.Error, requests)
	var counting sync.WaitGroup
	for i := range refusals {
		counting.Go(func() {
			if window, decision := c.limiter.Charge(ctx, k); decision != ratelimit.Admitted {
				refusals[i] = c.limiter.Refusal(k, window, decision)
			}
		})
	}
	counting.Wait()
	for _, refusal := range refusals {
		if refusal != nil {
			return refusal
		}
	}
	return nil
}
