package planning

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/services/planning/engine"
)

// errCancelled ends a calculation that somebody cancelled.
var errCancelled = errors.New("the run is cancelled")

// calculation is a run that is being calculated.
type calculation struct {
	*planning
	run       string
	scenarios []Scenario
	assembly  *assembly
	stored    map[part]string // parts that are stored already, and their hashes
	began     time.Time       // of the turn
	free      func()          // gives the room of its elements back
	partly    atomic.Bool     // something is left for the organization's next turn
	years     atomic.Int64    // that are calculated, of
	allYears  int64
}

// part of a result: a scenario's decisions, or a replication of them.
type part struct{ scenario, replication int }

// calculate calculates what is missing of a run, and ends it.
func (p *planning) calculate(ctx context.Context, id string) error {
	c := &calculation{planning: p, run: id, free: func() {}}
	defer func() { c.free() }()
	if err := c.begin(ctx); err != nil {
		if errors.Is(err, errCancelled) {
			return c.cancelled(ctx)
		}
		return err
	}
	working, stop := context.WithCancelCause(ctx)
	watching, stopWatching := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		c.watch(watching, func() { stop(errCancelled) })
	}()
	err := c.all(working)
	stopWatching()
	<-watched
	defer stop(nil)
	switch {
	case errors.Is(context.Cause(working), errCancelled):
		return c.cancelled(ctx)
	case errors.Is(err, engine.ErrAmountTooLarge):
		return impossible("amount_too_large", "In %s.", err)
	case err != nil:
		return err
	case c.partly.Load():
		return errTurnOver
	}
	return c.completed(ctx)
}

// begin reads what is calculated with, and says that the run is being calculated.
func (c *calculation) begin(ctx context.Context) error {
	var committed []committed
	queued := false // else it keeps what it was told
	err := c.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx,
			"SELECT state = 'queued' FROM run WHERE organization_id = current_organization() AND id = $1", c.run).Scan(&queued)
	})
	if err == nil && queued {
		committed, err = c.underWay(ctx)
	}
	if err != nil {
		return err
	}
	var catalogue *definitions
	var inventory string
	var elements int
	err = c.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var state, inventoryState string
		var sum *string
		if err := tx.QueryRow(ctx, `SELECT r.state, r.inventory_id::text, i.state, i.sha256, i.elements + i.left_out FROM run r
			JOIN inventory i ON i.organization_id = r.organization_id AND i.id = r.inventory_id
			WHERE r.organization_id = current_organization() AND r.id = $1 FOR UPDATE OF r`, c.run).Scan(&state, &inventory, &inventoryState, &sum,
			&elements); err != nil {
			return err
		}
		if state == "cancelling" {
			return errCancelled
		}
		if inventoryState != "ready" || sum == nil {
			return impossible("inventory_failed", "The inventory of the run was not read whole: it is %s.", inventoryState)
		}
		if catalogue, err = storedDefinitions(ctx, tx, c.run); err != nil || state != "queued" {
			return err
		}
		catalogue.Committed = committed
		return c.start(ctx, tx, catalogue, *sum)
	})
	if err != nil {
		return err
	}
	if c.free, err = c.turns.take(ctx, elements); err != nil {
		return err
	}
	return c.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error { // an inventory never changes
		all, err := readInventory(ctx, tx, inventory)
		if err != nil {
			return err
		}
		c.scenarios, c.assembly = catalogue.Scenarios, newAssembly(catalogue, all)
		for _, s := range catalogue.Scenarios {
			c.allYears += int64(s.Years * (1 + s.Replications))
		}
		c.stored, err = partsOf(ctx, tx, c.run)
		return err
	})
}

// start stores the catalogue that the run is calculated with, and its hash.
func (c *calculation) start(ctx context.Context, tx pgx.Tx, catalogue *definitions, inventory string) error {
	text, err := json.Marshal(catalogue)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE run_definitions SET definitions = $2 WHERE organization_id = current_organization() AND run_id = $1",
		c.run, text); err != nil {
		return err
	}
	version, now := engine.Version, time.Now().UTC().Format(time.RFC3339)
	input := inputHash(catalogue, inventory)
	return resource.Edit(ctx, tx, c.registry, "planning_runs", c.run, func(r *PlanningRun) {
		r.State, r.EngineVersion, r.InputSHA256, r.StartedAt = "running", &version, &input, &now
	})
}

