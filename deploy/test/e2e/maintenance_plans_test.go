package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// fillForm inspects the panel with a form without photos. The item that fails makes a deficiency, once.
func (d *schoolDay) fillForm() {
	d.t.Helper()
	template := d.staff.create(d.t, "/v1/forms/templates", map[string]any{"name": "Fire alarm, monthly", "status": "published", "items": []any{
		map[string]any{"key": "sounds", "type": "pass_fail", "label": "The bells sound", "label_fr": "Les cloches sonnent", "required": true},
		map[string]any{"key": "battery", "type": "pass_fail", "label": "The battery holds", "label_fr": "La pile tient", "required": true,
			"on_fail": "deficiency"},
	}})
	form := d.staff.create(d.t, "/v1/forms/responses", map[string]any{"template_id": template, "asset_id": d.panel, "work_order_id": d.repair,
		"answers": map[string]any{"sounds": "pass", "battery": "fail"}})
	path := "/v1/forms/responses/" + form
	submitted := d.staff.must(d.t, 200, "POST", path+"/submit", map[string]any{})
	if submitted.object["status"] != "submitted" || submitted.object["score"] != 50.0 { // 1 of 2 judged
		d.t.Errorf("%s", submitted.body)
	}
	found := d.deficienciesOf(d.panel, 1)
	if found[0]["source"] != "form" || found[0]["source_id"] != form {
		d.t.Errorf("%v does not come of the form", found[0])
	}
	d.staff.must(d.t, 200, "POST", path+"/submit", map[string]any{}) // again: what has been submitted makes nothing more
	effects := await(d.t, d.staff, path+"/effects", "the end of the form's effects", func(list map[string]any) bool {
		return !slices.ContainsFunc(list["data"].([]any), func(e any) bool { return e.(map[string]any)["state"] == "pending" })
	})["data"].([]any)
	if len(effects) != 1 || effects[0].(map[string]any)["state"] != "applied" || effects[0].(map[string]any)["result_id"] != found[0]["id"] {
		d.t.Errorf("the form made %v", effects)
	}
	found = d.deficienciesOf(d.panel, 1)
	d.staff.must(d.t, 200, "PATCH", fmt.Sprint("/v1/deficiencies/", found[0]["id"]), map[string]any{"estimated_cost": 800})
}

// deficienciesOf waits for the deficiencies of an asset.
func (d *schoolDay) deficienciesOf(asset string, want int) (found []map[string]any) {
	d.t.Helper()
	await(d.t, d.staff, "/v1/deficiencies?asset_id="+asset, fmt.Sprintf("%d deficiencies", want), func(list map[string]any) bool {
		found = nil
		for _, each := range list["data"].([]any) {
			found = append(found, each.(map[string]any))
		}
		return len(found) == want
	})
	return found
}

// plan makes an active plan for the panel, due from today on.
func (d *schoolDay) plan(name, rule string, supersedes ...string) string {
	d.t.Helper()
	job := d.staff.create(d.t, "/v1/maintenance/job-plans", map[string]any{"name": name, "type": "inspection", "estimated_hours": 2})
	body := map[string]any{"name": name, "job_plan_id": job, "basis": "fixed", "starts_on": d.day(0), "trigger": map[string]any{"rrule": rule},
		"targets": []any{map[string]any{"target_type": "asset", "target_id": d.panel}}}
	if supersedes != nil {
		body["supersedes"] = supersedes
	}
	id := d.staff.create(d.t, "/v1/maintenance/pm-plans", body)
	d.staff.must(d.t, 200, "PATCH", "/v1/maintenance/pm-plans/"+id, map[string]any{"status": "active"})
	return id
}

// maintain has a monthly and an annual inspection of the panel fall on today: the annual one includes the monthly. With a third that is not
// done, one of two is in time.
func (d *schoolDay) maintain() {
	d.t.Helper()
	rule := func(frequency string) string { return fmt.Sprintf("FREQ=%s;BYMONTHDAY=%d", frequency, d.today.Day()) }
	monthly := d.plan("Fire alarm, monthly", rule("MONTHLY"))
	annual := d.plan("Fire alarm, annual", fmt.Sprintf("%s;BYMONTH=%d", rule("YEARLY"), d.today.Month()), monthly)
	other := d.plan("Battery, monthly", rule("MONTHLY"))
	d.occurrence(monthly, "suppressed")
	order, _ := d.occurrence(annual, "generated")["work_order_id"].(string)
	d.occurrence(other, "generated")
	d.staff.must(d.t, 200, "POST", "/v1/work-orders/"+order+"/transition", map[string]any{"to": "completed"})
	if done := d.occurrence(annual, "done"); done["done_on"] != d.day(0) {
		d.t.Errorf("%v", done)
	}
	path := "/v1/maintenance/pm-compliance?from=" + d.day(0) + "&to=" + d.day(0) + "&rule=due_date"
	compliance := d.staff.must(d.t, 200, "GET", path, nil) // 2 due: 1 done in time, 1 open; 1 suppressed beside; 100 × 1 ÷ 1 decided
	for figure, want := range map[string]float64{"pm_compliance_pct": 100, "due": 2, "decided": 1, "in_time": 1, "open": 1, "suppressed": 1,
		"missed": 0, "skipped": 0} {
		if compliance.object[figure] != want {
			d.t.Errorf("%s is not %v: %s", figure, want, compliance.body)
		}
	}
}

