package users

import (
	"context"
	"encoding/json"
	"fmt"

	"golang.org/x/sync/errgroup"

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
			path := fmt.Sprintf("/internal/organizations/%s/users/%s/deactivate-keys", caller.OrganizationID, c.ID())
			var response json.RawMessage
			return p.registry.References.Post(ctx, "gateway-internal", path, struct{}{}, &response)
		})
	}
	return calls.Wait()
}
