package accounting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// YearRequest names a fiscal year.
type YearRequest struct {
	ID string `path:"id" doc:"The fiscal year: its id, or its number, such as 2026." example:"2026"`
}

// CloseRequest orders a close.
type CloseRequest struct {
	YearRequest
	DryRun bool `json:"dry_run" default:"false" doc:"Say what the close would come to, and write nothing." example:"false"`
}

// ReopenRequest takes a close back.
type ReopenRequest struct {
	YearRequest
	Reason string `json:"reason" required:"true" minLength:"1" maxLength:"1000" doc:"Why; the audit trail keeps it." example:"Facture de décembre retrouvée"`
}

// ReopenedYear is a fiscal year that is open again.
type ReopenedYear struct {
	ID         string `json:"id" format:"uuid" doc:"The fiscal year." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	FiscalYear int    `json:"fiscal_year" doc:"Its number." example:"2026"`
	State      string `json:"state" doc:"Its state now." example:"open"`
}

// FiscalYearClose is a close of a fiscal year, which is a job.
type FiscalYearClose struct {
	ID            string                   `json:"id" format:"uuid" doc:"The job." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	FiscalYear    int                      `json:"fiscal_year" doc:"The fiscal year." example:"2026"`
	State         string                   `json:"state" enum:"queued,running,done,failed" doc:"Where it is; failed: nothing was written, and problems says why." example:"done"`
	CapitalAssets *int                     `json:"capital_assets" doc:"How many capital assets the year has rows of, once it is done." example:"4711"`
	Problems      []FiscalYearCloseProblem `json:"problems" doc:"Why it was refused: the first 100."`
	DryRun        bool                     `json:"dry_run" doc:"Nothing was written." example:"false"`
	OrderedAt     *string                  `json:"ordered_at" format:"date-time" doc:"When it was ordered; null of a dry run."`
	FinishedAt    *string                  `json:"finished_at" format:"date-time" doc:"When it was done or failed."`
	Figures       *FiscalYearCloseFigures  `json:"figures" doc:"What it has come to, or would; null until it is done."`
}

// FiscalYearCloseFigures are the sums of a closed year.
type FiscalYearCloseFigures struct {
	CostClosing        float64 `json:"cost_closing" decimals:"2" doc:"Cost on the last day." example:"1086000.00"`
	Amortization       float64 `json:"amortization" decimals:"2" doc:"Charged in the year." example:"33755.13"`
	Accretion          float64 `json:"accretion" decimals:"2" doc:"By how much the liabilities of retirement obligations have grown in the year." example:"18255.48"`
	AccumulatedClosing float64 `json:"accumulated_closing" decimals:"2" doc:"Accumulated amortization on the last day." example:"79005.13"`
	NetBookValue       float64 `json:"net_book_value" decimals:"2" doc:"On the last day." example:"1006994.87"`
}

