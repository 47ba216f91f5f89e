package devstack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/libs/testwait"
)

func TestMain(m *testing.M) { os.Exit(RunTests(m, 2)) }

// launcher is the program that "make run" starts, as a process of its own.
type launcher struct {
	command *exec.Cmd
	shown   *screen
	ended   chan struct{} // closed when it has ended, with err
	err     error
}

// startLauncher starts it with two of everything and a Consul that lets in only who has a token, and waits until all is ready.
func startLauncher(t *testing.T, folder string) *launcher {
	t.Helper()
	l := launch(t, folder, "CONSUL_ACL=1", "GATEWAYS=2", "INSTANCES=2")
	l.awaitReady(t, folder)
	return l
}

// launch starts it with an environment. It is killed when the test is over, and all of its processes end with it.
func launch(t *testing.T, folder string, environment ...string) *launcher {
	t.Helper()
	binaries, err := BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	l := &launcher{shown: &screen{}, ended: make(chan struct{})}
	l.command = exec.Command(filepath.Join(binaries, "dev"))
	l.command.Env = append(append(os.Environ(), "AMS_RUN_DIR="+folder, "AMS_PORT=0"), environment...)
	l.command.Stdout, l.command.Stderr = l.shown, l.shown
	if err := StartChild(l.command); err != nil {
		t.Fatal(err)
	}
	go func() { l.err = l.command.Wait(); close(l.ended) }()
	t.Cleanup(func() {
		_ = l.command.Process.Kill() // fails only if it has ended
		<-l.ended
		testwait.For(t, 20*time.Second, "all processes have ended", func() bool { return len(processesIn(folder)) == 0 })
		if t.Failed() {
			t.Logf("the launcher printed:\n%s", l.shown)
		}
	})
	return l
}

// awaitReady waits until the launcher has described what runs.
func (l *launcher) awaitReady(t *testing.T, folder string) {
	t.Helper()
	testwait.For(t, 5*time.Minute, "the stack is ready", func() bool {
		_, err := Read(folder)
		l.mustRun(t)
		return err == nil
	})
}

func (l *launcher) mustRun(t *testing.T) {
	t.Helper()
	select {
	case <-l.ended:
		t.Fatalf("the launcher ended: %v\n%s", l.err, l.shown)
	default:
	}
}

