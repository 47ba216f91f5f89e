package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// schoolDay is a day at a school board: an organization of its own, one school, and what became of it so far.
type schoolDay struct {
	t     *testing.T
	staff caller
	open  caller // residents: no key
	after string // the place in the feed at which the day began
	today time.Time

	school, boiler, panel string
	leak, code            string // deficiencies of the boiler
	hours, service        string // its meter, and the plan of its service
	request, receipt      string
	repair                string // the work order of the request
}

// TestADayAtASchoolBoard follows one thread: an inspection and a resident report something, work is planned from it, done and paid; the
// deficiency closes, the rating rises, a replaced boiler gets its successor, and the FCI moves without anybody typing a figure.
func TestADayAtASchoolBoard(t *testing.T) {
	t.Parallel()
	d := newSchoolDay(t)
	d.inspect()
	d.isFCI(5.50) // (4,200 + 1,300) of 75,000 + 25,000; 9,000 for accessibility are an improvement
	d.reportLeak()
	d.accept()
	d.fillForm()
	d.isFCI(6.30) // + 800 = 6,300
	d.complete()
	d.isFCI(2.10) // - 4,200 = 2,100
	d.invoiceLate()
	d.replaceBoiler()
	d.isFCI(0.80) // - 1,300 = 800; the successor is worth the boiler's 75,000
	d.maintain()
	d.deficienciesOf(d.panel, 1) // still the one of the form, which was submitted twice
	d.isFCI(0.80)                // 800 of 100,000: maintenance has found nothing more
	d.readFeed()
}

func newSchoolDay(t *testing.T) *schoolDay {
	t.Helper()
	staff, _ := newOrganization(t)
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	d := &schoolDay{t: t, staff: staff, open: caller{staff.base, ""}, today: time.Now().In(zone)}
	d.after = end(t, d.staff)
	site := d.staff.create(t, "/v1/sites", map[string]any{"name": "Maple Ridge"})
	d.school = d.staff.create(t, "/v1/buildings", map[string]any{"name": "Maple Ridge Public School", "site_id": site})
	d.boiler = d.staff.create(t, "/v1/assets", map[string]any{"name": "Boiler 1", "building_id": d.school, "replacement_cost": 75000,
		"category": "hvac", "consequence_of_failure": 4})
	d.panel = d.staff.create(t, "/v1/assets", map[string]any{"name": "Fire alarm panel", "building_id": d.school, "replacement_cost": 25000})
	d.hours = d.staff.create(t, "/v1/meters", map[string]any{"name": "Hours", "asset_id": d.boiler, "kind": "counter", "unit": "h"})
	job := d.staff.create(t, "/v1/maintenance/job-plans", map[string]any{"name": "Boiler, yearly"})
	d.service = d.staff.create(t, "/v1/maintenance/pm-plans", map[string]any{"name": "Boiler, yearly", "job_plan_id": job, "basis": "fixed",
		"starts_on": d.day(30), "trigger": map[string]any{"rrule": "FREQ=YEARLY"}, "status": "active",
		"targets": []any{map[string]any{"target_type": "asset", "target_id": d.boiler}}})
	return d
}

func (d *schoolDay) day(offset int) string {
	return d.today.AddDate(0, 0, offset).Format(time.DateOnly)
}

// isFCI waits until the school's FCI is what it should be: what changes it may come by an effect.
func (d *schoolDay) isFCI(want float64) {
	d.t.Helper()
	await(d.t, d.staff, "/v1/buildings/"+d.school+"/summary", fmt.Sprintf("an FCI of %.2f", want), func(summary map[string]any) bool {
		return summary["fci_pct"] == want && summary["replacement_cost"] == 100000.0
	})
}

// inspect records the condition of the boiler with two deficiencies.
func (d *schoolDay) inspect() {
	d.t.Helper()
	made := d.staff.must(d.t, 201, "POST", "/v1/assets/"+d.boiler+"/condition-assessments", map[string]any{"assessed_on": d.day(0),
		"condition_rating": 4, "deficiencies": []any{
			map[string]any{"title": "Leak at the return", "estimated_cost": 4200},
			map[string]any{"title": "No relief valve", "category": "code", "estimated_cost": 1300},
			map[string]any{"title": "Too high to reach", "category": "accessibility", "estimated_cost": 9000},
		}})
	list := d.staff.must(d.t, 200, "GET", "/v1/deficiencies?asset_id="+d.boiler+"&sort=number", nil).object["data"].([]any)
	if len(list) != 3 {
		d.t.Fatalf("the assessment %s made %v", made.body, list)
	}
	ids := map[any]string{}
	for _, each := range list {
		found := each.(map[string]any)
		ids[found["title"]], _ = found["id"].(string)
		if found["source"] != "assessment" || found["source_id"] != made.object["id"] {
			d.t.Errorf("%v does not come of the assessment", found)
		}
	}
	d.leak, d.code = ids["Leak at the return"], ids["No relief valve"]
}