// FiscalYearCloseProblem is why a year cannot be closed.
type FiscalYearCloseProblem struct {
	CapitalAssetID string `json:"capital_asset_id" format:"uuid" doc:"Of which capital asset." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Number         string `json:"number" doc:"Its number." example:"TCA-000001"`
	Code           string `json:"code" enum:"does_not_foot,negative_value,no_in_service_on" doc:"What is wrong." example:"negative_value"`
	Message        string `json:"message" doc:"What is wrong, in words." example:"The net book value would be -5.00."`
}

func (a *accounting) mountCloses() {
	const path = "/v1/accounting/fiscal-years/{id}"
	transport.Post(a.registry.API, transport.Operation{Path: path + "/close", ID: "close_fiscal_year",
		Scope: "accounting_periods:write", Feature: "accounting", Status: 201, Deadline: closeDeadline, Summary: "Close a fiscal year",
		Description: "Charges the year's amortization, checks that the schedule foots, and fixes the year's figures, in one transaction: " +
			"all of it or nothing. It is a job: read it again with GET. 409 while an earlier year is open, or a close of it is under way."}, a.close)
	transport.Get(a.registry.API, transport.Operation{Path: path + "/close", ID: "get_fiscal_year_close", Scope: "accounting_periods:read",
		Feature: "accounting", Summary: "Get the last close of a fiscal year", Description: "404 where it was never ordered."}, a.lastClose)
	transport.Post(a.registry.API,
		transport.Operation{Path: path + "/reopen", ID: "reopen_fiscal_year", Scope: "accounting_periods:write", Feature: "accounting",
			Summary: "Reopen the last closed fiscal year", Description: "Its amortization is reversed by entries. Years after it are provisional " +
				"in any case. 409 unless it is the last that is closed, and another one may be open.", Deadline: closeDeadline}, a.reopen)
}

// closeDeadline is for what goes over all capital assets.
const closeDeadline = 2 * time.Minute

func (a *accounting) close(ctx context.Context, in CloseRequest) (out FiscalYearClose, err error) {
	if in.DryRun {
		return a.dryRun(ctx, in.ID)
	}
	err = a.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		y, _, err := lockToClose(ctx, tx, in.ID, " FOR UPDATE")
		if err != nil {
			return err
		}
		if today := resource.Today(ctx); today <= y.last.Format(time.DateOnly) {
			return fault.Conflict("not_over", "fiscal_year", y.number,
				"The fiscal year %s ends on %s; until then, dry_run says what its close would come to.", y.label, y.last.Format(time.DateOnly))
		}
		actor, err := json.Marshal(principal.From(ctx).Actor)
		if err != nil {
			return err
		}
		out = FiscalYearClose{ID: uuid.Must(uuid.NewV7()).String(), FiscalYear: y.number, State: "queued", Problems: []FiscalYearCloseProblem{}}
		if err := tx.QueryRow(ctx, `INSERT INTO close (organization_id, id, fiscal_year, state, ordered_by)
			VALUES (current_organization(), $1, $2, 'queued', $3)
			RETURNING `+postgres.TimeText("ordered_at"), out.ID, y.number, string(actor)).Scan(&out.OrderedAt); err != nil {
			return err
		}
		a.ordered.AfterCommit(ctx)
		return resource.Edit(ctx, tx, a.registry, "fiscal_years", y.id, func(r *FiscalYear) { r.State = "closing" })
	})
	return out, err
}

// lockToClose locks a year, and says why it cannot be closed.
func lockToClose(ctx context.Context, tx pgx.Tx, id, lock string) (*year, years, error) {
	all, err := readYears(ctx, tx, lock)
	if err != nil {
		return nil, nil, err
	}
	y, err := all.find(id)
	if err != nil {
		return nil, nil, err
	}
	first := all.notClosed()
	switch {
	case y.state == "closing":
		return nil, nil, y.alreadyClosing(ctx, tx)
	case y.state == "closed":
		return nil, nil, fault.Conflict("already_closed", "fiscal_year", y.number, "The fiscal year %s is closed.", y.label)
	case first[0].number != y.number:
		return nil, nil, fault.Conflict("earlier_year_open", "fiscal_year", first[0].number, "The fiscal year %s is %s; close it first.",
			first[0].label, first[0].state)
	}
	return y, all, nil
}

// alreadyClosing is the 409 that names the job which closes the year.
func (y *year) alreadyClosing(ctx context.Context, tx pgx.Tx) error {
	var job string
	err := tx.QueryRow(ctx, `SELECT id::text FROM close WHERE organization_id = current_organization() AND fiscal_year = $1
		ORDER BY ordered_at DESC LIMIT 1`, y.number).Scan(&job)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	e := fault.Conflict("already_closing", "fiscal_year", y.number, "A close of the fiscal year %s is under way: job %s.", y.label, job)
	e.ExistingID = job
	return e
}

// dryRun reads what a close would write, from one snapshot: it waits for nobody, and nobody for it.
func (a *accounting) dryRun(ctx context.Context, id string) (out FiscalYearClose, err error) {
	err = a.readInTurn(ctx, func(ctx context.Context, tx pgx.Tx) error {
		y, all, err := lockToClose(ctx, tx, id, "")
		if err != nil {
			return err
		}
		c := &closing{tx: tx, year: y, rows: all.figures(y)}
		if err := overAll(ctx, tx); err != nil {
			return err
		}
		if err := c.checkAndSum(ctx, all); err != nil {
			return err
		}
		out = FiscalYearClose{ID: uuid.Must(uuid.NewV7()).String(), FiscalYear: y.number, State: "done", DryRun: true, Problems: c.problems,
			CapitalAssets: &c.capitalAssets, Figures: &c.figures}
		if len(c.problems) > 0 {
			out.State, out.Figures, out.CapitalAssets = "failed", nil, nil
		}
		return nil
	})
	return out, err
}

func (a *accounting) lastClose(ctx context.Context, in YearRequest) (out FiscalYearClose, err error) {
	err = a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		all, y, err := findYear(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		var problems []byte
		err = tx.QueryRow(ctx, `SELECT id::text, fiscal_year, state, capital_assets, problems, `+postgres.TimeText("ordered_at")+`, `+
			postgres.TimeText("finished_at")+` FROM close
			WHERE organization_id = current_organization() AND fiscal_year = $1 ORDER BY ordered_at DESC LIMIT 1`, y.number).
			Scan(&out.ID, &out.FiscalYear, &out.State, &out.CapitalAssets, &problems, &out.OrderedAt, &out.FinishedAt)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound("close of the fiscal year", in.ID)
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(problems, &out.Problems); err != nil {
			return err
		}
		if y.state == "closed" {
			c := &closing{tx: tx, year: y, rows: y.written()}
			out.Figures = &c.figures
			return c.sum(ctx, all)
		}
		return nil
	})
	return out, err
}

// reopen takes the last close back: its entries are reversed, and its rows are again what entries say.
func (a *accounting) reopen(ctx context.Context, in ReopenRequest) (out ReopenedYear, err error) {
	err = a.inTurn(ctx, func() error {
		return a.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := readYears(ctx, tx, " FOR UPDATE"); err != nil {
				return err
			}
			all, err := yearsInTurn(ctx, tx)
			if err != nil {
				return err
			}
			y, err := all.find(in.ID)
			if err != nil {
				return err
			}
			left := all.notClosed()
			if closing := slices.IndexFunc(left, func(each year) bool { return each.state == "closing" }); closing >= 0 {
				return left[closing].alreadyClosing(ctx, tx)
			}
			switch {
			case y.state != "closed":
				return fault.Conflict("not_closed", "fiscal_year", y.number, "The fiscal year %s is %s.", y.label, y.state)
			case y.number != all.lastClosed():
				return fault.Conflict("not_the_last", "fiscal_year", y.number, "Only the last closed fiscal year can be reopened, which is %s.",
					all.of(all.lastClosed()).label)
			case len(left) >= openYears:
				return fault.Conflict("too_many_open", "fiscal_year", y.number, "%s and %s are open already; delete %s while nothing is posted to it.",
					left[0].label, left[1].label, left[1].label)
			}
			if err := resource.Edit(ctx, tx, a.registry, "fiscal_years", y.id, func(r *FiscalYear) { r.State = "open" }); err != nil {
				return err
			}
			r := &closing{tx: tx, year: y, id: uuid.Must(uuid.NewV7()).String()}
			removed, err := r.undo(ctx)
			if err != nil {
				return err
			}
			if err := a.setState(ctx, tx, removed, "in_service"); err != nil {
				return err
			}
			out = ReopenedYear{y.id, y.number, "open"}
			return a.registry.Audit(ctx, tx, "fiscal_years", y.id, "reopened", map[string]any{"reason": in.Reason})
		})
	})
	return out, err
}

func (a *accounting) setState(ctx context.Context, tx pgx.Tx, ids []string, state string) error {
	if len(ids) == 0 {
		return nil
	}
	return a.registry.UpdateWhere(ctx, tx, "capital_assets", []string{"state"},
		"SELECT unnest($2::uuid[]) AS id, $3::text AS state", ids, state)
}

// carryOut closes a year as a close says that was ordered: all of it or nothing.
func (a *accounting) carryOut(ctx context.Context, id string) error {
	refused := &closing{}
	err := a.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var number int
		err := tx.QueryRow(ctx, `UPDATE close SET state = 'running' WHERE organization_id = current_organization() AND id = $1
			AND state IN ('queued', 'running')
			RETURNING fiscal_year`, id).Scan(&number)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // it was done meanwhile
		}
		if err != nil {
			return err
		}
		all, err := yearsOf(ctx, tx)
		if err != nil {
			return err
		}
		c := &closing{tx: tx, year: all.of(number), id: id, rows: all.of(number).written()}
		if first := all.notClosed()[0]; first.number != number { // a former release has reopened it meanwhile
			return fmt.Errorf("the fiscal year %s waits for %s, which is %s, to be closed", c.year.label, first.label, first.state)
		}
		if err := c.calculate(ctx, all); err != nil {
			return err
		}
		if len(c.problems) > 0 {
			refused = c
			return errRefused
		}
		// Whoever posts to the next year holds this one, and may wait for the number that we take next.
		if _, err := tx.Exec(ctx, "SELECT FROM fiscal_year WHERE organization_id = current_organization() AND id = $1 FOR UPDATE",
			c.year.id); err != nil {
			return err
		}
		if err := c.postEntries(ctx, all.obligationsIn(c.year, c.year.next(), "")+",\n", fmt.Sprintf(closeEntries, c.year.number)); err != nil {
			return err
		}
		if err := a.setState(ctx, tx, c.removed, "disposed"); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(`UPDATE close SET state = 'done', capital_assets = $2, finished_at = now()
			WHERE organization_id = current_organization() AND id = $1`, id, c.capitalAssets)
		if err := postgres.Later(ctx, tx, batch); err != nil {
			return err
		}
		return resource.Edit(ctx, tx, a.registry, "fiscal_years", c.year.id, func(r *FiscalYear) { r.State = "closed" })
	})
	if errors.Is(err, errRefused) {
		return a.refuse(ctx, id, refused)
	}
	return err
}

// errRefused undoes a close that has problems.
var errRefused = errors.New("the year cannot be closed")

// refuse says why a close was refused: its year is open as before.
func (a *accounting) refuse(ctx context.Context, id string, c *closing) error {
	return a.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE close SET state = 'failed', problems = $2, finished_at = now()
			WHERE organization_id = current_organization() AND id = $1`, id, asJSON(c.problems)); err != nil {
			return err
		}
		return resource.Edit(ctx, tx, a.registry, "fiscal_years", c.year.id, func(r *FiscalYear) { r.State = "open" })
	})
}

