package workorders

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/work"
)

// The planner makes the work orders of plans. Every instance has one in each cell, and they need not know of each other: what is due is
// found by one indexed query (package work), what a plan needs to know is asked of its owners outside of any transaction, and then up to
// batchTargets targets are written at once, under a lock on the plan. The key of an occurrence is there once, whoever comes first;
// next_action_at moves with the last batch. So whoever is killed has lost nothing, and nothing is made twice.
type planner struct {
	orders
	log        *slog.Logger
	queue      *work.Queue
	now        func() time.Time
	afterBatch func() // of tests
}

const (
	// plannerInterval is the time between two queries of what is due.
	plannerInterval = 30 * time.Second
	// plansPerQuery is how many plans one query finds.
	plansPerQuery = 200
	// batchTargets is how many targets one transaction writes.
	batchTargets = 500
	// pollInterval is the time between two questions about meters and conditions.
	pollInterval = 5 * time.Minute
	// minBackoff doubles with each attempt that fails, up to maxBackoff.
	minBackoff, maxBackoff = 5 * time.Second, 5 * time.Minute
	// planTime is how long one plan may take.
	planTime = 2 * time.Minute
)

func (o orders) newPlanner(log *slog.Logger) *planner {
	p := &planner{orders: o, log: log, now: time.Now}
	p.queue = &work.Queue{Name: "planner", Service: "workorders", DB: o.registry.DB, Log: log,
		Organizations: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
			return o.registry.References.Organization(ctx, "workorders", id)
		}, time.Now),
		Due: "SELECT organization_id, plan_id AS id, 'plan' AS kind FROM planner_due($1)", Args: []any{plansPerQuery}, Interval: plannerInterval,
		Polls: plannerMetrics.polls, Do: p.one,
		PutOff: func(ctx context.Context, item work.Item, _ error) error { return p.delay(ctx, item.ID, 0) }}
	return p
}

// one works on one plan. That of an organization whose own plan has no maintenance waits.
func (p *planner) one(ctx context.Context, item work.Item) error {
	if !principal.From(ctx).Has("maintenance") {
		return p.delay(ctx, item.ID, maxBackoff)
	}
	ctx, cancel := context.WithTimeout(ctx, planTime)
	defer cancel()
	err := p.work(ctx, item.ID)
	recordPlan(ctx, err)
	return err
}

// delay puts a plan off: by a given time, or by one that doubles with each attempt.
func (p *planner) delay(ctx context.Context, plan string, by time.Duration) error {
	return p.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE pm_plan SET attempts = CASE WHEN $2::float8 > 0 THEN attempts ELSE least(attempts + 1, 20) END,
				next_action_at = statement_timestamp() + make_interval(secs => CASE WHEN $2::float8 > 0 THEN $2::float8
					ELSE least($3::float8 * 2 ^ attempts, $4::float8) END)
			WHERE organization_id = current_organization() AND id = $1::uuid AND next_action_at IS NOT NULL`,
			plan, by.Seconds(), minBackoff.Seconds(), maxBackoff.Seconds())
		return err
	})
}