// reportLeak is what a resident does who has scanned the code at the school's door. A form that is sent back within three seconds is
// taken for a program's.
func (d *schoolDay) reportLeak() {
	d.t.Helper()
	d.staff.create(d.t, "/v1/request-services", map[string]any{"service_code": "HEAT", "name": "Heating", "name_fr": "Chauffage",
		"priority": "high", "public": true})
	link := d.staff.must(d.t, 201, "POST", "/v1/request-links", map[string]any{"name": "Front door", "building_id": d.school,
		"service_codes": []string{"HEAT"}, "notice": "Collected under the Education Act.",
		"notice_fr": "Recueillis en vertu de la Loi sur l’éducation."})
	if code := d.staff.do(d.t, "GET", "/v1/request-links/"+link.object["id"].(string)+"/qr.svg", nil); code.status != 200 ||
		!strings.Contains(string(code.body), "<svg") {
		d.t.Errorf("the QR code: %d %.200s", code.status, code.body)
	}
	path := "/public/links/" + link.object["token"].(string)
	shown := d.open.do(d.t, "GET", path, nil)
	stamped := time.Now()
	if shown.status != 200 || !strings.Contains(string(shown.body), "Collected under the Education Act.") {
		d.t.Fatalf("%d %s", shown.status, shown.body)
	}
	report := map[string]any{"description": "Water runs down the wall of room 12.", "requester_name": "Rita Resident",
		"requester_email": "rita@example.ca", "stamp": shown.object["stamp"]}
	<-time.After(time.Until(stamped.Add(3500 * time.Millisecond)))
	sent := d.open.do(d.t, "POST", path, report)
	if sent.status != 201 {
		d.t.Fatalf("%d %s", sent.status, sent.body)
	}
	d.receipt, _ = sent.object["receipt"].(string)
	list := d.staff.must(d.t, 200, "GET", "/v1/requests?number="+url.QueryEscape(sent.object["number"].(string)), nil).object["data"].([]any)
	if len(list) != 1 {
		d.t.Fatalf("staff see %v of %s", list, sent.body)
	}
	request := list[0].(map[string]any)
	if request["building_id"] != d.school || request["source"] != "link" || request["requester_email"] != "rita@example.ca" ||
		request["priority"] != "high" {
		d.t.Errorf("%v", request)
	}
	d.request, _ = request["id"].(string)
	d.isReceipt("submitted")
}

// isReceipt waits for what the resident is shown, who is shown no more than that.
func (d *schoolDay) isReceipt(status string) {
	d.t.Helper()
	var shown response
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		shown = d.open.do(d.t, "GET", "/r/status/"+d.receipt, nil, "Accept", "application/json")
		if shown.object["status"] == status {
			if strings.Contains(string(shown.body), "rita@example.ca") {
				d.t.Errorf("the receipt shows contact data: %s", shown.body)
			}
			return
		}
	}
	d.t.Fatalf("the receipt does not become %s: %d %s", status, shown.status, shown.body)
}

// accept makes the work order of the request: it corrects the leak and rates the boiler.
func (d *schoolDay) accept() {
	d.t.Helper()
	d.staff.must(d.t, 200, "POST", "/v1/requests/"+d.request+"/accept", map[string]any{"work_order": map[string]any{
		"title": "Mend the return of boiler 1", "targets": []any{map[string]any{"target_type": "asset", "target_id": d.boiler}},
		"effects": []any{
			map[string]any{"kind": "close_deficiency", "payload": map[string]any{"deficiency_id": d.leak}},
			map[string]any{"kind": "rate", "payload": map[string]any{"asset_id": d.boiler, "condition_rating": 2, "method": "visual"}},
		}}})
	request := await(d.t, d.staff, "/v1/requests/"+d.request, "the work order of the request", func(r map[string]any) bool {
		return r["work_order_state"] == "linked"
	})
	d.repair, _ = request["work_order_id"].(string)
	d.isReceipt("accepted")
	await(d.t, d.staff, "/v1/deficiencies/"+d.leak, "the plan to correct the leak", func(r map[string]any) bool {
		return r["status"] == "planned" && r["work_order_id"] == d.repair
	})
	order := d.staff.must(d.t, 200, "GET", "/v1/work-orders/"+d.repair, nil).object
	if order["asset_id"] != d.boiler || order["building_id"] != d.school || order["priority"] != "high" {
		d.t.Errorf("%v", order)
	}
}

// complete does the work of the request.
func (d *schoolDay) complete() {
	d.t.Helper()
	path := "/v1/work-orders/" + d.repair
	d.staff.must(d.t, 200, "POST", path+"/transition", map[string]any{"to": "in_progress"})
	await(d.t, d.staff, "/v1/deficiencies/"+d.leak, "work on the leak", func(r map[string]any) bool { return r["status"] == "in_work" })
	d.staff.must(d.t, 201, "POST", path+"/costs", map[string]any{"kind": "labour", "hours": 2.5, "unit_cost": 61.5})
	d.staff.must(d.t, 200, "POST", path+"/transition", map[string]any{"to": "completed"})
	await(d.t, d.staff, "/v1/deficiencies/"+d.leak, "the end of the leak", func(r map[string]any) bool {
		return r["status"] == "corrected" && r["corrected_on"] == d.day(0) && r["actual_cost"] == 153.75
	})
	await(d.t, d.staff, "/v1/assets/"+d.boiler, "the better rating", func(r map[string]any) bool { return r["condition_rating"] == 2.0 })
	await(d.t, d.staff, "/v1/requests/"+d.request, "the end of the request", func(r map[string]any) bool { return r["status"] == "closed" })
	d.isReceipt("closed")
	effects := d.staff.must(d.t, 200, "GET", path+"/effects", nil).object["data"].([]any)
	if len(effects) != 3 || slices.ContainsFunc(effects, func(e any) bool { return e.(map[string]any)["state"] != "applied" }) {
		d.t.Errorf("the effects are %v", effects)
	}
}