// closing is a close while it is carried out, or tried. Each statement goes over all capital assets.
type closing struct {
	tx   pgx.Tx
	year *year
	id   string
	rows string // the table expressions that have them: those that are written, or of a dry run those that would be

	capitalAssets int
	removed       []string // pools that have left
	problems      []FiscalYearCloseProblem
	figures       FiscalYearCloseFigures
}

// calculate writes what the year comes to.
func (c *closing) calculate(ctx context.Context, all years) error {
	if err := overAll(ctx, c.tx); err != nil {
		return err
	}
	rows, err := c.tx.Query(ctx, all.figures(c.year)+c.year.writeSQL())
	if err != nil {
		return err
	}
	if c.removed, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return err
	}
	return c.checkAndSum(ctx, all)
}

// checkAndSum looks for what is wrong with the year, and reads what it comes to where nothing is.
func (c *closing) checkAndSum(ctx context.Context, all years) error {
	c.problems = []FiscalYearCloseProblem{}
	if err := c.check(ctx); err != nil || len(c.problems) > 0 {
		return err
	}
	return c.sum(ctx, all)
}

// written is the table expression of the rows that a close has written of a year.
func (y *year) written() string {
	return fmt.Sprintf("WITH rows_%[1]d AS NOT MATERIALIZED (SELECT * FROM capital_asset_year "+
		"WHERE organization_id = current_organization() AND fiscal_year = %[1]d)", y.number)
}

