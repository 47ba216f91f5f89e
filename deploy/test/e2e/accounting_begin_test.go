package e2e

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/adoption"
	"ams.internal/deploy/devstack"
)

// amsctl runs the program in a folder, with a caller's key, and gives how it ended.
func (c caller) amsctl(t *testing.T, folder string, args ...string) (exitCode int, out, errOut string) {
	t.Helper()
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), filepath.Join(binaries, "amsctl"), args...)
	command.Dir, command.Env = folder, append(os.Environ(), "AMS_BASE_URL="+c.base, "AMS_API_KEY="+c.key)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// endOfFiscalYear says in which month an organization's fiscal years end.
func endOfFiscalYear(t *testing.T, id string, month int) {
	t.Helper()
	d := devstack.ForTest(t).Description()
	settings := caller{d.AdminURL, d.AdminToken}.do(t, "PATCH", "/internal/organizations/"+id+"/settings",
		map[string]any{"time_zone": "America/Toronto", "fiscal_year_end_month": month})
	if settings.status != 200 {
		t.Fatalf("the fiscal year's end: %s", settings.body)
	}
}

// all are the records of a list that is not longer than a page.
func (c caller) all(t *testing.T, path string) (records []map[string]any) {
	t.Helper()
	for _, record := range c.must(t, 200, "GET", path, nil).object["data"].([]any) {
		records = append(records, record.(map[string]any))
	}
	return records
}

