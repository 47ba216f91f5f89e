// Package toronto_test proves the import of the City of Toronto's building evaluations on a running stack, with a file
// of the same shape that it makes itself, and with figures that it computes from that file without the mappings.
package toronto_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTests(m, 2)) }

// before and after are the columns around the scored components, as the City writes them.
var (
	before = strings.Split("X_id,RSN,YEAR.REGISTERED,YEAR.BUILT,"+
		"YEAR.EVALUATED,PROPERTY.TYPE,WARD,WARDNAME,SITE.ADDRESS,CONFIRMED.STOREYS,CONFIRMED.UNITS,"+
		"EVALUATION.COMPLETED.ON,CURRENT.BUILDING.EVAL.SCORE,PROACTIVE.BUILDING.SCORE,CURRENT.REACTIVE.SCORE,NO.OF.AREAS.EVALUATED", ",")
	components = strings.Split("NUMBERING.OF.PROPERTY,EXTERIOR.GROUNDS,FENCING,"+
		"RETAINING.WALLS,CATCH.BASINS...STORM.DRAINAGE,BUILDING.EXTERIOR,BALCONY.GUARDS,WINDOWS,EXT..RECEPTACLE.STORAGE.AREA,EXTERIOR.WALKWAYS,"+
		"CLOTHING.DROP.BOXES,ACCESSORY.BUILDINGS,INTERCOM,EMERGENCY.CONTACT.SIGN,LOBBY...WALLS.AND.CEILING,"+
		"LOBBY.FLOORS,LAUNDRY.ROOM,INT..RECEPTACLE.STORAGE.AREA,MAIL.RECEPTACLES,EXTERIOR.DOORS,STORAGE.AREAS.LOCKERS.MAINT.,"+
		"POOLS,OTHER.AMENITIES,PARKING.AREAS,ABANDONED.EQUIP..DERELICT.VEH.,GARBAGE.COMPACTOR.ROOM,ELEVATOR.MAINTENANCE,ELEVATOR.COSMETICS,"+
		"INT..HALLWAY...WALLS...CEILING,INTERIOR.HALLWAY.FLOORS,INT..LOBBY...HALLWAY.LIGHTING,COMMON.AREA.VENTILATION,"+
		"ELECTRICAL.SERVICES...OUTLETS,CHUTE.ROOMS...MAINTENANCE,STAIRWELL...WALLS.AND.CEILING,STAIRWELL...LANDING.AND.STEPS,"+
		"STAIRWELL.LIGHTING,INT..HANDRAIL...GUARD...SAFETY,INT..HANDRAIL...GUARD...MAINT.,GRAFFITI,BUILDING.CLEANLINESS,"+
		"COMMON.AREA.PESTS,TENANT.NOTIFICATION.BOARD,PEST.CONTROL.LOG,MAINTENANCE.LOG,CLEANING.LOG,VITAL.SERVICE.PLAN,ELECTRICAL.SAFETY.PLAN,"+
		"STATE.OF.GOOD.REPAIR.PLAN,TENANT.SERVICE.REQUEST.LOG", ",")
	after = strings.Split("GRID,LATITUDE,LONGITUDE,X,Y", ",")
)

// gradeOf is the documented translation of a score, said here a second time on purpose.
var gradeOf = map[string]string{"3": "very_good", "2": "good", "1": "poor", "0": "very_poor"}

// tally is what the file says about a ward, or about the whole city.
type tally struct {
	buildings, assets int
	grades            map[string]int
	early             map[string]int // grades of what was evaluated before between
}

// The two days on which buildings are evaluated, and one between them.
const (
	firstDay = "2023-06-05"
	between  = "2023-09-01"
	lastDay  = "2023-12-03"
)

// evaluated is a file, and what must come out.
type evaluated struct {
	path     string
	wards    map[string]*tally
	rejected int
	// Buildings with elevators, and those whose handrails are not safe.
	elevators, unsafe int
}

// handrails is the column of their safety.
const handrails = "INT..HANDRAIL...GUARD...SAFETY"