// sum reads what the year has come to.
func (c *closing) sum(ctx context.Context, all years) error {
	f := &c.figures
	obligations := strings.TrimPrefix(all.obligationsIn(c.year, c.year.next(), ""), "WITH ")
	err := c.tx.QueryRow(ctx, c.rows+",\n"+obligations+fmt.Sprintf(` SELECT count(*) FILTER (WHERE last),
		coalesce(sum(cost_closing), 0)::float8, coalesce(sum(accumulated_amortization + charge), 0)::float8,
			coalesce(sum(accumulated_closing), 0)::float8, coalesce(sum(cost_closing - accumulated_closing), 0)::float8,
			(SELECT coalesce(sum(accretion), 0) FROM obligations_%[1]d)::float8
		FROM rows_%[1]d`, c.year.number)).
		Scan(&c.capitalAssets, &f.CostClosing, &f.Amortization, &f.AccumulatedClosing, &f.NetBookValue, &f.Accretion)
	return err
}

// check looks for rows that cannot be: an identity of the schedule that does not hold, a negative value, cost without a day of service.
func (c *closing) check(ctx context.Context) error {
	rows, err := c.tx.Query(ctx, c.rows+fmt.Sprintf(findProblems, c.year.number))
	if err != nil {
		return err
	}
	var p FiscalYearCloseProblem
	var value string
	_, err = pgx.ForEachRow(rows, []any{&p.CapitalAssetID, &p.Number, &p.Code, &value}, func() error {
		p.Message = map[string]string{
			"does_not_foot":    "The rows of the schedule do not add up.",
			"negative_value":   fmt.Sprintf("The net book value would be %s.", value),
			"no_in_service_on": "It has a cost, and no day on which it came into service.",
		}[p.Code]
		c.problems = append(c.problems, p)
		return nil
	})
	return err
}