// invoiceLate adds an invoice to the closed work order, and what the vendor gave back; no more can be given back than was paid.
func (d *schoolDay) invoiceLate() {
	d.t.Helper()
	vendor := d.staff.create(d.t, "/v1/vendors", map[string]any{"name": "Chauffage Laurentides inc."})
	path := "/v1/work-orders/" + d.repair
	d.staff.must(d.t, 200, "POST", path+"/transition", map[string]any{"to": "closed"})
	late := d.staff.must(d.t, 201, "POST", path+"/costs", map[string]any{"kind": "contractor", "quantity": 41.5, "unit_cost": 1.459,
		"vendor_id": vendor, "invoice_number": "2041"})
	if late.object["late"] != true || late.object["amount"] != 60.55 { // 41.5 × 1.459 = 60.5485
		d.t.Errorf("%s", late.body)
	}
	d.costs(214.30) // 2.5 h × 61.50 = 153.75, + 60.55
	d.staff.must(d.t, 409, "POST", path+"/costs", map[string]any{"kind": "contractor", "is_credit": true, "unit_cost": 60.56})
	d.staff.must(d.t, 201, "POST", path+"/costs", map[string]any{"kind": "contractor", "is_credit": true, "unit_cost": 60.55})
	d.costs(153.75)
	d.staff.must(d.t, 409, "PATCH", path+"/costs/"+late.object["id"].(string), map[string]any{"unit_cost": 1})
}

// costs checks what the work of the request has cost. What came after its completion is no cost of the correction.
func (d *schoolDay) costs(want float64) {
	d.t.Helper()
	if order := d.staff.must(d.t, 200, "GET", "/v1/work-orders/"+d.repair, nil); order.object["actual_cost"] != want {
		d.t.Errorf("it costs %v, want %v", order.object["actual_cost"], want)
	}
	if leak := d.staff.must(d.t, 200, "GET", "/v1/deficiencies/"+d.leak, nil); leak.object["actual_cost"] != 153.75 {
		d.t.Errorf("correcting the leak costs %v", leak.object["actual_cost"])
	}
}

// replaceBoiler gives the boiler a successor, which takes its place.
func (d *schoolDay) replaceBoiler() {
	d.t.Helper()
	order := d.staff.create(d.t, "/v1/work-orders", map[string]any{"title": "Replace boiler 1", "asset_id": d.boiler, "effects": []any{
		map[string]any{"kind": "replace", "payload": map[string]any{"asset_id": d.boiler,
			"successor": map[string]any{"name": "Boiler 1 (new)", "replacement_cost": 75000}}}}})
	d.staff.must(d.t, 200, "POST", "/v1/work-orders/"+order+"/transition", map[string]any{"to": "completed"})
	await(d.t, d.staff, "/v1/deficiencies/"+d.code, "the end of the missing valve", func(r map[string]any) bool {
		return r["status"] == "corrected"
	})
	effectOf := func(list map[string]any) map[string]any { return list["data"].([]any)[0].(map[string]any) }
	// the work order learns it after the boiler
	applied := await(d.t, d.staff, "/v1/work-orders/"+order+"/effects", "what became of the effect",
		func(r map[string]any) bool { return effectOf(r)["state"] == "applied" })
	successor := d.staff.must(d.t, 200, "GET", fmt.Sprint("/v1/assets/", effectOf(applied)["result_id"]), nil).object
	if successor["building_id"] != d.school || successor["category"] != "hvac" || successor["install_date"] != d.day(0) ||
		successor["consequence_of_failure"] != 4.0 {
		d.t.Errorf("the successor is %v", successor)
	}
	if old := d.staff.must(d.t, 200, "GET", "/v1/assets/"+d.boiler, nil).object; old["status"] != "decommissioned" ||
		old["out_of_use_on"] != d.day(0) {
		d.t.Errorf("the boiler is still %v (%v)", old["status"], old["out_of_use_on"])
	}
	await(d.t, d.staff, "/v1/meters/"+d.hours, "the meter at the successor", func(r map[string]any) bool {
		return r["asset_id"] == successor["id"]
	})
	await(d.t, d.staff, "/v1/maintenance/pm-plans/"+d.service, "the plan for the successor", func(r map[string]any) bool {
		targets := r["targets"].([]any)
		return len(targets) == 1 && targets[0].(map[string]any)["target_id"] == successor["id"]
	})
}
