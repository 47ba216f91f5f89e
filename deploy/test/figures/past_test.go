package figures

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A test runs within one day, and the past is what was entered on earlier ones. So after each phase of writing, the days on which its
// entries were made are moved back in the database, as its administrator: the instants of the history, and those at which records and
// statements were entered, changed and replaced. Nothing else is touched, least of all the dates that people typed. This is the one
// place where these tests know more than the public API.

// clock is the database's, by which entries get their time.
type clock struct {
	db *pgx.Conn
	o  *organization
}

func newClock(o *organization) *clock {
	o.t.Helper()
	db, err := pgx.Connect(o.t.Context(), described(o.t).PostgresURL)
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = db.Close(o.t.Context()) })
	if _, err := db.Exec(o.t.Context(), "SET session_replication_role = replica"); err != nil { // no trigger tells anybody of it
		o.t.Fatal(err)
	}
	return &clock{db, o}
}

// entered has everything that f writes entered at an instant.
func (c *clock) entered(at string, f func()) {
	c.o.t.Helper()
	instant, err := time.Parse(time.RFC3339, at)
	if err != nil {
		c.o.t.Fatal(err)
	}
	var since time.Time
	if err := c.db.QueryRow(c.o.t.Context(), "SELECT clock_timestamp()").Scan(&since); err != nil {
		c.o.t.Fatal(err)
	}
	f()
	rows, err := c.db.Query(c.o.t.Context(), `SELECT format('UPDATE %I.%I SET %I = $3 WHERE organization_id = $1 AND %I >= $2',
			c.table_schema, c.table_name, c.column_name, c.column_name)
		FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		JOIN information_schema.columns o USING (table_schema, table_name)
		WHERE c.table_schema IN ('assets', 'infrastructure') AND t.table_type = 'BASE TABLE' AND o.column_name = 'organization_id'
			AND c.column_name IN ('at', 'until', 'created_at', 'updated_at', 'entered_at', 'condition_reported_at')
			AND c.table_name NOT IN ('outbox', 'idempotency')
			AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = format('%I.%I', c.table_schema, c.table_name)::regclass)`)
	if err != nil {
		c.o.t.Fatal(err)
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(statements) < 10 {
		c.o.t.Fatalf("%d tables with days of entry: %v", len(statements), err)
	}
	for _, statement := range statements {
		if _, err := c.db.Exec(c.o.t.Context(), statement, c.o.id, since, instant); err != nil {
			c.o.t.Fatalf("%s: %v", statement, err)
		}
	}
}

func (o *organization) total(asOf string, horizon int) row {
	o.t.Helper()
	return o.get(fmt.Sprintf("/v1/reports/state-of-assets?group_by=site&as_of=%s&horizon_years=%d", asOf, horizon))["total"].(row)
}

func TestAPastDayHasWhatStoodThen(t *testing.T) {
	o := newOrganization(t)
	o.create("/v1/assets", row{"name": "A", "replacement_cost": 900000, "install_date": "2026-06-01"})
	b := o.create("/v1/assets", row{"name": "B", "replacement_cost": 500000, "install_date": "1990-01-01"})
	o.patch("/v1/assets/"+b, row{"status": "decommissioned", "out_of_use_on": "2026-03-01"})
	expect(t, "2020-12-31", o.total("2020-12-31", 0), map[string]string{
		"replacement_cost": "500000", "average_age_years": "31", "counts.assets": "1", "counts.assets_left_out": "1"})
	for day, want := range map[string][2]string{"2026-02-28": {"500000", "1"}, "2026-03-01": {"0", "0"}, "2026-05-31": {"0", "0"},
		"2026-06-01": {"900000", "1"}} {
		expect(t, day, o.total(day, 0), map[string]string{"replacement_cost": want[0], "counts.assets": want[1]})
	}
}

func TestAPastDayHasThePlanOfThatDay(t *testing.T) {
	o := newOrganization(t)
	c := newClock(o)
	var id string
	c.entered("2026-01-05T09:00:00-05:00", func() {
		id = o.create("/v1/assets", row{"name": "Roof", "replacement_cost": 400000, "planned_renewal_year": 2025})
	})
	c.entered("2026-04-10T09:00:00-04:00", func() { o.patch("/v1/assets/"+id, row{"planned_renewal_year": 2030}) })
	expect(t, "the day before", o.total("2026-04-09", 0), map[string]string{"need": "400000", "fci_pct": "100", "fci_grade": "critical"})
	expect(t, "the day of the change", o.total("2026-04-10", 0), map[string]string{"need": "0", "fci_pct": "0", "fci_grade": "good"})
}

func TestAPastDayHasThePlaceOfThatDay(t *testing.T) {
	o := newOrganization(t)
	c := newClock(o)
	x, y := o.create("/v1/sites", row{"name": "X"}), o.create("/v1/sites", row{"name": "Y"})
	var id string
	c.entered("2026-01-05T09:00:00-05:00", func() {
		id = o.create("/v1/assets", row{"name": "Pump", "site_id": x, "replacement_cost": 7000})
	})
	c.entered("2026-03-31T23:30:00-04:00", func() { o.patch("/v1/assets/"+id, row{"site_id": y}) })
	for _, want := range []struct{ day, there, not string }{{"2026-03-30", x, y}, {"2026-03-31", y, x}, {"2026-04-01", y, x}} {
		expect(t, want.day, o.get("/v1/sites/"+want.there+"/summary?as_of="+want.day), map[string]string{"replacement_cost": "7000",
			"counts.assets": "1"})
		expect(t, want.day, o.get("/v1/sites/"+want.not+"/summary?as_of="+want.day), map[string]string{"replacement_cost": "0",
			"counts.assets": "0"})
	}
}

func TestAMeasureOfAPastYearIsMadeOfWhatWasKnownThen(t *testing.T) {
	o := newOrganization(t)
	site := o.create("/v1/sites", row{"name": "Works yard"})
	area := o.create("/v1/los/service-areas", row{"name": "Buildings", "category": "facilities", "site_ids": []string{site}})
	measure := o.create("/v1/los/measures", row{"name": "Average condition", "service_area_id": area, "measure_type": "technical",
		"value_kind": "number", "data_source": "computed", "computed_metric": "avg_condition_rating"})
	asset := o.create("/v1/assets", row{"name": "Roof", "site_id": site, "install_date": "2010-01-01"})
	assessments := "/v1/assets/" + asset + "/condition-assessments"
	o.create(assessments, row{"assessed_on": today(), "condition_rating": 5, "method": "detailed"})
	year := row{"period_start": "2019-01-01", "period_end": "2019-12-31"}
	refused := o.call(409, "POST", "/v1/los/measures/"+measure+"/compute", year)
	if refused["code"] != "nothing_to_compute" {
		t.Errorf("assessed today alone, 2019 is refused with %v", refused)
	}
	o.create(assessments, row{"assessed_on": "2019-06-30", "condition_rating": 4, "method": "detailed"})
	answer := o.send(0, "POST", "/v1/los/measures/"+measure+"/compute", year)
	if answer.Status >= 300 || !same(shown(answer.Object, "value"), "4") {
		t.Errorf("assessed 4 in 2019 and 5 today, 2019 is %d: %s", answer.Status, answer.Body)
	}
}

// TestPastDaysAreWhatWasRecordedThen writes in three phases, reads everything after each, and asks for those days at the end: places, plans
// and appraisals as they stood, statements by their own dates.
func TestPastDaysAreWhatWasRecordedThen(t *testing.T) {
	o := newOrganization(t)
	c, p := newClock(o), newPortfolio(o, 41)
	days := []string{"2025-06-30", "2025-12-31", "2026-05-15"}
	recorded := make([]lists, len(days))
	c.entered(days[0]+"T12:00:00-04:00", func() { p.write(); p.findDeficiencies(30) })
	recorded[0] = p.lists()
	for phase := 1; phase < len(days); phase++ {
		c.entered(days[phase]+"T12:00:00-04:00", func() { p.change(days[phase]) })
		recorded[phase] = p.lists()
	}
	r := newRecount(t)
	o.byTypedYears() // from today on: on those days renewals were due by lives
	for phase, day := range days {
		found := asOf(t, recorded, phase)
		found["settings"] = o.settings()
		r.load(found)
		for _, horizon := range []int{0, 5} {
			q := question{day: day, horizon: horizon, saidAlone: true}
			r.ask(q)
			checkReports(o, r, q, groupings...)
			checkSummaries(o, r, q, 12)
		}
	}
	basis := o.get("/v1/reports/state-of-assets?as_of=" + days[0])["basis"]
	for _, name := range []string{"entered_later", "changed_since"} {
		if text := shown(basis, name); text == "null" || text == "0" {
			t.Errorf("on %s, %s is %s after two phases of entering and changing", days[0], name, text)
		}
	}
}

// change is a phase of ordinary work, done on day: records are moved, planned anew, appraised, taken out of use and added, and statements
// come with dates since the phase before.
func (p *portfolio) change(day string) {
	p.assess(p.assets, 2023, 2023) // papers that come late
	for _, id := range p.assets {
		switch now := p.o.get("/v1/assets/" + id); p.random.IntN(7) {
		case 0:
			p.o.patch("/v1/assets/"+id, row{"planned_renewal_year": p.renewal(), "category": p.pick(categories...), "consequence_of_failure": 3})
		case 1:
			if now["system_id"] == nil {
				p.o.patch("/v1/assets/"+id, row{"building_id": p.buildings[p.random.IntN(len(p.buildings))], "site_id": nil})
			}
		case 2:
			cost := p.money(250_000)
			p.o.patch("/v1/assets/"+id, row{"replacement_cost": cost, "replacement_cost_as_of": day, "replacement_cost_year": 2025})
			p.keep(id, row{"replacement_cost": cost, "as_of": day, "replacement_cost_year": 2025})
		case 3:
			p.o.create("/v1/assets/"+id+"/condition-assessments", row{"assessed_on": day, "condition_rating": 1 + p.random.IntN(5),
				"method": "visual", "deferred_maintenance_cost": p.money(9000)})
		case 4:
			if now["status"] == "in_service" {
				p.o.patch("/v1/assets/"+id, row{"status": "decommissioned", "out_of_use_on": day})
			}
		}
	}
	for _, id := range p.systems {
		if p.often(30) {
			change := row{"planned_renewal_year": p.renewal(), "replacement_cost": p.money(500_000)}
			if typed := p.money(50_000); !p.deficient[id] {
				change["deferred_maintenance_cost"] = typed
			}
			p.o.patch("/v1/systems/"+id, change)
		}
	}
	p.changeDeficiencies(day)
	for _, id := range p.buildings {
		if p.often(30) {
			p.o.patch("/v1/buildings/"+id, row{"replacement_cost": p.money(2_000_000), "replacement_cost_year": 2025})
		}
	}
	p.writeSystems(3)
	p.writeAssets(8)
}

// changeDeficiencies corrects, waives and estimates anew some of the deficiencies, and finds others.
func (p *portfolio) changeDeficiencies(day string) {
	for _, line := range p.o.stream("/v1/deficiencies") {
		d := decoded(p.o.t, line).(row)
		path := "/v1/deficiencies/" + d["id"].(string)
		switch status := fmt.Sprint(d["status"]); p.random.IntN(6) {
		case 0:
			if status == "open" || status == "planned" || status == "in_work" {
				p.o.patch(path, row{"status": "corrected", "corrected_on": day})
			}
		case 1:
			if status == "open" || status == "planned" {
				p.o.patch(path, row{"status": "waived", "waive_reason": "It is not worth it"})
			}
		case 2:
			p.o.patch(path, row{"estimated_cost": p.money(30_000), "cost_year": 2024, "action_year": p.renewal()})
		case 3:
			if status == "corrected" || status == "waived" {
				p.o.patch(path, row{"status": "open"})
			}
		}
	}
	p.findDeficiencies(5)
}

// dated are the fields that say themselves from when they hold; all others are as they were recorded.
var dated = []string{"out_of_use_on", "install_date", "install_year", "found_on", "corrected_on"}

// asOf gives the lists as they stood after a phase: what was recorded then, what was entered later as it was first recorded, and of both
// the dated facts and the statements that are known in the end.
func asOf(t testing.TB, recorded []lists, phase int) lists {
	t.Helper()
	last := recorded[len(recorded)-1]
	found := lists{"assessments": last["assessments"], "own_costs": last["own_costs"], "own_ratings": last["own_ratings"],
		"inspections": last["inspections"],
		"prices":      last["prices"], "price_indexes": last["price_indexes"]}
	for _, name := range []string{"sites", "buildings", "systems", "assets", "networks", "segments", "deficiencies"} {
		first, final := map[string]row{}, map[string]row{}
		for _, moment := range slices.Backward(recorded[phase:]) {
			for _, line := range moment[name] {
				record := decoded(t, line).(row)
				first[record["id"].(string)] = record
			}
		}
		for _, line := range last[name] {
			record := decoded(t, line).(row)
			final[record["id"].(string)] = record
		}
		for id, record := range first {
			for _, field := range dated {
				record[field] = final[id][field]
			}
			if status := fmt.Sprint(final[id]["status"]); record["status"] != "planned" && slices.Contains(goneStates, status) {
				record["status"] = status
			}
			found[name] = append(found[name], encoded(t, record))
		}
	}
	return found
}

var goneStates = strings.Fields("decommissioned disposed abandoned removed demolished")