// evaluations makes a file of the City's shape with count sound buildings in five wards and a few odd rows, and
// counts by itself what must come out.
func evaluations(t *testing.T, count int) evaluated {
	t.Helper()
	wards := map[string]*tally{}
	elevators, unsafe := 0, 0
	var rows []map[string]string
	add := func(i int, change map[string]string) {
		row := building(i)
		maps.Copy(row, change)
		rows = append(rows, row)
		if strings.TrimSpace(row["RSN"]) == "" {
			return // neither a building nor assets
		}
		name := row["WARDNAME"]
		if strings.TrimSpace(row["ELEVATOR.MAINTENANCE"]) != "N/A" {
			elevators++
		}
		if score := strings.TrimSpace(row[handrails]); score == "0" || score == "1" {
			unsafe++
		}
		if wards[name] == nil {
			wards[name] = &tally{grades: map[string]int{}, early: map[string]int{}}
		}
		wards[name].buildings++
		for _, component := range components {
			if grade := gradeOf[strings.TrimSpace(row[component])]; grade != "" {
				wards[name].assets++
				wards[name].grades[grade]++
				if row["EVALUATION.COMPLETED.ON"] != firstDay {
					grade = "unknown"
				}
				wards[name].early[grade]++
			}
		}
	}
	for i := range count {
		add(i, nil)
	}
	add(count, map[string]string{"YEAR.BUILT": "NA", "LATITUDE": "NA", "LONGITUDE": "NA", "X": "NA", "Y": "NA"})
	add(count+1, map[string]string{"SITE.ADDRESS": "5 GREENBROOK DR\n\n", "YEAR.REGISTERED": "NA", "LATITUDE": "", "LONGITUDE": ""})
	add(count+2, map[string]string{"YEAR.BUILT": "1838"})
	add(count+3, map[string]string{"RSN": " "})
	add(count+4, map[string]string{"FENCING": "7"}) // a score that does not exist: one asset less
	add(count+5, map[string]string{"EVALUATION.COMPLETED.ON": ""})
	return evaluated{save(t, rows), wards, 2 /* RSN: no building, no assets */ + 1, elevators, unsafe}
}

// building is a row of the City's file.
func building(i int) map[string]string {
	ward := 1 + i%5
	row := map[string]string{
		"X_id": fmt.Sprint(i), "RSN": fmt.Sprint(4150000 + i), "YEAR.REGISTERED": "2017", "YEAR.BUILT": fmt.Sprint(1920 + i%90),
		"YEAR.EVALUATED": "2023",
		"PROPERTY.TYPE":  []string{"PRIVATE", "TCHC", "SOCIAL HOUSING"}[i%3], "WARD": fmt.Sprint(ward),
		"WARDNAME":     fmt.Sprintf("Ward nº %d", ward),
		"SITE.ADDRESS": fmt.Sprintf("%d RUE DE L'ÉGLISE", i), "CONFIRMED.STOREYS": fmt.Sprint(3 + i%30),
		"CONFIRMED.UNITS":         fmt.Sprint(10 + i%300),
		"EVALUATION.COMPLETED.ON": []string{firstDay, lastDay}[i%2], "CURRENT.BUILDING.EVAL.SCORE": "86", "PROACTIVE.BUILDING.SCORE": "86",
		"CURRENT.REACTIVE.SCORE": "-1",
		"NO.OF.AREAS.EVALUATED":  "41", "GRID": "E2026", "LATITUDE": "43.7194706389", "LONGITUDE": "-79.2404320451", "X": "325699.11",
		"Y": "4841978.266",
	}
	for j, component := range components {
		row[component] = []string{"3", "3", "2", "N/A", "1", " 3", "3", " N/A", "0", " 2"}[(i+j*7)%10]
	}
	return row
}

// save writes rows as the City does.
func save(t *testing.T, rows []map[string]string) (path string) {
	t.Helper()
	lines := [][]string{slices.Concat(before, components, after)}
	for _, row := range rows {
		var values []string
		for _, column := range lines[0] {
			values = append(values, row[column])
		}
		lines = append(lines, values)
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "evaluations.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// tools is amsctl, built from this checkout, told where the stack is.
type tools struct {
	t       *testing.T
	program string
	kept    string
	d       devstack.Description
	key     string
}

func newTools(t *testing.T) *tools {
	t.Helper()
	d := devstack.ForTest(t).Description()
	programs, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	u := &tools{t: t, program: filepath.Join(programs, "amsctl"), kept: t.TempDir(), d: d}
	email := fmt.Sprintf("import-%d@example.ca", time.Now().UnixNano())
	u.amsctl("organizations", "create", "--name", "Ville "+email, "--plan", "enterprise", "--administrator-email", email,
		"--administrator-name", "Import")
	var key struct{ Value string }
	if err := json.Unmarshal(u.amsctl("keys", "create", "--email", email, "--name", "import", "--scopes",
		"sites:write,buildings:write,assets:write,deficiencies:write,maintenance:write,sites:read,buildings:read,assets:read,deficiencies:read,"+
			"maintenance:read,work_orders:read,planning:read,planning:write,systems:read,price_indexes:read,infrastructure:read,projects:write",
		"--rate-limit", "1000"), &key); err != nil {
		t.Fatal(err)
	}
	u.key = key.Value
	return u
}

func (u *tools) environment() []string {
	return append(os.Environ(), "AMS_BASE_URL="+u.d.BaseURL, "AMS_OPERATOR_URL="+u.d.AdminURL, "AMS_OPERATOR_TOKEN="+u.d.AdminToken,
		"AMS_PASSWORD=correct-horse-battery", "AMS_API_KEY="+u.key, "AMSCTL="+u.program, "AMS_IMPORT_DIR="+u.kept)
}

func (u *tools) amsctl(args ...string) []byte {
	u.t.Helper()
	command := exec.Command(u.program, append(args, "--output", "json")...)
	command.Env = u.environment()
	var failed bytes.Buffer
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		u.t.Fatalf("amsctl %s: %v: %s", strings.Join(args[:2], " "), err, failed.String())
	}
	return out
}

// script starts the import.
func (u *tools) script(path string) (*exec.Cmd, *bytes.Buffer) {
	u.t.Helper()
	script, err := filepath.Abs("import.sh")
	if err != nil {
		u.t.Fatal(err)
	}
	command := exec.Command(script, path)
	command.Env = u.environment()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		u.t.Fatal(err)
	}
	return command, &out
}

