package workorders

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

// plans is the service with a planner whose clock the test sets.
type plans struct {
	fixture
	planner *planner
	owner   *pgx.Conn
	job     string
	status  map[string]*string // of the assets that were made
}

func newPlans(t testing.TB) *plans {
	t.Helper()
	f := newFixtureAlone(t)
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { owner.Close(context.WithoutCancel(t.Context())) })
	p := &plans{fixture: f, owner: owner, status: map[string]*string{}}
	p.planner = p.newPlanner(t)
	p.job = p.Create(t, "/v1/maintenance/job-plans", fields{"name": "Inspection", "type": "inspection", "estimated_hours": 0.5,
		"tasks": []fields{{"title": "Vérifier", "required": true}, {"title": "Nettoyer"}}})["id"].(string)
	return p
}

// withMaintenance is what a gateway says of every organization.
func withMaintenance(_ context.Context, id string) (reference.Organization, error) {
	return reference.Organization{ID: id, TimeZone: "America/Toronto", Features: []string{"maintenance", "infrastructure"}}, nil
}

// newPlanner is one more instance's.
func (p *plans) newPlanner(t testing.TB) *planner {
	made := orders{p.registry}.newPlanner(resourcetest.Log(t))
	made.queue.Organizations = reference.NewOrganizationCache(withMaintenance, time.Now)
	if p.planner != nil {
		made.now = p.planner.now
	}
	return made
}

// plan makes an active plan on some assets that starts working on a day.
func (p *plans) plan(t testing.TB, from string, body fields) string {
	t.Helper()
	for name, value := range (fields{"name": "Plan", "job_plan_id": p.job, "basis": "fixed", "starts_on": "2027-01-01", "status": "active",
		"time_zone": "America/Toronto"}) {
		if _, given := body[name]; !given {
			body[name] = value
		}
	}
	if body["targets"] == nil && body["target_filter"] == nil {
		body["targets"] = []fields{{"target_type": "asset", "target_id": assetIDs[0]}}
	}
	id := p.Create(t, "/v1/maintenance/pm-plans", body)["id"].(string)
	p.exec(t, "UPDATE pm_plan SET planned_from = $2::text::date WHERE id = $1::text::uuid", id, from)
	return id
}

func (p *plans) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := p.owner.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// at lets the planner look at a time: what is due by then is due for the database too.
func (p *plans) at(t testing.TB, at string) {
	t.Helper()
	if err := p.lookAt(t, p.planner, at); err != nil {
		t.Fatal(err)
	}
}

func (p *plans) lookAt(t testing.TB, by *planner, at string) error {
	t.Helper()
	now, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	by.now = func() time.Time { return now }
	p.exec(t, "UPDATE pm_plan SET next_action_at = '2000-01-01' WHERE next_action_at <= greatest($1::timestamptz, "+
		"clock_timestamp() + interval '1 hour')", now)
	return by.queue.Once(t.Context())
}

// occurrences gives those of a plan, by their names; of several targets, the last.
func (p *plans) occurrences(t testing.TB, plan, query string) map[string]fields {
	t.Helper()
	list, _ := p.List(t, "/v1/maintenance/pm-plans/"+plan+"/occurrences?per_page=1000&"+query)
	found := map[string]fields{}
	for _, o := range list {
		found[o["occurrence"].(string)] = o
	}
	return found
}

func (p *plans) workOrders(t testing.TB, query string) []fields {
	t.Helper()
	var all []fields
	for page := 1; ; page++ {
		list, _ := p.List(t, fmt.Sprintf("/v1/work-orders?per_page=1000&page=%d&%s", page, query))
		all = append(all, list...)
		if len(list) < 1000 {
			return all
		}
	}
}

// complete completes a work order at a time.
func (p *plans) complete(t testing.TB, order any, at string) {
	t.Helper()
	path := "/v1/work-orders/" + order.(string)
	tasks, _ := p.List(t, path+"/tasks")
	for _, task := range tasks {
		p.Must(t, http.StatusOK, "PATCH", path+"/tasks/"+task["id"].(string), fields{"result": "pass"})
	}
	// The test's times are later than the real one, which work orders do not take.
	p.exec(t, "UPDATE work_order SET created_at = least(created_at, '2020-01-01') WHERE id = $1::text::uuid", order)
	p.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"})
	p.exec(t, "UPDATE work_order SET completed_at = $2::text::timestamptz WHERE id = $1::text::uuid", order, at)
	p.exec(t, `UPDATE pm_occurrence SET done_on = ($2::text::timestamptz AT TIME ZONE 'America/Toronto')::date
		WHERE work_order_id = $1::text::uuid AND state = 'done'`, order, at)
}

// assets keeps more assets, and gives them as targets.
func (p *plans) assets(n int) []fields {
	targets := make([]fields, n)
	for i := range targets {
		id := uuid.Must(uuid.NewV7()).String()
		status := "in_service"
		p.status[id] = &status
		p.peers.Keep("assets",
			reference.Entry{ID: id, Name: fmt.Sprintf("Extincteur %d", i), Status: &status, References: map[string]string{"site_id": siteIDs[0]}})
		targets[i] = fields{"target_type": "asset", "target_id": id}
	}
	return targets
}
