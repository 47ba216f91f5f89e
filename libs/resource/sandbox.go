package resource

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

const (
	// emptyingRows is about how many rows one transaction deletes.
	emptyingRows = 1000
	// emptyingTime is after how long a call begins no further transaction.
	emptyingTime = 3 * time.Second
)

// Emptying is what a service does otherwise when a sandbox is emptied.
type Emptying struct {
	Retained []string                                   // tables whose rows are not deleted
	Before   func(ctx context.Context, tx pgx.Tx) error // first of each transaction; it may be nil
}

// EmptySandboxes sets what is done otherwise. Without it all rows of a sandbox are deleted, of all tables.
func (registry *Registry) EmptySandboxes(otherwise Emptying) { registry.emptying = otherwise }

// mountEmptying serves POST /internal/empty for the gateway, which empties sandboxes. Any number of calls may run at the same time,
// and each transaction stands for itself: whatever is interrupted is gone on with by the next call.
func (registry *Registry) mountEmptying() {
	transport.Internal(registry.API, reference.Empty, func(ctx context.Context, _ struct{}) (reference.Emptied, error) {
		p := principal.From(ctx)
		if p.Actor.Type != "service" {
			return reference.Emptied{}, fault.Forbidden("services_only", "Only the product's own services may ask for this.")
		}
		if !principal.IsSandbox(p.OrganizationID) {
			return reference.Emptied{}, fault.Forbidden("no_sandbox", "Only a sandbox can be emptied.")
		}
		return registry.empty(ctx)
	})
}

func (registry *Registry) empty(ctx context.Context) (done reference.Emptied, err error) {
	retained := append([]string{}, registry.emptying.Retained...)
	for begin := time.Now(); !done.Done && time.Since(begin) < emptyingTime; {
		var deleted int64
		err := registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if registry.emptying.Before != nil {
				if err := registry.emptying.Before(ctx, tx); err != nil {
					return err
				}
			}
			return tx.QueryRow(ctx, `SELECT empty_sandbox($1, $2)`, emptyingRows, retained).Scan(&deleted)
		})
		if err != nil {
			return done, postgres.Fault(err, nil)
		}
		done.Deleted += deleted
		done.Done = deleted == 0
	}
	return done, nil
}
