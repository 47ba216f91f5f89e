package toronto_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the City's file of 2023 has.
const (
	cityBuildings = 1760
	cityElevators = 1060
	cityUnsafe    = 328
)

// city makes a file with as many buildings, elevators and unsafe handrails as the City's, and few other components. With
// AMS_TORONTO_FILE=PATH it is the City's own file.
func city(t *testing.T) (path string) {
	t.Helper()
	if path := os.Getenv("AMS_TORONTO_FILE"); path != "" {
		return path
	}
	rows := make([]map[string]string, cityBuildings)
	for i := range rows {
		rows[i] = building(i)
		for _, component := range components {
			rows[i][component] = "N/A"
		}
		rows[i][handrails] = []string{"3", "2", " 2", "N/A"}[i%4]
		if i < cityUnsafe {
			rows[i][handrails] = []string{"1", "0", " 1"}[i%3]
		}
		if j := (i + 500) % cityBuildings; j < cityElevators {
			rows[i]["ELEVATOR.MAINTENANCE"] = []string{"3", " 3", "2", "1", "0"}[j%5]
		} else if j%2 == 0 {
			rows[i]["ELEVATOR.MAINTENANCE"] = " N/A"
		}
	}
	return save(t, rows)
}

// checkMaintenance compares deficiencies and tags with what the file has.
func (u *tools) checkMaintenance(elevators, unsafe int) {
	u.t.Helper()
	var report struct {
		Total struct{ Count int }
		Data  []struct {
			Key   *string
			Count int
		}
	}
	u.get("/v1/reports/deficiencies?year="+fmt.Sprint(time.Now().Year())+"&group_by=category", &report)
	if len(report.Data) != 1 || report.Data[0].Key == nil || *report.Data[0].Key != "life_safety" || report.Data[0].Count != unsafe {
		u.t.Errorf("the report of deficiencies is %+v; the file has %d unsafe handrails", report, unsafe)
	}
	var list struct {
		Data       []struct{ Version int }
		Pagination struct{ Total int }
	}
	if u.get("/v1/deficiencies?per_page=1000&fields=version&category=life_safety&source=import", &list); list.Pagination.Total != unsafe {
		u.t.Errorf("%d deficiencies; the file has %d unsafe handrails", list.Pagination.Total, unsafe)
	}
	for _, deficiency := range list.Data {
		if deficiency.Version != 1 { // the second import found it as the first had made it
			u.t.Errorf("a deficiency has version %d", deficiency.Version)
		}
	}
	if found := u.total("/v1/buildings?per_page=1&tags=elevator"); found != elevators {
		u.t.Errorf("%d buildings have the tag elevator; the file has %d", found, elevators)
	}
}

// The City's handrails and elevators: 328 deficiencies, and 1,060 buildings of which each gets its monthly work order once, though one of
// two instances that make them is killed.
func TestTheCitysElevatorsAreTestedEveryMonth(t *testing.T) {
	u := newTools(t)
	path := city(t)
	for _, want := range []string{fmt.Sprint(cityUnsafe, " records created, 0 updated"),
		fmt.Sprint("0 records created, 0 updated, ", cityUnsafe, " unchanged")} {
		command, out := u.script(path)
		if err := command.Wait(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if !strings.Contains(out.String(), "deficiencies: "+fmt.Sprint(cityBuildings)+" rows read; "+want) {
			t.Errorf("the import said %s, want %s", out, want)
		}
		u.checkMaintenance(cityElevators, cityUnsafe)
	}

	toronto, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	today := time.Now().In(toronto)
	month := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, time.UTC)
	due := month.AddDate(0, 1, -1)
	var applied struct {
		Plans []string `json:"pm_plan_ids"`
	}
	u.call(http.MethodPost, "/v1/maintenance/presets/elevator-firefighters/apply", map[string]any{"starts_on": month.Format(time.DateOnly),
		"target_filter": map[string]any{"collection": "buildings", "query": "tags=elevator"}}, &applied)
	if len(applied.Plans) != 1 {
		t.Fatalf("the preset made %v", applied)
	}
	plan := "/v1/maintenance/pm-plans/" + applied.Plans[0]
	u.makeMonth(plan, today, due)

	orders := map[string]bool{}
	for page := 1; page <= 2; page++ {
		var list struct {
			Data []struct {
				BuildingID string `json:"building_id"`
				Occurrence string `json:"occurrence"`
			}
			Pagination struct{ Total int }
		}
		u.get(fmt.Sprintf("/v1/work-orders?pm_plan_id=%s&per_page=1000&page=%d&fields=building_id,occurrence", applied.Plans[0], page), &list)
		if list.Pagination.Total != cityElevators {
			t.Fatalf("%d work orders were made for %d buildings", list.Pagination.Total, cityElevators)
		}
		for _, order := range list.Data {
			if orders[order.BuildingID] = true; order.Occurrence != due.Format(time.DateOnly) {
				t.Errorf("a work order is of %s, want %s", order.Occurrence, due.Format(time.DateOnly))
			}
		}
	}
	if generated := u.total(plan + "/occurrences?per_page=1&state=generated"); len(orders) != cityElevators || generated != cityElevators {
		t.Errorf("work orders for %d buildings, %d occurrences; want %d of each", len(orders), generated, cityElevators)
	}

	var forecast struct {
		Total struct {
			WorkOrders int `json:"work_orders"`
		}
	}
	next := month.AddDate(0, 1, 0)
	u.get("/v1/maintenance/forecast?from="+next.Format(time.DateOnly)+"&to="+next.AddDate(1, 0, -1).Format(time.DateOnly), &forecast)
	if forecast.Total.WorkOrders != 12*cityElevators { // 12,720
		t.Errorf("the forecast of a year has %d work orders, want %d", forecast.Total.WorkOrders, 12*cityElevators)
	}
}

// makeMonth lets the planners make the month's work. The first instance begins while the second is stopped, is killed when the first work
// orders are there, and the second goes on.
func (u *tools) makeMonth(plan string, today, due time.Time) {
	u.t.Helper()
	first, second := u.d.PIDs["workorders-1"], u.d.PIDs["workorders-2"]
	signal := func(pid int, with syscall.Signal) {
		if err := syscall.Kill(pid, with); err != nil {
			u.t.Fatalf("%s to %d: %v", with, pid, err)
		}
	}
	u.call(http.MethodPatch, plan, map[string]any{"status": "active"}, nil)
	if opens := due.AddDate(0, 0, -27); opens.Format(time.DateOnly) > today.Format(time.DateOnly) { // the first days of a month
		u.call(http.MethodPost, plan+"/occurrences/reschedule", map[string]any{"occurrence": due.Format(time.DateOnly),
			"due_on": today.AddDate(0, 0, 20).Format(time.DateOnly), "reason": "Tested early this month"}, nil)
	}
	signal(second, syscall.SIGSTOP)
	defer signal(second, syscall.SIGCONT)
	made, killed, began := 0, false, time.Now()
	for ; made < cityElevators; time.Sleep(100 * time.Millisecond) {
		waited := time.Since(began)
		switch made = u.total(plan + "/occurrences?per_page=1"); {
		case waited > 4*time.Minute:
			u.t.Fatalf("%d of %d occurrences after four minutes", made, cityElevators)
		case made > 0 && !killed:
			u.t.Logf("killed with %d of %d occurrences there", made, cityElevators)
			signal(first, syscall.SIGKILL)
			signal(second, syscall.SIGCONT)
			killed = true
		case waited > time.Minute: // it was stopped while it held the plan
			signal(second, syscall.SIGCONT)
		}
	}
}
