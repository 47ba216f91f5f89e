package workorders

import (
	"encoding/json"
	"testing"
)

// manyPlans makes active plans on an asset each, by SQL, as many calls would leave them: monthly from one of the days of a year on. They
// act next within two years.
func (p *plans) manyPlans(t testing.TB, n int) {
	t.Helper()
	p.fill(t, "pm_plan", `INSERT INTO pm_plan (organization_id, id, position, created_at, updated_at, created_by, updated_by, name, status,
			job_plan_id, targets, work_order_per, basis, starts_on, due_by, lead_days, non_working_day, suppress_days, stack, catch_up,
			when_out_of_service, next_action_at, planned_from, target_count, target_sites)
		SELECT $1::text::uuid, gen_random_uuid(), 1000 + i, clock_timestamp(), clock_timestamp(), '{}', '{}', 'Plan ' || i, 'active',
			$2::text::uuid, jsonb_build_array(jsonb_build_object('target_type', 'asset', 'target_id', gen_random_uuid())), 'target', 'fixed',
			date '2026-01-01' + i % 365, '{"rrule": "FREQ=MONTHLY"}', 0, 'keep', 7, false, 'latest', 'skip',
			clock_timestamp() + (1 + i % 17000) * interval '1 hour', current_date, 1, jsonb_build_object($3::text, 1)
		FROM generate_series(1, $4::int) i`, p.Principal.OrganizationID, p.job, siteIDs[0], n)
}

// fill writes rows by SQL, without what keeps words and facets of them.
func (p *plans) fill(t testing.TB, table, sql string, args ...any) {
	t.Helper()
	p.exec(t, "ALTER TABLE "+table+" DISABLE TRIGGER USER")
	p.exec(t, sql, args...)
	p.exec(t, "ALTER TABLE "+table+" ENABLE TRIGGER USER")
	p.exec(t, "ANALYZE "+table)
}

// Every look at what is due reads what is due and nothing else, however much is due later: plans, service levels, effects.
func TestALookReadsOnlyWhatIsDue(t *testing.T) {
	p := newPlans(t)
	const later, due = 20_000, 10
	p.manyPlans(t, later)
	p.fill(t, "work_order", `INSERT INTO work_order (organization_id, id, position, created_at, updated_at, created_by, updated_by, title,
		type, priority, status, sla_state, complete_by)
		SELECT $1::text::uuid, gen_random_uuid(), 1000 + i, clock_timestamp(), clock_timestamp(), '{}', '{}', 'Work ' || i,
			'corrective', 'medium',
			'open', 'running', clock_timestamp() + (1 + i % 17000) * interval '1 hour' FROM generate_series(1, $2::int) i`,
		p.Principal.OrganizationID, later)
	p.fill(t, "effect_instruction", `INSERT INTO effect_instruction (organization_id, effect_id, owner, record, kind, stage, payload, on_day,
		cause, actor, caller, request_id, due_at)
		SELECT $1::text::uuid, gen_random_uuid(), 'assets', i::text, 'rate', 'completed', '{}', current_date, '{}', '{}', '{}', '',
			clock_timestamp() + (1 + i % 17000) * interval '1 hour' FROM generate_series(1, $2::int) i`, p.Principal.OrganizationID, later)
	for _, look := range []struct{ sql, table, due string }{
		{"planner_due(200)", "pm_plan", "next_action_at"},
		{"sla_due(200)", "work_order", "complete_by"},
		{"effects_take(200, '{}')", "effect_instruction", "due_at"},
	} {
		sql := "SELECT * FROM " + look.sql
		p.explain(t, sql) // reads what the catalogue says of the function
		if idle := p.explain(t, sql); idle.Rows != 0 || idle.pages() > 20 {
			t.Errorf("%s finds %v and reads %d pages, while nothing is due", look.sql, idle.Rows, idle.pages())
		}
		p.exec(t, "UPDATE "+look.table+" SET "+look.due+" = '2026-01-01' WHERE ctid IN (SELECT ctid FROM "+look.table+" ORDER BY "+look.due+
			" LIMIT $1)", due)
		if found := p.explain(t, sql); found.Rows != due || found.pages() > 20*due {
			t.Errorf("%s finds %v of %d that are due, and reads %d pages", look.sql, found.Rows, due, found.pages())
		}
	}
}

// executed is what EXPLAIN ANALYZE says of a statement.
type executed struct {
	Rows float64 `json:"Actual Rows"`
	Hit  int     `json:"Shared Hit Blocks"`
	Read int     `json:"Shared Read Blocks"`
}

// pages is how many pages of tables and indexes were looked at, in memory or not.
func (e executed) pages() int { return e.Hit + e.Read }

func (p *plans) explain(t testing.TB, sql string) executed {
	t.Helper()
	var text string
	if err := p.owner.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) "+sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	var whole []struct{ Plan executed }
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	return whole[0].Plan
}
