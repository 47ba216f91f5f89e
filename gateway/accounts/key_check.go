package accounts

import (
	"context"
	"net/netip"
	"slices"

	"ams.internal/gateway/keys"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// keyCheck is a key that was shown to one of our services, and where.
type keyCheck struct {
	Key     string `json:"key" required:"true" maxLength:"65536"`
	Address string `json:"address" required:"true" maxLength:"50" doc:"Where the request came from; a key that is limited to networks is refused without."`
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
type keyChecks struct{ lookup *keys.Lookup }

func (c *keyChecks) mount(api *transport.API) {
	transport.Internal(api, "/keys/check", c.checkKey)
}

// checkKey gives a service of ours what a key may do that a caller gave it: by the look-up that every request makes, and with the
// refusal that every request would get. It is neither counted against the key's limit nor recorded as its use: what the
// service then does with the key is.
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
	return checkedKey{
		checkedOrganization{k.Organization, k.OrganizationName, k.Plan},
		checkedIdentity{k.ID, k.Name, k.Scopes, keys.Timestamp(k.ExpiresAt)}, k.Features, k.RateLimit,
	}, nil
}