// occurrence waits for the occurrence of a plan that is due today to be in a state.
func (d *schoolDay) occurrence(plan, state string) (found map[string]any) {
	d.t.Helper()
	await(d.t, d.staff, "/v1/maintenance/pm-plans/"+plan+"/occurrences", "an occurrence that is "+state, func(list map[string]any) bool {
		for _, each := range list["data"].([]any) {
			if found = each.(map[string]any); found["due_on"] == d.day(0) && found["state"] == state {
				return true
			}
		}
		return false
	})
	return found
}

// happened are the events of the day, each with the record that it is of where the day knows it.
func (d *schoolDay) happened() [][2]string {
	return [][2]string{
		{"condition_assessment.created", ""}, {"deficiency.created", d.leak}, {"request_link.created", ""}, {"request.created", d.request},
		{"request.accepted", d.request}, {"work_order.created", d.repair}, {"form_response.submitted", ""}, {"work_order.completed", d.repair},
		{"deficiency.corrected", d.leak}, {"asset.condition_changed", d.boiler}, {"request.closed", d.request},
		{"work_order.cost_after_close", d.repair}, {"deficiency.corrected", d.code}, {"pm_occurrence.generated", ""},
	}
}

// readFeed finds everything in the feed: numbered without a gap, and each record's versions in their order.
func (d *schoolDay) readFeed() {
	d.t.Helper()
	found, versions, last := map[[2]string]bool{}, map[string]float64{}, 0.0
	missing := func() (left [][2]string) {
		for _, event := range d.happened() {
			if !found[event] {
				left = append(left, event)
			}
		}
		return left
	}
	for deadline := time.Now().Add(timeout); missing() != nil && time.Now().Before(deadline); {
		page := d.staff.must(d.t, 200, "GET", "/v1/events?limit=1000&wait=5&after="+d.after, nil)
		d.after, _ = page.object["next"].(string)
		for _, each := range page.object["data"].([]any) {
			last = d.readEvent(each.(map[string]any), last, found, versions)
		}
	}
	if left := missing(); left != nil {
		d.t.Errorf("the feed lacks %v", left)
	}
}

// readEvent notes an event, and gives its number.
func (d *schoolDay) readEvent(event map[string]any, last float64, found map[[2]string]bool, versions map[string]float64) float64 {
	d.t.Helper()
	sequence, _ := event["sequence"].(float64)
	if last != 0 && sequence != last+1 {
		d.t.Errorf("event %v follows %v", sequence, last)
	}
	object := event["data"].(map[string]any)["object"].(map[string]any)
	id, _ := object["id"].(string)
	kind, _ := event["type"].(string)
	found[[2]string{kind, id}], found[[2]string{kind, ""}] = true, true
	if version, _ := object["version"].(float64); version < versions[id] {
		d.t.Errorf("%s shows version %v of %s after version %v", kind, version, id, versions[id])
	} else {
		versions[id] = version
	}
	return sequence
}

// Nobody may reach the day's organization by a link or a receipt that is not there: all such paths have one and the same answer.
func TestALinkThatIsNotThereLooksLikeAnyOther(t *testing.T) {
	open := caller{as(t, board, "full").base, ""}
	staff := fresh(t, board)
	link := staff.must(t, 201, "POST", "/v1/request-links", map[string]any{"name": "Rotated", "notice": "x", "notice_fr": "x",
		"site_id": staff.create(t, "/v1/sites", map[string]any{"name": "Rotated"})}).object
	staff.must(t, 200, "POST", fmt.Sprint("/v1/request-links/", link["id"], "/rotate"), map[string]any{})
	var first string
	for _, path := range []string{fmt.Sprint("/public/links/", link["token"]), "/public/links/aaaaaaaaaaaaaaaaaaaaaaaaaa", "/public/links/x",
		"/r/status/aaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		got := open.do(t, "GET", path, nil, "Accept", "application/json")
		sentence, _ := got.object["error"].(string)
		if first == "" {
			first = sentence
		}
		if got.status != 404 || sentence != first || sentence == "" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}