// processesIn are those that work in folder or below it: all of a stack's processes do, PostgreSQL's own children too.
func processesIn(folder string) []string {
	var found []string
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if place, err := os.Readlink(link); err == nil && strings.HasPrefix(place, folder) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			found = append(found, filepath.Base(filepath.Dir(link))+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}

func get(t *testing.T, url, key string, into any) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if into != nil {
		if err := json.NewDecoder(response.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	return response.StatusCode
}

// everyProcess names the processes of a stack with two of everything.
func everyProcess() []string {
	names := []string{"postgres", "redis", "consul", "clamd"}
	for _, program := range append([]string{"gateway"}, services...) {
		names = append(names, program+"-1", program+"-2")
	}
	return names
}

// everyFamily is the least that an organization has of the collections, with so many segments.
func everyFamily(segments int) map[string]int {
	return map[string]int{
		"assets": 4000, "users": 20, "work-orders": 1000, "projects": 30, "infrastructure/networks": 5, "infrastructure/segments": segments,
		"infrastructure/inspections": 200, "los/service-areas": 5, "los/measures": 10, "los/targets": 60, "los/measurements": 50,
		"teams": 2, "vendors": 8, "deficiencies": 200, "infrastructure/deficiencies": 10, "request-services": 6, "request-links": 6,
		"requests": 40, "maintenance/calendars": 1, "maintenance/sla-policies": 4, "maintenance/job-plans": 7, "maintenance/pm-plans": 7,
		"meters": 10, "forms/templates": 1, "forms/responses": 20, "documents": 15, "planning/runs": 1, "retention-classes": 1, "legal-holds": 1,
		"accounting/fiscal-years": 2, "accounting/classes": 6, "accounting/capital-assets": 100, "accounting/transactions": 200,
	}
}

// checkLedger looks at the schedule of the last year that is closed: it opens with what was adopted, and foots.
func checkLedger(t *testing.T, d Description, organization demo.Organization) {
	t.Helper()
	key := organization.Keys["full"]
	var years struct {
		Data []struct {
			FiscalYear int    `json:"fiscal_year"`
			State      string `json:"state"`
		} `json:"data"`
	}
	if status := get(t, d.BaseURL+"/v1/accounting/fiscal-years?sort=fiscal_year", key, &years); status != http.StatusOK ||
		len(years.Data) != 2 || years.Data[0].State != "closed" || years.Data[1].State != "open" {
		t.Fatalf("%s has the fiscal years %+v (%d)", organization.Name, years.Data, status)
	}
	var schedule struct {
		Provisional bool `json:"provisional"`
		Total       struct {
			Cost struct {
				Opening float64 `json:"opening"`
				Closing float64 `json:"closing"`
			} `json:"cost"`
			Accumulated struct {
				Amortization float64 `json:"amortization"`
			} `json:"accumulated_amortization"`
		} `json:"total"`
	}
	path := fmt.Sprintf("%s/v1/accounting/schedule?fiscal_year=%d&group_by=class", d.BaseURL, years.Data[0].FiscalYear)
	if status := get(t, path, key, &schedule); status != http.StatusOK || schedule.Provisional || schedule.Total.Cost.Opening < 8_000_000 ||
		schedule.Total.Cost.Closing <= schedule.Total.Cost.Opening || schedule.Total.Accumulated.Amortization <= 0 {
		t.Errorf("the schedule of %s is %+v (%d)", organization.Name, schedule, status)
	}
}

// total is how many records of a collection the organization has.
func total(t *testing.T, d Description, organization demo.Organization, collection string) int {
	t.Helper()
	var list struct {
		Pagination struct {
			Total int `json:"total"`
		} `json:"pagination"`
	}
	if status := get(t, d.BaseURL+"/v1/"+collection+"?per_page=1", organization.Keys["full"], &list); status != http.StatusOK {
		t.Fatalf("%s of %s: %d", collection, organization.Name, status)
	}
	return list.Pagination.Total
}

// checkMaintenance looks at the plans of an organization: what was done of them in the last months, and what comes.
func checkMaintenance(t *testing.T, d Description, organization demo.Organization) {
	t.Helper()
	ask := func(report string, from, to int, into any) {
		day := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
		path := d.BaseURL + "/v1/maintenance/" + report + "?from=" + day(from) + "&to=" + day(to)
		if status := get(t, path, organization.Keys["full"], into); status != http.StatusOK {
			t.Errorf("%s of %s: %d", report, organization.Name, status)
		}
	}
	var done struct {
		Due    int      `json:"due"`
		InTime int      `json:"in_time"`
		Late   int      `json:"late"`
		Open   int      `json:"open"`
		Pct    *float64 `json:"pm_compliance_pct"`
	}
	if ask("pm-compliance", -200, 0, &done); done.Due != 40 || done.InTime != 30 || done.Late != 10 || done.Open != 0 || done.Pct == nil {
		t.Errorf("of its maintenance %s has done %+v", organization.Name, done)
	}
	// What was done was asked for before, and what was calculated is there.
	for query, least := range map[string]int{"work-orders?status=closed,completed&response_hours=null&per_page=1": 0,
		"work-orders?status=closed&response_hours_min=0&per_page=1": 800, "planning/runs?state=completed&per_page=1": 1,
		"documents?kind=photo&collection=deficiencies&per_page=1": 5, "deficiencies?found_on_to=2025-12-31&per_page=1": 50} {
		var list struct {
			Pagination struct {
				Total int `json:"total"`
			} `json:"pagination"`
		}
		if status := get(t, d.BaseURL+"/v1/"+query, organization.Keys["full"], &list); status != http.StatusOK || list.Pagination.Total < least ||
			least == 0 && list.Pagination.Total > 0 {
			t.Errorf("%s of %s: %d (%d)", query, organization.Name, list.Pagination.Total, status)
		}
	}
	var forecast struct {
		Total struct {
			WorkOrders int `json:"work_orders"`
		} `json:"total"`
	}
	if ask("forecast", 0, 365, &forecast); forecast.Total.WorkOrders < 100 {
		t.Errorf("%s expects %d work orders in a year", organization.Name, forecast.Total.WorkOrders)
	}
}

// TestTheLauncher is the life of one folder: a first start in one process, as without any wish, Ctrl-C, two of everything, a
// death, kill -9, and a start after that.
func TestTheLauncher(t *testing.T) {
	folder := runFolder(t)
	l := launch(t, folder)
	l.awaitReady(t, folder)
	d, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}

	t.Run("runs one process of all programs, and says what to do", func(t *testing.T) {
		if !running(d.PIDs[programName]) || len(d.PIDs) != 4 { // besides PostgreSQL, Redis and clamd
			t.Errorf("it runs %v", d.PIDs)
		}
		if !strings.Contains(l.shown.String(), "Ctrl-C stops everything") || !strings.Contains(l.shown.String(), "curl -H") {
			t.Errorf("it does not say what to do:\n%s", l.shown)
		}
	})

	t.Run("has the four organizations with keys that do what they should", func(t *testing.T) {
		for _, wanted := range []struct {
			name, plan string
			addOns     []string
			status     int
			minimum    map[string]int // records of some collections
			settings   string         // time zone, month in which the fiscal year ends, land area
		}{
			{"Ville de Rivière-Claire", "enterprise", []string{}, http.StatusOK, everyFamily(1000), "America/Toronto 12 71.3"},
			{"Northgate District School Board", "enterprise", []string{}, http.StatusOK, everyFamily(300), "America/Toronto 8 <nil>"},
			{"Harbour Properties", "professional", []string{"accounting", "api_keys"}, http.StatusOK,
				map[string]int{"assets": 300, "work-orders": 200, "projects": 15, "documents": 15,
					"accounting/capital-assets": 20, "accounting/transactions": 40}, "America/Halifax 3 <nil>"},
			{"Elm Street Housing Co-op", "essentials", []string{}, http.StatusForbidden, nil, ""},
		} {
			organization, found := d.Organization(wanted.name)
			if !found || organization.Plan != wanted.plan || !slices.Equal(organization.AddOns, wanted.addOns) ||
				organization.Administrator.Password == "" {
				t.Fatalf("%s is described as %+v", wanted.name, organization)
			}
			for _, key := range []string{"full", "read_only", "assets_only", "slow"} {
				for _, gateway := range d.Gateways {
					if status := get(t, gateway+"/v1/assets?per_page=1", organization.Keys[key], nil); status != wanted.status {
						t.Errorf("%s with key %s: %d, not %d", wanted.name, key, status, wanted.status)
					}
				}
			}
			var me struct{ Organization map[string]any }
			if get(t, d.Gateways[0]+"/v1/me", organization.Keys["full"], &me); wanted.settings != "" && wanted.settings !=
				fmt.Sprint(me.Organization["time_zone"], " ", me.Organization["fiscal_year_end_month"], " ", me.Organization["land_area_km2"]) {
				t.Errorf("%s has the settings %v", wanted.name, me.Organization)
			}
			for collection, minimum := range wanted.minimum {
				if got := total(t, d, organization, collection); got < minimum {
					t.Errorf("%s has %d %s", wanted.name, got, collection)
				}
			}
			if wanted.minimum["accounting/capital-assets"] > 0 {
				checkLedger(t, d, organization)
			}
			if wanted.minimum["maintenance/pm-plans"] > 0 {
				checkMaintenance(t, d, organization)
			}
		}
	})

	town := d.Organizations[0]
	assets, before := total(t, d, town, "assets"), map[string]int{}
	for collection := range everyFamily(0) {
		before[collection] = total(t, d, town, collection)
	}

	t.Run("leaves nothing behind after Ctrl-C", func(t *testing.T) {
		began := time.Now()
		if err := l.command.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if <-l.ended; l.err != nil {
			t.Errorf("it ended with %v", l.err)
		}
		t.Logf("stopped in %s", time.Since(began).Round(time.Millisecond))
		if left := processesIn(folder); len(left) > 0 {
			t.Errorf("still there:\n%s", strings.Join(left, "\n"))
		}
		if _, err := Read(folder); err == nil {
			t.Errorf("%s is still there", FileName)
		}
	})

	l = startLauncher(t, folder)
	t.Run("keeps the data, the keys and the records with two of everything", func(t *testing.T) {
		if d, err = Read(folder); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(d.Organizations[0]) != fmt.Sprint(town) {
			t.Errorf("the organization was %+v and is %+v", town, d.Organizations[0])
		}
		for collection, wanted := range before {
			if got := total(t, d, town, collection); got != wanted {
				t.Errorf("%d %s, %d before", got, collection, wanted)
			}
		}
	})

	t.Run("describes everything that runs", func(t *testing.T) {
		for _, name := range everyProcess() {
			if !running(d.PIDs[name]) {
				t.Errorf("%s is not there: %v", name, d.PIDs)
			}
		}
		if len(d.Gateways) != 2 || d.Gateways[0] != d.BaseURL || !slices.Equal(d.Regions, []string{Region}) {
			t.Errorf("gateways %v of base %s in regions %v", d.Gateways, d.BaseURL, d.Regions)
		}
	})

	t.Run("lets nobody register in Consul without a token", func(t *testing.T) {
		for token, wanted := range map[string]int{"": http.StatusForbidden, d.ConsulToken: http.StatusOK} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+d.ConsulAddr+"/v1/agent/service/register",
				strings.NewReader(`{"Name":"stranger","Port":6666}`))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-Consul-Token", token)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != wanted {
				t.Errorf("a registration with %d letters of a token: %d, not %d", len(token), response.StatusCode, wanted)
			}
		}
	})

	t.Run("starts a service again that was killed, and says so", func(t *testing.T) {
		if err := syscall.Kill(d.PIDs["assets-1"], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		testwait.For(t, 20*time.Second, "assets-1 is back", func() bool { return strings.Contains(l.shown.String(), "assets-1 is back") })
		after, err := Read(folder)
		if err != nil || after.PIDs["assets-1"] == d.PIDs["assets-1"] || !running(after.PIDs["assets-1"]) {
			t.Errorf("%s has %d, %d before: %v", FileName, after.PIDs["assets-1"], d.PIDs["assets-1"], err)
		}
		if got := total(t, d, town, "assets"); got != assets {
			t.Errorf("%d assets, %d before", got, assets)
		}
	})

	t.Run("leaves nothing behind when it is killed", func(t *testing.T) {
		if err := l.command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-l.ended
		testwait.For(t, 20*time.Second, "everything is gone", func() bool { return len(processesIn(folder)) == 0 })
	})

	t.Run("starts again after that", func(t *testing.T) {
		began := time.Now() // the programs are built by now
		l = launch(t, folder)
		l.awaitReady(t, folder)
		t.Logf("warm start in %s", time.Since(began).Round(time.Millisecond))
		if d, err = Read(folder); err != nil {
			t.Fatal(err)
		}
		if got := total(t, d, town, "assets"); got != assets {
			t.Errorf("%d assets, %d before", got, assets)
		}
		if err := l.command.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		<-l.ended
	})
}

func TestTheStackForTestsHasTwoOfEverything(t *testing.T) {
	d := ForTest(t).Description()
	if ForTest(t).Description().BaseURL != d.BaseURL {
		t.Error("the second test got another stack")
	}
	for _, gateway := range d.Gateways {
		for service, path := range probes {
			want := http.StatusOK
			if service == "search" { // which refuses to look for nothing
				want = http.StatusBadRequest
			}
			if status := get(t, gateway+path, d.Organizations[0].Keys["full"], nil); status != want {
				t.Errorf("%s%s: %d", gateway, path, status)
			}
		}
	}
	if len(d.PIDs) != len(everyProcess()) {
		t.Errorf("%d processes: %v", len(d.PIDs), d.PIDs)
	}
}