// finish waits for the script, which must end with 3: some rows were rejected.
func (u *tools) finish(command *exec.Cmd, out *bytes.Buffer) {
	u.t.Helper()
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		u.t.Fatalf("the script ended with %v: %s", err, out)
	}
}

func (u *tools) get(path string, into any) {
	u.t.Helper()
	u.call(http.MethodGet, path, nil, into)
}

// try is get where an answer may be refused.
func (u *tools) try(path string, into any) error {
	return ams.NewClient(u.d.BaseURL, u.key).Request(u.t.Context(), ams.Request{Path: path}, into)
}

func (u *tools) call(method, path string, body, into any) {
	u.t.Helper()
	client := ams.NewClient(u.d.BaseURL, u.key)
	if err := client.Request(u.t.Context(), ams.Request{Method: method, Path: path, Body: body}, into); err != nil {
		u.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// total is how many records a list has.
func (u *tools) total(path string) int {
	u.t.Helper()
	var list struct{ Pagination struct{ Total int } }
	u.get(path, &list)
	return list.Pagination.Total
}

// indicators are what the summaries and the report say.
type indicators struct {
	Name   *string `json:"name"`
	Counts struct{ Sites, Buildings, Assets int }
	Grades map[string]struct{ Assets int } `json:"condition_distribution"`
}

func (f indicators) check(t *testing.T, what string, want *tally) {
	t.Helper()
	if f.Counts.Buildings != want.buildings || f.Counts.Assets != want.assets {
		t.Errorf("%s: %d buildings and %d assets; the file has %d and %d", what, f.Counts.Buildings, f.Counts.Assets, want.buildings, want.assets)
	}
	for _, grade := range []string{"very_good", "good", "fair", "poor", "very_poor", "unknown"} {
		if f.Grades[grade].Assets != want.grades[grade] {
			t.Errorf("%s: %d assets are %s; the file has %d", what, f.Grades[grade].Assets, grade, want.grades[grade])
		}
	}
}

// check compares every site's summary and the whole report with the file.
func (u *tools) check(wards map[string]*tally) {
	u.t.Helper()
	city := &tally{grades: map[string]int{}, early: map[string]int{}}
	for _, ward := range wards {
		city.buildings += ward.buildings
		city.assets += ward.assets
		for grade, n := range ward.grades {
			city.grades[grade] += n
		}
		for grade, n := range ward.early {
			city.early[grade] += n
		}
	}
	var report struct {
		Total indicators
		Data  []indicators
	}
	u.get("/v1/reports/state-of-assets?group_by=site&per_page=1000", &report)
	report.Total.check(u.t, "the report", city)
	if report.Total.Counts.Sites != len(wards) || len(report.Data) != len(wards) {
		u.t.Errorf("the report has %d sites in %d groups; the file has %d wards", report.Total.Counts.Sites, len(report.Data), len(wards))
	}
	u.get("/v1/reports/state-of-assets?group_by=site&per_page=1000&as_of="+between, &report)
	report.Total.check(u.t, "the report of "+between, &tally{buildings: city.buildings, assets: city.assets, grades: city.early})
	var sites struct{ Data []struct{ ID, Name string } }
	u.get("/v1/sites?per_page=1000", &sites)
	for _, site := range sites.Data {
		want := wards[site.Name]
		if want == nil {
			u.t.Errorf("the site %q is no ward of the file", site.Name)
			continue
		}
		var summary indicators
		u.get("/v1/sites/"+site.ID+"/summary", &summary)
		summary.check(u.t, site.Name, want)
	}
}

func (u *tools) rejects() (reasons []string) {
	u.t.Helper()
	paths, err := filepath.Glob(filepath.Join(u.kept, "*.rejects.csv"))
	if err != nil {
		u.t.Fatal(err)
	}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			u.t.Fatal(err)
		}
		rows, err := csv.NewReader(file).ReadAll()
		if err = errors.Join(err, file.Close()); err != nil {
			u.t.Fatal(err)
		}
		for _, row := range rows[1:] {
			reasons = append(reasons, fmt.Sprintf("%s line %s %s %s: %s", filepath.Base(path), row[0], row[1], row[2], row[3]))
		}
	}
	return reasons
}