// inputHash is of all that the results depend on. Who made a record and when has no part in it.
func inputHash(catalogue *definitions, inventory string) string {
	bare := *catalogue
	bare.Models, bare.Classes = withoutMetadata(catalogue.Models, func(m *DeteriorationModel) *resource.Record { return &m.Record }),
		withoutMetadata(catalogue.Classes, func(m *AssetClass) *resource.Record { return &m.Record })
	bare.Treatments = withoutMetadata(catalogue.Treatments, func(m *Treatment) *resource.Record { return &m.Record })
	bare.Strategies, bare.Scenarios = withoutMetadata(catalogue.Strategies, func(m *Strategy) *resource.Record { return &m.Record }),
		withoutMetadata(catalogue.Scenarios, func(m *Scenario) *resource.Record { return &m.Record })
	text, err := json.Marshal(map[string]any{"definitions": bare, "inventory": inventory, "engine_version": engine.Version})
	if err != nil {
		panic(err) // it was read from JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func withoutMetadata[T any](records []T, of func(*T) *resource.Record) []T {
	bare := slices.Clone(records)
	for i := range bare {
		*of(&bare[i]) = resource.Record{ID: of(&bare[i]).ID}
	}
	return bare
}

// underWay are the interventions of earlier runs whose projects are approved or in progress.
func (c *calculation) underWay(ctx context.Context) ([]committed, error) {
	found := []committed{}
	if !principal.From(ctx).Has("projects") {
		return found, nil
	}
	var promoted []committed
	err := c.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		rows, err := tx.Query(ctx, `SELECT DISTINCT ON (element_id, year) element_id::text, year, treatment_id::text, project_id::text
			FROM promotion
			WHERE organization_id = current_organization() AND run_id <> $1 ORDER BY element_id, year, project_id`, c.run)
		if err != nil {
			return err
		}
		promoted, err = pgx.CollectRows(rows, pgx.RowToStructByPos[committed])
		return err
	})
	if err != nil || len(promoted) == 0 {
		return found, err
	}
	status := map[string]string{}
	for _, one := range promoted {
		status[one.ProjectID] = ""
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(status)), 5000) {
		entries, err := c.registry.References.Find(ctx, "projects", reference.Query{IDs: some})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			status[e.ID] = valueOr(e.Status, "")
		}
	}
	for _, one := range promoted {
		if s := status[one.ProjectID]; s == "approved" || s == "in_progress" {
			found = append(found, one)
		}
	}
	return found, nil
}

func partsOf(ctx context.Context, tx pgx.Tx, run string) (map[part]string, error) {
	rows, err := tx.Query(ctx,
		"SELECT scenario, replication, sha256 FROM run_part WHERE organization_id = current_organization() AND run_id = $1", run)
	if err != nil {
		return nil, err
	}
	hashes := map[part]string{}
	var one part
	var sum string
	_, err = pgx.ForEachRow(rows, []any{&one.scenario, &one.replication, &sum}, func() error {
		hashes[one] = sum
		return nil
	})
	return hashes, err
}

// watch tells how far the calculation is, and stops it where somebody cancelled the run.
func (c *calculation) watch(ctx context.Context, stop func()) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var state string
		err := c.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			if n%2 == 1 { // once a second
				batch.Queue("UPDATE job SET progress_pct = $2 WHERE organization_id = current_organization() AND id = $1",
					c.run, min(99, 100*c.years.Load()/max(1, c.allYears)))
			}
			batch.Queue("SELECT state FROM run WHERE organization_id = current_organization() AND id = $1",
				c.run).QueryRow(func(row pgx.Row) error { return row.Scan(&state) })
		})
		if err == nil && state == "cancelling" {
			stop()
			return
		}
	}
}

// all calculates the parts that are missing, as many scenarios at once as there are processors.
func (c *calculation) all(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(min(2, runtime.GOMAXPROCS(0)))
	c.began = time.Now() // what was read is read for nothing when no part is calculated then
	var assembling sync.Mutex
	for n := range c.scenarios {
		if n > 0 && c.turns.over(c.began) {
			c.partly.Store(true)
			break
		}
		var missing []int
		for replication := range 1 + c.scenarios[n].Replications {
			if c.stored[part{n, replication}] == "" {
				missing = append(missing, replication)
			}
		}
		c.years.Add(int64(c.scenarios[n].Years * (1 + c.scenarios[n].Replications - len(missing))))
		if len(missing) == 0 {
			continue
		}
		group.Go(func() error {
			assembling.Lock()
			m := c.assembly.scenario(&c.scenarios[n])
			assembling.Unlock()
			return c.scenario(ctx, n, m, missing)
		})
	}
	return group.Wait()
}

// scenario calculates one, and its replications. What was decided is needed for those, and is the same when it is calculated again.
func (c *calculation) scenario(ctx context.Context, n int, m *assembled, missing []int) error {
	result, err := c.decide(ctx, m, missing[0] == 0)
	if err != nil {
		return err
	}
	if missing[0] == 0 {
		if err := c.keep(ctx, part{n, 0}, m, result.figures, &result.outcomes); err != nil {
			return err
		}
		missing = missing[1:]
	}
	result.outcomes = outcomes{} // nobody needs them any more
	for _, replication := range missing {
		years, err := engine.Replicate(ctx, &m.input, &m.scenario, result.done, replication)
		if err != nil {
			return err
		}
		c.years.Add(int64(len(years)))
		if err := c.keep(ctx, part{n, replication}, m, years, &outcomes{}); err != nil {
			return err
		}
		if replication != missing[len(missing)-1] && c.turns.over(c.began) {
			c.partly.Store(true)
			return nil
		}
	}
	return nil
}

