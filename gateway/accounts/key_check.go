package accounts

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// keyCheck is a key that was shown to one of our services, and where.
type keyCheck struct {
	Key     string `json:"key" required:"true" maxLength:"65536"`
	Address string `json:"address" required:"true" maxLength:"50" doc:"Where the request came from; a key that is limited to networks is refused without."`
	// Requests are those that the service was sent in one and that the gateway has not counted yet.
	Requests int `json:"requests" default:"0" minimum:"0" maximum:"100" doc:"Requests to count against the limits of the key and its organization."`
}

// checkedKey is what our own services get about a key that may be used.
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

// keyChecks is the check of keys for our own services.
type keyChecks struct {
	lookup  *keys.Lookup
	limiter *ratelimit.Limiter
}

func (c *keyChecks) mount(api *transport.API) {
	transport.Internal(api, "/keys/check", c.checkKey)
}

// checkKey gives a service of ours what a key may do that a caller gave it: by the look-up that every request makes, and with the
// refusal that every request would get. It is neither counted against a limit nor recorded as its use: what the
// service then does with the key is. Requests that came in one with others are counted here.
func (c *keyChecks) checkKey(ctx context.Context, in keyCheck) (checkedKey, error) {
	p := principal.From(ctx)
	if _, err := authorize(ctx, p.OrganizationID, roleService); err != nil {
		return checkedKey{}, err
	}
	client, err := netip.ParseAddr(in.Address)
	if err != nil {
		client = netip.IPv4Unspecified()
	}
	k, refusal := c.lookup.Identify(ctx, in.Key, client.Unmap().WithZone(""), p.RequestID)
	if refusal != nil {
		return checkedKey{}, refusal
	}
	if !slices.Contains(k.Features, catalogue.APIAccess) {
		return checkedKey{}, keys.NotInPlan(catalogue.APIAccess, k.Plan)
	}
	if err := c.count(ctx, k, in.Requests); err != nil {
		return checkedKey{}, err
	}
	return checkedKey{
		checkedOrganization{k.Organization, k.OrganizationName, k.Plan},
		checkedIdentity{k.ID, k.Name, k.Scopes, keys.Timestamp(k.ExpiresAt)}, k.Features, k.RateLimit,
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
