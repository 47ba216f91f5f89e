package main

import (
	"context"
	"encoding/json"
	"fmt"

	"golang.org/x/sync/errgroup"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// deactivateKeys has the gateway turn the API keys inactive that users created who are being suspended or removed. It
// happens before the commit: with the gateway away nothing is written (503), and should the commit itself
// fail, keys are inactive that an Administrator can resume, which is the safe side.
func (p people) deactivateKeys(ctx context.Context, changes []*resource.Change[User]) error {
	caller := principal.From(ctx)
	// The caller may be an API key, which must not reach the gateway's administration; this service may.
	caller.Actor = principal.Actor{Type: "service", ID: "users", Name: "users service, for " + caller.Actor.Name}
	asking, ctx := errgroup.WithContext(principal.Into(ctx, caller))
	asking.SetLimit(8)
	for _, c := range changes {
		leaves := c.After.Status == suspended || c.After.Status == removed
		if c.Before == nil || c.Before.Status == c.After.Status || !leaves {
			continue
		}
		asking.Go(func() error {
			path := fmt.Sprintf("/internal/organizations/%s/users/%s/deactivate-keys", caller.OrganizationID, c.ID())
			var answer json.RawMessage
			return p.registry.References.Post(ctx, "gateway-internal", path, struct{}{}, &answer)
		})
	}
	return asking.Wait()
}