// decided is what a scenario decides.
type decided struct {
	figures  []YearFigures
	outcomes outcomes
	done     [][]int8 // by year and element, for replications
}

func (c *calculation) decide(ctx context.Context, m *assembled, counts bool) (*decided, error) {
	d := &decided{figures: []YearFigures{}}
	err := engine.Run(ctx, &m.input, &m.scenario, func(year int, all *engine.Figures, outcomes []engine.Outcome) error {
		d.figures = append(d.figures, m.figures(year, all))
		if err := d.outcomes.add(outcomes); err != nil {
			return err
		}
		if m.of.Replications > 0 {
			done := make([]int8, len(outcomes))
			for i := range outcomes {
				done[i] = int8(outcomes[i].Treatment) // below 64
			}
			d.done = append(d.done, done)
		}
		if counts {
			c.years.Add(1)
		}
		return nil
	})
	return d, err
}

// keep writes a part whole.
func (c *calculation) keep(ctx context.Context, of part, m *assembled, figures any, calculated *outcomes) error {
	text, err := json.Marshal(figures)
	if err != nil {
		return err
	}
	return c.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO run_part (organization_id, run_id, scenario, replication, figures, sha256)
			VALUES (current_organization(), $1, $2, $3, $4, $5)`, c.run, of.scenario, of.replication, text, calculated.hash(text)); err != nil {
			return err
		}
		return inBatches(ctx, tx, calculated.blocks, func(batch *pgx.Batch, number int, block [][]byte) {
			batch.Queue(`INSERT INTO run_block (organization_id, run_id, scenario, number, first_id, outcomes) VALUES (current_organization(), $1,
				$2, $3, $4, $5)`, c.run, of.scenario, number, m.lines[number*engine.BlockSize].ID, bytes.Join(block, nil))
		})
	})
}

// inBatches writes blocks, a few at once: a batch is in memory several times while it is sent.
func inBatches[T any](ctx context.Context, tx pgx.Tx, blocks []T, queue func(batch *pgx.Batch, number int, block T)) error {
	const atOnce = 20
	for number := 0; number < len(blocks); number += atOnce {
		batch := &pgx.Batch{}
		for i, block := range blocks[number:min(number+atOnce, len(blocks))] {
			queue(batch, number+i, block)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
	}
	return nil
}

// completed says that all is calculated, and by what hash.
func (c *calculation) completed(ctx context.Context) error {
	return c.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var state string
		if err := tx.QueryRow(ctx,
			"SELECT state FROM run WHERE organization_id = current_organization() AND id = $1 FOR UPDATE", c.run).Scan(&state); err != nil {
			return err
		}
		if state == "cancelling" {
			return c.ended(ctx, tx, c.run, "cancelled", nil)
		}
		hashes, err := partsOf(ctx, tx, c.run)
		if err != nil {
			return err
		}
		sum, now := resultHash(hashes), time.Now().UTC().Format(time.RFC3339)
		if err := resource.Edit(ctx, tx, c.registry, "planning_runs", c.run,
			func(r *PlanningRun) { r.State, r.ResultSHA256, r.FinishedAt = "completed", &sum, &now }); err != nil {
			return err
		}
		return done(ctx, tx, c.run)
	})
}

// resultHash is of all parts, in their order.
func resultHash(hashes map[part]string) string {
	var parts []part
	for one := range hashes {
		parts = append(parts, one)
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.scenario, b.scenario), cmp.Compare(a.replication, b.replication))
	})
	sum := sha256.New()
	for _, one := range parts {
		_, _ = sum.Write([]byte(hashes[one] + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// cancelled ends a run without results.
func (c *calculation) cancelled(ctx context.Context) error {
	return c.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return c.ended(ctx, tx, c.run, "cancelled", nil) })
}

func (p *planning) failRun(ctx context.Context, tx pgx.Tx, id string, problem *Problem) error {
	return p.ended(ctx, tx, id, "failed", problem)
}

// ended ends a run without results, and with its job.
func (p *planning) ended(ctx context.Context, tx pgx.Tx, id, state string, problem *Problem) error {
	for _, table := range []string{"run_block", "run_part"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE organization_id = current_organization() AND run_id = $1", id); err != nil {
			return err
		}
	}
	now := time.Now().UTC().Format(time.RFC3339)
	if err := resource.Edit(ctx, tx, p.registry, "planning_runs", id,
		func(r *PlanningRun) { r.State, r.Problem, r.FinishedAt = state, problem, &now }); err != nil {
		return err
	}
	return done(ctx, tx, id)
}
