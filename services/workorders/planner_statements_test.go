package workorders

import (
	"testing"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// A look at which nothing is due is one statement; 500 targets that fall due are at most twelve, with begin and commit, and three more for
// the tasks of their work orders.
func TestTheStatementsOfALook(t *testing.T) {
	p := newPlans(t)
	counted := func() (*planner, func() int64) {
		address, run := postgrestest.CountStatements(t, p.database.Session) // past a pooler, who would not be counted
		db, err := postgres.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		o := orders{resource.NewRegistry(transport.New(resourcetest.NewSigner(t), db, resourcetest.Log(t)), db, p.peers.References)}
		o.handler()
		made := o.newPlanner(resourcetest.Log(t))
		made.queue.Organizations = p.planner.queue.Organizations
		return made, run.Load
	}
	by, run := counted()
	if err := by.queue.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := run()
	if err := by.queue.Once(t.Context()); err != nil || run()-before != 1 {
		t.Errorf("nothing is due: %d statements, %v", run()-before, err)
	}
	p.job = p.Create(t, "/v1/maintenance/job-plans", fields{"name": "Inspection"})["id"].(string)
	for _, n := range []int{500, 1000} {
		p.plan(t, "2027-01-01", fields{"targets": p.assets(n), "trigger": fields{"rrule": "FREQ=MONTHLY"}})
	}
	if err := p.lookAt(t, by, "2027-01-01T12:00:00Z"); err != nil { // prepares
		t.Fatal(err)
	}
	p.exec(t, "DELETE FROM pm_occurrence")
	p.exec(t, "UPDATE pm_plan SET next_action_at = '2000-01-01' WHERE target_count = 500")
	before = run()
	if err := by.queue.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	small := run() - before
	p.exec(t, "UPDATE pm_plan SET next_action_at = '2000-01-01' WHERE target_count = 1000")
	before = run()
	if err := by.queue.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if further := run() - before - small; further > 12 {
		t.Errorf("500 targets more take %d statements", further)
	}
}
