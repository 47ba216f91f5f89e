package toronto_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// run is a run of scenarios as far as it is looked at here.
type run struct {
	ID          string
	State       string
	InventoryID string   `json:"inventory_id"`
	ScenarioIDs []string `json:"scenario_ids"`
	Result      string   `json:"result_sha256"`
	Projects    int
}

// The City's components as an inventory: five scenarios order as they must, come to the same result when they are calculated again while
// whoever calculates is killed, say why something is not done, and become projects. With AMS_TORONTO_FILE=PATH it is the City's own file.
func TestTheCitysComponentsArePlanned(t *testing.T) {
	u := newTools(t)
	path := os.Getenv("AMS_TORONTO_FILE")
	if path == "" {
		path = evaluations(t, 120).path
	}
	u.finish(u.script(path))
	began := time.Now()
	condition := u.plan(20_000_000 / cityComponents * u.total("/v1/assets?per_page=1"))
	t.Logf("planned, calculated and verified in %s; condition after 25 years: %v", time.Since(began).Round(10*time.Millisecond), condition)
	for i, codes := range [][2]string{{"TO-NOTHING", "TO-BUDGET"}, {"TO-BUDGET", "TO-UNLIMITED"}, {"TO-NOTHING", "TO-KEEP"},
		{"TO-KEEP", "TO-UNLIMITED"}} {
		if condition[codes[0]] > condition[codes[1]] || i == 0 && condition[codes[0]] == condition[codes[1]] {
			t.Errorf("%s leaves a condition of %v, %s of %v", codes[0], condition[codes[0]], codes[1], condition[codes[1]])
		}
	}
	var list struct{ Data []run }
	u.get("/v1/planning/runs?sort=-created_at", &list)
	first := list.Data[0]
	var again run
	u.call(http.MethodPost, "/v1/planning/runs", map[string]any{"scenario_ids": first.ScenarioIDs, "inventory_id": first.InventoryID}, &again)
	again = u.calculatedWhileKilled(again.ID)
	if again.Result != first.Result || first.Result == "" {
		t.Errorf("calculated twice, the results are %s and %s", first.Result, again.Result)
	}
	u.checkReasons(first.ID)
	var promoted struct{ Data []struct{ Elements int } }
	u.call(http.MethodPost, "/v1/planning/runs/"+first.ID+"/promote",
		map[string]any{"scenario": "TO-BUDGET", "years": []int{2027}, "group_by": "site"}, &promoted)
	if u.get("/v1/planning/runs/"+first.ID, &first); len(promoted.Data) == 0 || first.Projects != len(promoted.Data) {
		t.Errorf("%d projects were made of what is done in 2027; the run says %d", len(promoted.Data), first.Projects)
	}
}

// cityComponents is how many scored components the City's file of 2023 has.
const cityComponents = 72_721

// plan runs the script with a budget in dollars a year, and gives the condition after the last year by scenario.
func (u *tools) plan(budget int) map[string]float64 {
	u.t.Helper()
	script, err := filepath.Abs("plan.sh")
	if err != nil {
		u.t.Fatal(err)
	}
	command := exec.CommandContext(u.t.Context(), script, fmt.Sprint(budget))
	command.Env = u.environment()
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		u.t.Fatalf("%v: %s%s", err, out, said.String())
	}
	if !strings.Contains(said.String(), "true") {
		u.t.Errorf("calculated again: %s", said.String())
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(rows) != 6 {
		u.t.Fatalf("%v: %s", err, out)
	}
	condition := map[string]float64{}
	for _, row := range rows[1:] {
		for i, name := range rows[0] {
			if name == "avg_condition" {
				condition[row[0]], _ = strconv.ParseFloat(row[i], 64)
			}
		}
	}
	return condition
}

// calculatedWhileKilled kills both instances of planning while they calculate a run, and gives the run when it is done.
func (u *tools) calculatedWhileKilled(id string) (done run) {
	u.t.Helper()
	for _, name := range []string{"planning-1", "planning-2"} {
		if pid := u.d.PIDs[name]; pid != 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it has ended: a test before this one has killed it
		}
	}
	testwait.For(u.t, 2*time.Minute, "the run to be completed", func() bool {
		done = run{}
		return u.try("/v1/planning/runs/"+id, &done) == nil && done.State == "completed"
	})
	return done
}

// checkReasons looks for something that the budget does not do in its third year, and for the sentence that says why.
func (u *tools) checkReasons(id string) {
	u.t.Helper()
	var left struct {
		Data []struct {
			ElementID string `json:"element_id"`
		}
	}
	u.get("/v1/planning/runs/"+id+"/interventions?scenario=TO-BUDGET&year=2029&reason=no_funds&per_page=1", &left)
	if len(left.Data) == 0 {
		u.t.Error("the budget pays for everything in 2029: it shows nothing")
		return
	}
	var why struct {
		Data []struct {
			Year       int
			SentenceEn string `json:"sentence_en"`
		}
	}
	u.get(fmt.Sprintf("/v1/planning/runs/%s/elements/%s?scenario=TO-BUDGET", id, left.Data[0].ElementID), &why)
	if sentence := why.Data[2].SentenceEn; why.Data[2].Year != 2029 || !strings.HasPrefix(sentence, "Not funded: step ") ||
		!strings.Contains(sentence, "short") {
		u.t.Errorf("why nothing is done in %d: %s", why.Data[2].Year, sentence)
	}
}