// findProblems selects the first rows of the year in which something is wrong, and those of the year before that have none in it. What an
// opening says is what its year opens with.
const findProblems = ` SELECT q.capital_asset_id::text, q.number, q.problem, q.value FROM (
	SELECT y.capital_asset_id, coalesce(a.number, a.name COLLATE "C") AS number, (y.cost_closing - y.accumulated_closing)::text AS value, CASE
		WHEN y.cost_opening + y.cost_additions + y.cost_contributed + y.cost_betterments + y.cost_retirement_costs + y.cost_from_work_in_progress
			+ y.cost_transfers
				+ y.cost_write_downs + y.cost_disposals + y.cost_adjustments - y.removed <> y.cost_closing
			OR y.work_opening + y.work_additions + y.work_to_service + y.work_write_downs <> y.work_closing
			OR y.accumulated_opening + y.accumulated_amortization + y.charge + y.accumulated_disposals + y.accumulated_transfers
				+ y.accumulated_adjustments - y.removed
				<> y.accumulated_closing
			OR p.capital_asset_id IS NOT NULL AND y.part = 1
				AND (y.cost_opening <> p.cost_closing OR y.accumulated_opening <> p.accumulated_closing OR y.work_opening <> p.work_closing)
			THEN 'does_not_foot'
		WHEN y.cost_closing < y.accumulated_closing OR y.accumulated_closing < 0 OR y.work_closing < 0 THEN 'negative_value'
		WHEN y.cost_closing > 0 AND y.in_service_on IS NULL AND y.last THEN 'no_in_service_on' END AS problem
	FROM rows_%[1]d y
	JOIN capital_asset a ON a.organization_id = current_organization() AND a.id = y.capital_asset_id
	LEFT JOIN capital_asset_year p ON p.organization_id = current_organization() AND p.fiscal_year = %[1]d - 1
		AND p.capital_asset_id = y.capital_asset_id AND p.last
	UNION ALL
	SELECT p.capital_asset_id, coalesce(a.number, a.name COLLATE "C"), '0', 'does_not_foot' FROM capital_asset_year p
		JOIN capital_asset a ON a.organization_id = p.organization_id AND a.id = p.capital_asset_id
	WHERE p.organization_id = current_organization() AND p.fiscal_year = %[1]d - 1 AND p.last AND (p.cost_closing <> 0 OR p.work_closing <> 0)
		AND NOT EXISTS (SELECT FROM rows_%[1]d y WHERE y.capital_asset_id = p.capital_asset_id)) q
WHERE q.problem IS NOT NULL ORDER BY q.number COLLATE "natural" LIMIT 100`

// closeEntries are what a close posts: the year's amortization of each layer, what pools leave with, and the accretion of each obligation.
// $1 is the year, $2 the close.
const closeEntries = `SELECT l.capital_asset_id,
	'amortization' AS type, l.number AS layer, l.charged + l.charge AS amount, 0::numeric AS cost_change,
		l.charged + l.charge AS accumulated_change, NULL::numeric AS gain_loss, NULL::uuid AS reverses, NULL::uuid AS obligation_id
	FROM layer l WHERE l.organization_id = current_organization() AND l.fiscal_year = $1 AND l.charged + l.charge <> 0
	UNION ALL
	SELECT y.capital_asset_id, 'disposal', NULL, NULL, -y.removed, -y.removed, 0, NULL, NULL
	FROM capital_asset_year y WHERE y.organization_id = current_organization() AND y.fiscal_year = $1 AND y.removed > 0
	UNION ALL
	SELECT o.capital_asset_id, 'accretion', NULL, o.due, 0, 0, NULL, NULL, o.obligation_id
	FROM obligations_%d o WHERE o.due <> 0`

