package workorders

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// The planner makes the work orders of plans. Every instance has one in each cell, and they need not know of each other: what is due is found by one
// indexed query, what a plan needs to know is asked of its owners outside of any transaction, and then up to batchTargets targets are
// written at once, under a lock on the plan. The key of an occurrence is there once, whoever comes first; next_action_at moves with the
// last batch. So whoever is killed has lost nothing, and nothing is made twice.
type planner struct {
	orders
	log        *slog.Logger
	known      *reference.OrganizationCache // organizations
	now        func() time.Time
	afterBatch func() // of tests
}

const (
	// plannerInterval is the time between two looks.
	plannerInterval = 30 * time.Second
	// plansPerLook is how many plans one look takes.
	plansPerLook = 200
	// batchTargets is how many targets one transaction writes.
	batchTargets = 500
	// pollInterval is the time between two questions about meters and conditions.
	pollInterval = 5 * time.Minute
	// leastBackoff doubles with each attempt that fails, up to mostBackoff.
	leastBackoff, mostBackoff = 5 * time.Second, 5 * time.Minute
	// planTime is how long one plan may take.
	planTime = 2 * time.Minute
)

func (o orders) newPlanner(log *slog.Logger) *planner {
	return &planner{orders: o, log: log, now: time.Now, known: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
		return o.registry.References.Organization(ctx, "workorders", id)
	}, time.Now)}
}

// look makes what is due. A plan that cannot be worked on is tried again later, and holds up no other.
func (p *planner) look(ctx context.Context) error {
	due, err := p.due(ctx)
	if err == nil {
		plannerMetrics.looks.Add(ctx, 1)
	}
	if err != nil || len(due) == 0 {
		return err
	}
	for _, d := range due {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the process ends
		}
		if err := p.take(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// take works on one plan on behalf of its organization. Its error is one that ends the look.
func (p *planner) take(ctx context.Context, d duePlan) error {
	var asking error
	err := p.known.Do(ctx, d.organization, func() error {
		var who principal.Principal
		var has bool
		if who, has, asking = p.withFeature(ctx, d.organization); asking != nil {
			return asking
		}
		if !has {
			asking = p.delay(principal.Into(ctx, who), d.plan, mostBackoff)
			return asking
		}
		who.RequestID, who.Origin = uuid.Must(uuid.NewV7()).String(), "api"
		return p.one(principal.Into(ctx, who), d.plan)
	})
	if err != nil && asking == nil && ctx.Err() == nil {
		p.log.WarnContext(ctx, "a plan could not be worked on; it is tried again", "organization", d.organization, "plan", d.plan, "error", err)
	}
	return asking
}

// one works on one plan, and puts it off when that fails.
func (p *planner) one(ctx context.Context, plan string) error {
	ctx, cancel := context.WithTimeout(ctx, planTime)
	defer cancel()
	err := p.work(ctx, plan)
	recordPlan(ctx, err)
	if err == nil {
		return nil
	}
	return errors.Join(err, p.delay(context.WithoutCancel(ctx), plan, 0))
}

type duePlan struct{ organization, plan string }

// due gives the plans that are to be looked at, with one statement that belongs to no organization.
func (p *planner) due(ctx context.Context) (due []duePlan, err error) {
	err = p.registry.DB.Poll(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT organization_id::text, plan_id::text FROM planner_due($1)", plansPerLook)
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d duePlan, err error) { return d, row.Scan(&d.organization, &d.plan) })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find what is due: %w", err)
	}
	return due, nil
}

// withFeature gives the service as the actor in an organization, and whether the organization's plan has maintenance.
func (p *planner) withFeature(ctx context.Context, organization string) (who principal.Principal, has bool, err error) {
	found, err := p.known.Organization(ctx, organization)
	if err != nil && fault.From(err).Kind != fault.KindNotFound {
		return who, false, err
	}
	found.ID = organization // also of one that does not exist, which has no features
	return found.Principal("workorders"), slices.Contains(found.Features, "maintenance"), nil
}

// delay puts a plan off: by a given time, or by one that doubles with each attempt.
func (p *planner) delay(ctx context.Context, plan string, by time.Duration) error {
	return p.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE pm_plan SET attempts = CASE WHEN $2::float8 > 0 THEN attempts ELSE least(attempts + 1, 20) END,
				next_action_at = statement_timestamp() + make_interval(secs => CASE WHEN $2::float8 > 0 THEN $2::float8
					ELSE least($3::float8 * 2 ^ attempts, $4::float8) END)
			WHERE organization_id = current_organization() AND id = $1::uuid AND next_action_at IS NOT NULL`,
			plan, by.Seconds(), leastBackoff.Seconds(), mostBackoff.Seconds())
		return err
	})
}
