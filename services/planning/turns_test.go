package planning

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/testwait"
)

// beside is another organization of the same service.
func (f *fixture) beside() *fixture {
	return &fixture{f.Other(), f.database, f.planning, f.peers, f.db}
}

// Two organizations with the longest runs do not keep a third from its own.
func TestOrganizationsHaveTurns(t *testing.T) {
	alone, _ := longRun(t, 3000)
	alone.planning.turns.length = 20 * time.Millisecond
	var busy []*fixture
	var runs []string
	for range jobPlaces {
		f := alone.beside()
		f.organization()
		busy, runs = append(busy, f), append(runs, pathOf("planning_runs")+"/"+f.make(t, "planning_runs", f.longRun(t, 50)))
	}
	third := alone.beside()
	third.organization()
	third.fiveRules(t)
	question := third.scenario(t, "SHORT", "do_nothing", nil)
	alone.work(t)
	for i, f := range busy {
		testwait.For(t, 2*time.Minute, "the run to begin", func() bool {
			return f.Must(t, http.StatusOK, "GET", runs[i], nil).JSON["state"] != "queued"
		})
	}
	short := third.make(t, "planning_runs", fields{"scenario_ids": []string{question}})
	if run := third.ended(t, "planning_runs", short, "completed", "failed"); run["state"] != "completed" {
		t.Errorf("the third organization's run is %v", run)
	}
	for i, f := range busy {
		if state := f.Must(t, http.StatusOK, "GET", runs[i], nil).JSON["state"]; state != "running" {
			t.Errorf("the run beside is %v already: it was not long enough to show anything", state)
		}
		f.Must(t, http.StatusOK, "POST", runs[i]+"/cancel", nil)
	}
}

// A run of many turns comes to the same as one that nobody waits for.
func TestTurnsChangeNoResult(t *testing.T) {
	f, body := longRun(t, 200)
	f.planning.turns.length = 0
	f.planning.turns.crowded.Add(1) // somebody waits all the time
	f.work(t)
	path := pathOf("planning_runs") + "/" + f.make(t, "planning_runs", body)
	testwait.For(t, 2*time.Minute, "the run to be completed", func() bool {
		return f.Must(t, http.StatusOK, "GET", path, nil).JSON["state"] == "completed"
	})
	if verified := f.Must(t, http.StatusOK, "POST", path+"/verify", nil).JSON; verified["identical"] != true {
		t.Errorf("calculated at once it is %v", verified)
	}
}

// Whatever reads an inventory waits for a place, so that the questions of one organization do not take what all others need.
func TestQuestionsAboutInventoriesWaitForTheirTurn(t *testing.T) {
	f, run, record := fiveRun(t)
	element := pathOf("planning_inventories") + "/" + record["inventory_id"].(string) + "/elements"
	id := f.Must(t, http.StatusOK, "GET", element, nil).JSON["data"].([]any)[0].(fields)["element_id"].(string)
	f.serveProjects(t)
	regulation := run + "/regulation?section=5&current=KEEP"
	for _, question := range []struct {
		method, path string
		body         any
	}{
		{"GET", element, nil}, {"GET", run + "/groups?scenario=BUDGET", nil},
		{"GET", run + "/compare", nil}, {"GET", run + "/interventions?scenario=BUDGET", nil},
		{"GET", run + "/interventions/export?scenario=BUDGET", nil}, {"GET", run + "/elements/" + id + "?scenario=BUDGET", nil},
		{"GET", regulation, nil}, {"POST", run + "/verify", nil}, {"POST", run + "/promote", fields{"scenario": "BUDGET", "years": []int{2027}}},
	} {
		queue, places := f.planning.questions, questionPlaces
		if question.path == run+"/verify" {
			queue, places = f.planning.verifications, 1
		}
		var others []string
		for range places {
			other := uuid.NewString()
			if _, err := queue.Enter(t.Context(), other); err != nil {
				t.Fatal(err)
			}
			others = append(others, other)
		}
		answered := make(chan int)
		go func() { answered <- f.Do(t, question.method, question.path, question.body).Status }()
		select {
		case status := <-answered:
			t.Errorf("%s %s did not wait for its turn: %d", question.method, question.path, status)
			continue
		case <-time.After(50 * time.Millisecond):
		}
		for _, other := range others {
			queue.Leave(other)
		}
		want := http.StatusOK
		if question.path == regulation {
			want = http.StatusConflict // these scenarios are too short for its tables
		}
		if status := <-answered; status != want {
			t.Errorf("%s %s: %d", question.method, question.path, status)
		}
	}
}