func TestAMigrationIsKilledResumedAndRunTwiceAndAgreesWithItsFile(t *testing.T) {
	const sound = 300
	u := newTools(t)
	file := evaluations(t, sound)
	path := file.path

	command, _ := u.script(path)
	u.awaitProgress("toronto-assets.import.json", command)
	if err := syscall.Kill(-command.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed
	half := u.total("/v1/assets?per_page=1")

	command, out := u.script(path)
	u.finish(command, out)
	if half == 0 || !strings.Contains(out.String(), "assets: going on at line") {
		t.Errorf("killed with %d assets there, it said: %s", half, out)
	}
	u.check(file.wards)
	if reasons := u.rejects(); len(reasons) != file.rejected {
		t.Errorf("%d rejects, want %d:\n%s", len(reasons), file.rejected, strings.Join(reasons, "\n"))
	} else {
		all := strings.Join(reasons, "\n")
		for _, want := range []string{
			"toronto-buildings.rejects.csv line " + fmt.Sprint(sound+7) + "  : has no registration number",
			"toronto-assets.rejects.csv line " + fmt.Sprint(sound+7) + "  : has no registration number",
			`FENCING condition_rating: value: "7" is not among the values`,
		} {
			if !strings.Contains(all, want) {
				t.Errorf("the rejects do not say %q:\n%s", want, all)
			}
		}
	}
	u.checkOdd(sound)

	u.checkDays(sound)
	u.checkMaintenance(file.elevators, file.unsafe)

	command, out = u.script(path)
	u.finish(command, out)
	if strings.Count(out.String(), " 0 records created, ") != 4 {
		t.Errorf("run a second time it said: %s", out)
	}
	u.checkMaintenance(file.elevators, file.unsafe)
	u.check(file.wards)
}

// awaitProgress waits until a call of an import has been acknowledged.
func (u *tools) awaitProgress(state string, command *exec.Cmd) {
	u.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(u.kept, state))
		var at struct{ Counts struct{ Rows int } }
		if err == nil && json.Unmarshal(text, &at) == nil && at.Counts.Rows > 0 {
			return
		}
	}
	u.t.Fatalf("process %d made no progress", command.Process.Pid)
}

// checkDays looks at the day and the method of ratings: of the evaluation, and where the file has no day, of the import.
func (u *tools) checkDays(sound int) {
	u.t.Helper()
	for i, want := range map[int]string{0: firstDay + " visual", 1: lastDay + " visual", sound + 5: "the import reported"} {
		var list struct {
			Data []struct {
				AssessedOn string `json:"condition_assessed_on"`
				Method     string `json:"condition_method"`
			}
		}
		u.get(fmt.Sprintf("/v1/assets?per_page=1000&external_id=toronto-building-%d-WINDOWS,toronto-building-%d-STAIRWELL.LIGHTING,"+
			"toronto-building-%d-EXTERIOR.DOORS", 4150000+i, 4150000+i, 4150000+i), &list)
		if len(list.Data) == 0 {
			u.t.Errorf("building %d has no assets", i)
		}
		for _, asset := range list.Data {
			got := asset.AssessedOn + " " + asset.Method
			if asset.AssessedOn > lastDay {
				got = "the import " + asset.Method
			}
			if got != want {
				u.t.Errorf("an asset of building %d is rated on %s, want %s", i, got, want)
			}
		}
	}
}

// checkOdd looks at the buildings whose rows were not like the others.
func (u *tools) checkOdd(sound int) {
	u.t.Helper()
	for i, want := range map[int]string{
		sound:     `null null {"name":"` + fmt.Sprint(sound) + ` RUE DE L'ÉGLISE"}`,
		sound + 1: `1951 null {"name":"5 GREENBROOK DR"}`,
		sound + 2: `1838 43.7194706389 {"name":"` + fmt.Sprint(sound+2) + ` RUE DE L'ÉGLISE"}`,
	} {
		var list struct {
			Data []struct {
				Name      string          `json:"name"`
				YearBuilt json.RawMessage `json:"year_built"`
				Latitude  json.RawMessage `json:"latitude"`
			}
		}
		u.get(fmt.Sprintf("/v1/buildings?external_id=toronto-building-%d", 4150000+i), &list)
		if len(list.Data) != 1 {
			u.t.Errorf("building %d: %d of it", i, len(list.Data))
			continue
		}
		b := list.Data[0]
		if got := fmt.Sprintf(`%s %s {"name":"%s"}`, b.YearBuilt, b.Latitude, b.Name); got != want {
			u.t.Errorf("building %d: %s, want %s", i, got, want)
		}
	}
}
