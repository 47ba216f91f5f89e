package users

import (
	"context"

	"golang.org/x/sync/errgroup"

	contract "ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// deactivateKeys makes the gateway deactivate the API keys of users who are being suspended or removed. It runs before the commit.
// While the gateway is unavailable nothing is written (503). Should the commit fail, keys are inactive that an Administrator can
// resume, which is the safe side.
func (p people) deactivateKeys(ctx context.Context, changes []*resource.Change[User]) error {
	caller := principal.From(ctx)
	// The caller may be an API key, which may not call the gateway's internal listener; this service may.
	caller.Actor = principal.Actor{Type: "service", ID: "users", Name: "users service, for " + caller.Actor.Name}
	calls, ctx := errgroup.WithContext(principal.Into(ctx, caller))
	calls.SetLimit(8)
	for _, c := range changes {
		deactivated := c.After.Status == suspended || c.After.Status == removed
		if c.Before == nil || c.Before.Status == c.After.Status || !deactivated {
			continue
		}
		calls.Go(func() error {
			_, err := contract.DeactivateKeys(caller.OrganizationID, c.ID()).Call(ctx, p.registry.References, struct{}{})
			return err
		})
	}
	return calls.Wait()
}