// The example of docs/accounting.md: a ledger comes from a spreadsheet, opens with what it says, and a second time changes nothing.
func TestALedgerIsImportedFromASpreadsheet(t *testing.T) {
	t.Parallel()
	c, id := newOrganization(t)
	endOfFiscalYear(t, id, 12)
	c.create(t, "/v1/accounting/fiscal-years", map[string]any{"fiscal_year": 2025})
	site := c.create(t, "/v1/sites", map[string]any{"name": "Centre"})
	building := c.create(t, "/v1/buildings", map[string]any{"name": "Hôtel de ville", "site_id": site})
	text, err := os.ReadFile("../../../docs/accounting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "### From a spreadsheet")
	section, _, _ = strings.Cut(section, "\n## ")
	folder := t.TempDir()
	for _, file := range regexp.MustCompile(`(?s)cat > (\S+) <<END\n(.*?\n)END\n`).FindAllStringSubmatch(section, -1) {
		if err := os.WriteFile(filepath.Join(folder, file[1]), []byte(strings.ReplaceAll(file[2], "$BUILDING", building)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := regexp.MustCompile(`(?m)^amsctl (import .*)$`).FindAllStringSubmatch(section, -1)
	if len(commands) != 4 {
		t.Fatalf("the example has %d imports", len(commands))
	}
	import1 := func(command, want string) {
		t.Helper()
		code, out, errOut := c.amsctl(t, folder, strings.Fields(command)...)
		if code != 0 || !strings.Contains(out, want) {
			rejects, _ := filepath.Glob(filepath.Join(folder, "*.rejects.csv"))
			for _, path := range rejects {
				content, _ := os.ReadFile(path)
				out += string(content)
			}
			t.Fatalf("%s: exit %d, want %q: %s%s", command, code, want, out, errOut)
		}
	}
	for i, want := range []string{"3 records created", "3 records created", "1 records created", "3 records created"} {
		import1(commands[i][1], want)
	}
	before := c.all(t, "/v1/accounting/capital-assets?sort=number")
	for _, command := range commands {
		import1(command[1], "0 records created, ")
	}
	after := c.all(t, "/v1/accounting/capital-assets?sort=number")
	if fmt.Sprint(before) != fmt.Sprint(after) ||
		c.must(t, 200, "GET", "/v1/accounting/transactions", nil).object["pagination"].(map[string]any)["total"] != 3.0 {
		t.Errorf("a second time, there is\n%v\nbefore\n%v", after, before)
	}
	for i, want := range [][4]any{{"1001", 1850000.0, 0.0, nil}, {"2001", 4200000.0, 2152500.0, 39.0}, {"3001", 612500.5, 196000.16, 17.0}} {
		is := after[i]
		if is["number"] != want[0] || is["cost"] != want[1] || is["accumulated_amortization"] != want[2] || is["remaining_units"] != want[3] ||
			is["state"] != "in_service" {
			t.Errorf("%v, want %v", is, want)
		}
	}
	if class := c.all(t, "/v1/accounting/classes?code=BLDG")[0]; fmt.Sprint(class["accounts"]) != "map[accumulated_amortization:1-1529 "+
		"amortization_expense:5-6520 asset:1-1520]" {
		t.Errorf("the accounts are %v", class["accounts"])
	}
	if linked := c.all(t, "/v1/accounting/capital-assets?linked_to="+building); len(linked) != 1 || linked[0]["number"] != "2001" {
		t.Errorf("the building has %v", linked)
	}
	refused := strings.Replace(commands[3][1], "skip", "update", 1)
	for _, tried := range []string{refused, refused + " --dry-run"} {
		if code, out, errOut := c.amsctl(t, folder, strings.Fields(tried)...); code != 1 ||
			!strings.Contains(errOut, "accounting/transactions are never changed; use error or skip") {
			t.Errorf("to change transactions: exit %d: %s%s", code, out, errOut)
		}
	}
}

// register is what an organization has, by name, and what becomes of it: what is amortized before the fiscal years 2025 that begin in
// January, April and September, or why it is left out.
var register = []struct {
	name        string
	fields      map[string]any
	accumulated [3]float64
	left        string
}{
	{"Chaudière", map[string]any{"category": "hvac", "acquisition_cost": 120000, "acquisition_date": "2017-04-03"},
		[3]float64{36000, 36000, 40800}, ""},
	{"Refroidisseur", map[string]any{"category": "hvac", "acquisition_cost": 50000, "acquisition_date": "1990-01-01", "residual_value": 5000},
		[3]float64{45000, 45000, 45000}, ""},
	{"Ascenseur", map[string]any{"uniformat_code": "D101001", "acquisition_cost": 100000, "acquisition_date": "2016-11-22"},
		[3]float64{40833.33, 42083.33, 44166.67}, ""},
	{"Terrain", map[string]any{"category": "sitework", "acquisition_cost": 800000.5, "acquisition_date": "1975-05-05",
		"amortization_method": "none"}, [3]float64{0, 0, 0}, ""},
	{"Ventilateur à venir", map[string]any{"category": "hvac", "acquisition_cost": 8000, "status": "planned"}, [3]float64{}, ""},
	{"Vendu en janvier 2026", map[string]any{"category": "hvac", "acquisition_cost": 120000, "acquisition_date": "2017-04-03",
		"status": "disposed", "disposed_on": "2026-01-15"}, [3]float64{36000, 36000, 40800}, ""},
	{"Vendu en 2024", map[string]any{"category": "hvac", "acquisition_cost": 120000, "acquisition_date": "2017-04-03", "status": "disposed",
		"disposed_on": "2024-12-31"}, [3]float64{}, "was disposed of on 2024-12-31, before the fiscal year"},
	{"Sans coût", map[string]any{"category": "hvac", "acquisition_date": "2017-04-03"}, [3]float64{}, "has no acquisition_cost"},
	{"Sans date", map[string]any{"category": "hvac", "acquisition_cost": 120000}, [3]float64{}, "has no acquisition_date"},
	{"De cette année", map[string]any{"category": "hvac", "acquisition_cost": 120000, "acquisition_date": "2025-09-01"}, [3]float64{},
		"was acquired on 2025-09-01, in the fiscal year or after it: post an acquisition"},
	{"Sans catégorie", map[string]any{"acquisition_cost": 120000, "acquisition_date": "2017-04-03"}, [3]float64{},
		"is in no class of the class map"},
	{"De la flotte", map[string]any{"service_category": "fleet", "acquisition_cost": 120000, "acquisition_date": "2017-04-03"}, [3]float64{},
		"is left out by line 5 of the class map"},
	{"Petit", map[string]any{"category": "hvac", "acquisition_cost": 9999.99, "acquisition_date": "2017-04-03"}, [3]float64{},
		"cost 9999.99, less than the capitalization threshold of the class MECH, 10000.00"},
	{"Jamais amorti", map[string]any{"category": "hvac", "acquisition_cost": 120000, "acquisition_date": "2017-04-03",
		"amortization_method": "none"}, [3]float64{}, "has the amortization_method none, and the class MECH is amortized"},
}

// The register is adopted in years that end in December, March and August: what is tried first is what is done, an adoption that is
// interrupted goes on, and a second one changes nothing.
func TestTheRegisterIsAdopted(t *testing.T) {
	t.Parallel()
	for i, end := range []int{12, 3, 8} {
		t.Run(fmt.Sprint("years end in month ", end), func(t *testing.T) {
			c, id := newOrganization(t)
			endOfFiscalYear(t, id, end)
			folder := t.TempDir()
			classMap := "uniformat_code,category,service_category,class\nd10,,,elev\n,hvac,,MECH\n,sitework,,LAND\n,,fleet,\n"
			if err := os.WriteFile(filepath.Join(folder, "map.csv"), []byte(classMap), 0o600); err != nil {
				t.Fatal(err)
			}
			adopt := func(wantCode int, more ...string) (said adoption.Result, errOut string) {
				t.Helper()
				code, out, errOut := c.amsctl(t, folder,
					append([]string{"accounting", "adopt", "--class-map", "map.csv", "--fiscal-year", "2025", "--output", "json"}, more...)...)
				if code != wantCode || code != 1 && json.Unmarshal([]byte(out), &said) != nil {
					t.Fatalf("exit %d: %s%s", code, out, errOut)
				}
				return said, errOut
			}
			if _, errOut := adopt(1); !strings.Contains(errOut, "amsctl create accounting/fiscal-years --set fiscal_year=2025") {
				t.Errorf("without a fiscal year: %s", errOut)
			}
			c.create(t, "/v1/accounting/fiscal-years", map[string]any{"fiscal_year": 2025})
			if _, errOut := adopt(1); !strings.Contains(errOut, "line 2 of the class map: there is no accounting class with the code elev") ||
				!strings.Contains(errOut, "LAND") {
				t.Errorf("without classes: %s", errOut)
			}
			makeClass := func(code, category string, more map[string]any) {
				body := map[string]any{"code": code, "name": code, "category": category}
				for name, value := range more {
					body[name] = value
				}
				c.create(t, "/v1/accounting/classes", body)
			}
			makeClass("MECH", "machinery_equipment", map[string]any{"useful_life_years": 25, "capitalization_threshold": 10000})
			makeClass("ELEV", "machinery_equipment", map[string]any{"useful_life_years": 20, "convention": "month"})
			makeClass("LAND", "land", map[string]any{"method": "none"})
			ids, reasons, adopted := map[string]string{}, map[string]string{}, 0
			site := c.create(t, "/v1/sites", map[string]any{"name": "Centre"})
			for _, asset := range register {
				body := map[string]any{"name": asset.name, "site_id": site, "expected_useful_life_years": 99}
				for name, value := range asset.fields {
					body[name] = value
				}
				if asset.name == "De cette année" && end == 12 {
					body["acquisition_date"] = "2025-01-01" // the first day is in the year
					asset.left = strings.Replace(asset.left, "2025-09-01", "2025-01-01", 1)
				}
				ids[asset.name] = c.create(t, "/v1/assets", body)
				if asset.left != "" {
					reasons[asset.name] = asset.left
				} else {
					adopted++
				}
			}
			checkLeftOut := func() {
				t.Helper()
				file, err := os.Open(filepath.Join(folder, "map.left-out.csv"))
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				rows, err := csv.NewReader(file).ReadAll()
				got := map[string]string{}
				for _, row := range rows[1:] {
					got[row[3]] = row[7]
				}
				if err != nil || fmt.Sprint(got) != fmt.Sprint(reasons) {
					t.Errorf("left out:\n%v, want\n%v (%v)", got, reasons, err)
				}
			}
			tried, _ := adopt(0, "--dry-run")
			checkLeftOut()
			if there := c.all(t, "/v1/accounting/capital-assets"); len(there) != 0 {
				t.Fatalf("tried, it made %v", there)
			}
			interruptAdoption(t, c, filepath.Join(folder, "map.csv"))
			boiler := "/v1/accounting/capital-assets/" + c.all(t,
				"/v1/accounting/capital-assets?external_id=asset-"+ids["Chaudière"])[0]["id"].(string)
			c.must(t, 200, "PATCH", boiler, map[string]any{"residual_value": 120000.01})
			if refused, _ := adopt(3, "--dry-run"); refused.Rejected != 1 || refused.Opened != adopted-2 {
				t.Errorf("with a residual value above the cost it comes to %+v", refused)
			}
			c.must(t, 200, "PATCH", boiler, map[string]any{"residual_value": 0})
			done, _ := adopt(0)
			checkLeftOut()
			if tried.DryRun = false; fmt.Sprint(done) != fmt.Sprint(tried) || done.Opened != adopted-1 || done.Construction != 1 ||
				done.LeftOut != len(reasons) || done.Assets != len(register) {
				t.Errorf("it came to %+v, tried to %+v", done, tried)
			}
			before := c.all(t, "/v1/accounting/capital-assets?per_page=100&sort=name")
			again, _ := adopt(0)
			checkLeftOut()
			after := c.all(t, "/v1/accounting/capital-assets?per_page=100&sort=name")
			entries := c.all(t, "/v1/accounting/transactions?per_page=100")
			if again.Existing != adopted || again.Opened+again.Construction+again.Rejected != 0 || fmt.Sprint(before) != fmt.Sprint(after) ||
				len(after) != adopted || len(entries) != adopted {
				t.Errorf("a second time %+v; %d entries, %d capital assets", again, len(entries), len(after))
			}
			for _, asset := range register {
				if asset.left == "" {
					checkAdopted(t, c, ids[asset.name], asset.name, asset.fields, asset.accumulated[i])
				}
			}
			c.must(t, 201, "POST", "/v1/accounting/fiscal-years/2025/close", map[string]any{"dry_run": true})
		})
	}
}

// An adoption says what it does not post: before the year has come, what another capital asset stands for, what has a draft of another
// class, and what was posted before and reversed.
func TestAnAdoptionPostsNothingTwice(t *testing.T) {
	c, id := newOrganization(t)
	endOfFiscalYear(t, id, 12)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "map.csv"), []byte("category,class\nhvac,MECH\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	adopt := func(wantCode int, year string) (said adoption.Result, reasons map[string]string, errOut string) {
		t.Helper()
		code, out, errOut := c.amsctl(t, folder, "accounting", "adopt", "--class-map", "map.csv", "--fiscal-year", year, "--output", "json")
		if code != wantCode || code != 1 && json.Unmarshal([]byte(out), &said) != nil {
			t.Fatalf("exit %d: %s%s", code, out, errOut)
		}
		content, err := os.ReadFile(filepath.Join(folder, "map.left-out.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		reasons = map[string]string{}
		for _, row := range rows[1:] {
			reasons[row[3]] = row[7]
		}
		return said, reasons, errOut
	}
	mech := c.create(t, "/v1/accounting/classes",
		map[string]any{"code": "MECH", "name": "M", "category": "machinery_equipment", "useful_life_years": 25})
	elec := c.create(t, "/v1/accounting/classes",
		map[string]any{"code": "ELEC", "name": "E", "category": "machinery_equipment", "useful_life_years": 20})
	site, assets := c.create(t, "/v1/sites", map[string]any{"name": "Centre"}), map[string]string{}
	for _, name := range []string{"Adopté", "Du tableur", "Autre classe"} {
		assets[name] = c.create(t, "/v1/assets",
			map[string]any{"name": name, "site_id": site, "category": "hvac", "acquisition_cost": 12000, "acquisition_date": "2020-05-05"})
	}
	later := time.Now().Year() + 1
	yearToCome := c.create(t, "/v1/accounting/fiscal-years", map[string]any{"fiscal_year": later})
	if _, _, errOut := adopt(1, fmt.Sprint(later)); !strings.Contains(errOut,
		fmt.Sprintf("begins on %d-01-01: entries are of that day", later)) {
		t.Errorf("in a year to come: %s", errOut)
	}
	c.must(t, 204, "DELETE", "/v1/accounting/fiscal-years/"+yearToCome, nil)
	c.create(t, "/v1/accounting/fiscal-years", map[string]any{"fiscal_year": 2025})
	sheet := c.create(t, "/v1/accounting/capital-assets", map[string]any{"name": "Du tableur", "class_id": mech, "number": "4001"})
	c.create(t, "/v1/accounting/capital-assets/"+sheet+"/links", map[string]any{"target_type": "asset", "target_id": assets["Du tableur"]})
	c.create(t, "/v1/accounting/capital-assets",
		map[string]any{"name": "Autre classe", "class_id": elec, "external_id": "asset-" + assets["Autre classe"]})

	said, reasons, _ := adopt(3, "2025")
	if said.Opened != 1 || said.LeftOut != 1 || said.Rejected != 1 || reasons["Du tableur"] != "4001 stands for it already" ||
		!strings.HasPrefix(reasons["Autre classe"], "was refused: its draft is of the class ELEC, and the class map says MECH") {
		t.Errorf("%+v, left out: %v", said, reasons)
	}
	entry := c.all(t, "/v1/accounting/transactions")[0]["id"].(string)
	c.must(t, 201, "POST", "/v1/accounting/transactions/"+entry+"/reverse", map[string]any{"effective_on": "2025-01-01"})
	said, reasons, _ = adopt(3, "2025")
	if said.Opened != 0 || len(said.Classes) != 0 || !strings.Contains(reasons["Adopté"],
		"its entries are all reversed: post another one yourself") {
		t.Errorf("once it was reversed: %+v, left out: %v", said, reasons)
	}
	c.must(t, 200, "PATCH", "/v1/assets/"+assets["Adopté"], map[string]any{"acquisition_cost": nil})
	if _, reasons, _ = adopt(3, "2025"); !strings.HasPrefix(reasons["Adopté"],
		"has no acquisition_cost; its draft of an earlier run is there still, and may be deleted: amsctl delete ") {
		t.Errorf("once it has no cost: %v", reasons)
	}
	_, step, _ := strings.Cut(reasons["Adopté"], "may be deleted: amsctl ")
	if code, out, errOut := c.amsctl(t, folder, strings.Fields(step)...); code != 0 {
		t.Errorf("%s: exit %d, %s%s", step, code, out, errOut)
	}
	if left := c.all(t, "/v1/accounting/capital-assets?external_id=asset-"+assets["Adopté"]); len(left) != 0 {
		t.Errorf("the draft is there still: %v", left)
	}
}

// interruptAdoption begins one, and ends it when a link is made.
func interruptAdoption(t *testing.T, c caller, classMap string) {
	t.Helper()
	rules, err := adoption.ReadClassMap(classMap, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = adoption.Run(ctx, ams.NewClient(c.base, c.key), adoption.Job{Rules: rules, FiscalYear: 2025,
		LeftOut: func(*adoption.Asset, string) error { return nil },
		Progress: func(done, _ int) {
			if done > 0 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted, it ends with %v", err)
	}
	drafts := c.all(t, "/v1/accounting/capital-assets?state=draft")
	if entries := c.all(t, "/v1/accounting/transactions"); len(drafts) == 0 || len(entries) != 0 {
		t.Fatalf("interrupted between links and entries, it left %d drafts and %d entries", len(drafts), len(entries))
	}
}

// checkAdopted looks at what has become of an asset.
func checkAdopted(t *testing.T, c caller, id, name string, fields map[string]any, accumulated float64) {
	t.Helper()
	found := c.all(t, "/v1/accounting/capital-assets?linked_to="+id)
	if len(found) != 1 {
		t.Errorf("%s has %d capital assets", name, len(found))
		return
	}
	is := found[0]
	cost, work, state := fmt.Sprint(fields["acquisition_cost"]), "0", "in_service"
	if fields["status"] == "planned" {
		cost, work, state = "0", cost, "in_progress"
	}
	if fmt.Sprint(is["cost"]) != fmt.Sprint(number(t, cost)) || fmt.Sprint(is["work_in_progress"]) != fmt.Sprint(number(t, work)) ||
		is["accumulated_amortization"] != accumulated || is["state"] != state || !strings.HasPrefix(is["name"].(string), name+" (A-") {
		t.Errorf("%s is %v, want %s, %s and %.2f", name, is, cost, work, accumulated)
	}
	if in, given := fields["acquisition_date"]; given && is["in_service_on"] != in {
		t.Errorf("%s is in service on %v", name, is["in_service_on"])
	}
}

// number reads what JSON has as a number.
func number(t *testing.T, text string) (value float64) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
