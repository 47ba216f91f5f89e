package accounting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// closer carries out the closes that were ordered, one after the other. Every instance has one in each cell. Who closes for an organization holds a
// lock of a session, which ends with his process: then another instance begins the close anew, of which nothing was written.
type closer struct {
	*accounting
	known *reference.OrganizationCache
	pause time.Duration // between two looks at what is ordered
}

const lookInterval = time.Second

func (a *accounting) newCloser() *closer {
	return &closer{a, reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
		return a.registry.References.Organization(ctx, "accounting", id)
	}, time.Now), lookInterval}
}

// run works until ctx ends.
func (c *closer) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := c.look(ctx); err != nil && ctx.Err() == nil {
			c.log.WarnContext(ctx, "a fiscal year was not closed; it is tried again", "error", err)
		}
		leader.Sleep(ctx, c.pause, nil)
	}
}

// look carries out what is ordered.
func (c *closer) look(ctx context.Context) error {
	type ordered struct{ organization, id string }
	var due []ordered
	err := c.registry.DB.Poll(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT d.organization_id::text, d.id::text FROM closes_due() d WHERE "+postgres.LivesHere("d.organization_id")+
			" AND NOT "+leader.Held("'"+lockOf("")+"' || d.organization_id"))
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (o ordered, err error) { return o, row.Scan(&o.organization, &o.id) })
		return err
	})
	for _, o := range due { // one that cannot be closed keeps none of the others
		if failed := c.alone(ctx, o.organization, o.id); failed != nil {
			err = errors.Join(err, fmt.Errorf("close %s of organization %s: %w", o.id, o.organization, failed))
		}
	}
	return err
}

// lockOf names the lock of who closes for an organization.
func lockOf(organization string) string { return "close of " + organization }

// alone carries out a close while it holds the organization's lock; where another instance holds it, nothing.
func (c *closer) alone(ctx context.Context, organization, id string) error {
	conn, err := c.registry.DB.Connect(ctx)
	if err != nil {
		return err
	}
	defer postgres.Disconnect(conn)
	if holds, err := leader.Try(ctx, conn, lockOf(organization)); err != nil || !holds {
		return err
	}
	return leader.While(ctx, conn, func(ctx context.Context) error {
		return c.known.Do(ctx, organization, func() error {
			o, err := c.known.Organization(ctx, organization)
			if err != nil {
				return fmt.Errorf("ask for the organization: %w", err)
			}
			p := o.Principal("accounting")
			p.RequestID, p.Origin = uuid.Must(uuid.NewV7()).String(), "api"
			ctx = principal.Into(ctx, p)
			if p.Actor, err = c.orderedBy(ctx, id); err != nil {
				return err
			}
			return c.carryOut(principal.Into(ctx, p), id)
		})
	})
}

// orderedBy is who has ordered a close: what it writes is his.
func (c *closer) orderedBy(ctx context.Context, id string) (actor principal.Actor, err error) {
	var text []byte
	err = c.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT ordered_by::text FROM close WHERE organization_id = current_organization() AND id = $1", id).Scan(&text)
	})
	if err != nil {
		return actor, err
	}
	return actor, json.Unmarshal(text, &actor)
}