// reopenEntries are the exact negatives of what the close has posted.
const reopenEntries = `SELECT x.capital_asset_id, x.type, x.layer, -x.amount AS amount, -x.cost_change AS cost_change,
	-x.accumulated_change AS accumulated_change, -x.gain_loss AS gain_loss, x.id AS reverses, x.obligation_id
	FROM transaction x WHERE x.organization_id = current_organization() AND x.fiscal_year = $1 AND x.close_id IS NOT NULL AND ` + isLive

// postEntries writes entries, numbered and counted like all others. with is the table expressions that they are selected from.
func (c *closing) postEntries(ctx context.Context, with, entries string) error {
	actor, err := json.Marshal(principal.From(ctx).Actor)
	if err != nil {
		return err
	}
	_, err = c.tx.Exec(ctx, with+`wanted AS MATERIALIZED (SELECT row_number() OVER (ORDER BY e.capital_asset_id, e.layer, e.type,
		e.obligation_id) AS place, e.* FROM (`+entries+`) e), counted AS (SELECT count(*)::integer AS entries FROM wanted),
		stamp AS MATERIALIZED (SELECT s.first_position, s.at FROM (SELECT entries, pg_advisory_xact_lock(hashtextextended('counter '
		|| 'capital_asset_transactions.number' || current_organization(), 0)) FROM counted WHERE entries > 0) n
			CROSS JOIN LATERAL reserve_positions('capital_asset_transactions', n.entries) s),
		numbered AS (INSERT INTO counter (organization_id, name, value) SELECT current_organization(), 'capital_asset_transactions.number',
			counted.entries FROM counted, stamp
			ON CONFLICT (organization_id, name) DO UPDATE SET value = counter.value + excluded.value RETURNING value),
		written AS (INSERT INTO transaction (organization_id, id, position, created_at,
			updated_at, created_by, updated_by, number, capital_asset_id, type, effective_on, fiscal_year,
				layer, amount, cost_change, accumulated_change, gain_loss, reverses, close_id, obligation_id)
			SELECT current_organization(), new_id(), stamp.first_position + w.place - 1, stamp.at, stamp.at, $3::jsonb, $3::jsonb,
				'T-' || lpad(n.number::text, greatest(7, length(n.number::text)), '0'), w.capital_asset_id, w.type, $4::date, $1, w.layer, w.amount,
					w.cost_change, w.accumulated_change, w.gain_loss, w.reverses, $2::uuid, w.obligation_id
			FROM wanted w CROSS JOIN stamp CROSS JOIN numbered CROSS JOIN counted
				CROSS JOIN LATERAL (SELECT numbered.value - counted.entries + w.place AS number) n
			RETURNING position)
		INSERT INTO ledger (organization_id, collection, block, live) SELECT current_organization(), 'capital_asset_transactions',
			position / 1024, count(*) FROM written GROUP BY 3`, c.year.number, c.id, string(actor), c.year.last.Format(time.DateOnly))
	return err
}

// undo takes a close back, and gives the pools that had left by it.
func (c *closing) undo(ctx context.Context) (removed []string, err error) {
	if err := overAll(ctx, c.tx); err != nil {
		return nil, err
	}
	if err := c.postEntries(ctx, "WITH ", reopenEntries); err != nil {
		return nil, err
	}
	rows, err := c.tx.Query(ctx, `SELECT capital_asset_id::text FROM capital_asset_year
		WHERE organization_id = current_organization() AND fiscal_year = $1 AND removed > 0`, c.year.number)
	if err != nil {
		return nil, err
	}
	if removed, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, err
	}
	for _, sql := range []string{
		`DELETE FROM layer WHERE organization_id = current_organization() AND fiscal_year = $1 AND NOT posted`,
		`UPDATE layer SET charge = 0 WHERE organization_id = current_organization() AND fiscal_year = $1 AND charge <> 0`,
		`DELETE FROM capital_asset_year WHERE organization_id = current_organization() AND fiscal_year = $1 AND NOT posted`,
		`UPDATE capital_asset_year SET charge = 0, cost_closing = cost_closing + removed, removed = 0, accumulated_closing = open_accumulated,
			units_left = open_units_left
			WHERE organization_id = current_organization() AND fiscal_year = $1 AND last`,
	} {
		if _, err := c.tx.Exec(ctx, sql, c.year.number); err != nil {
			return nil, err
		}
	}
	return removed, nil
}
