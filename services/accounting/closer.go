package accounting

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/work"
)

// closeQueue carries out the closes that were ordered, one after the other, in one cell. Who closes for an organization holds a lock of a
// session, which ends with his process: then another instance begins the close anew, of which nothing was written.
func (a *accounting) closeQueue() *work.Queue {
	return &work.Queue{Name: "closes", Service: "accounting", DB: a.registry.DB, Log: a.log,
		Organizations: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
			return a.registry.References.Organization(ctx, "accounting", id)
		}, time.Now),
		Due: "SELECT organization_id, id, 'close' AS kind FROM closes_due()", Lock: "close of ", Interval: time.Second, Signal: a.ordered,
		Do: func(ctx context.Context, item work.Item) error {
			by, err := a.orderedBy(ctx, item.ID)
			if err != nil {
				return err
			}
			p := principal.From(ctx)
			p.Actor = by
			return a.carryOut(principal.Into(ctx, p), item.ID)
		}}
}

// orderedBy is who has ordered a close: what it writes is his.
func (a *accounting) orderedBy(ctx context.Context, id string) (actor principal.Actor, err error) {
	var text []byte
	err = a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT ordered_by::text FROM close WHERE organization_id = current_organization() AND id = $1", id).Scan(&text)
	})
	if err != nil {
		return actor, err
	}
	return actor, json.Unmarshal(text, &actor)
}
