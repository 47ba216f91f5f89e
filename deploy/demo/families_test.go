package demo

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

var day = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// families is everything of an organization besides its sites and assets.
type families struct {
	lines lines
	plan  capitalPlan
	work  work
	kept  upkeep
}

func (b blueprint) families() families {
	data := b.generate(ids(b))
	var all families
	if b.lines != nil {
		all.lines = b.lines(b.generator("lines", ids(b), day, data))
	}
	if b.has("projects") {
		all.plan = b.generator("projects", ids(b), day, data).capitalPlan(all.lines)
	}
	all.work = b.generator("work", ids(b), day, data).workOrders(all.lines, all.plan)
	all.kept = b.generator("maintenance", ids(b), day, data).maintenance(all.lines)
	return all
}

func TestTheFamiliesAreTheSameEveryTime(t *testing.T) {
	for _, b := range blueprints() {
		if !reflect.DeepEqual(b.families(), b.families()) {
			t.Errorf("%s is different the second time", b.name)
		}
	}
}

func TestTheFamiliesAreAsLargeAsPromised(t *testing.T) {
	segments := 0
	for _, b := range blueprints() {
		all := b.families()
		states := map[any]int{}
		for _, order := range all.work.orders {
			states[order["status"]]++
		}
		t.Logf("%s: %d segments, %d inspections, %d projects, %d work orders %v, %d to be closed, %d with comments, %d with tasks, %d with costs",
			b.name, len(all.lines.segments), len(all.lines.inspections),
			len(all.plan.projects), len(all.work.orders), states, len(all.work.closings), len(all.work.comments), len(all.work.tasks),
			len(all.work.costs))
		segments += len(all.lines.segments)
		if b.plan == "enterprise" && (len(all.work.orders) < 1000 || len(all.plan.projects) < 30 || len(all.lines.segments) < 300) {
			t.Errorf("%s is too small to try lists and reports on", b.name)
		}
		for _, status := range []string{"open", "in_progress", "completed"} {
			if states[status] == 0 {
				t.Errorf("%s has no work order that is %s", b.name, status)
			}
		}
		if calls := len(all.work.comments) + len(all.work.tasks) + len(all.work.costs) + 4*len(all.plan.projects); calls > 700 {
			t.Errorf("%s needs %d calls for parts; a key has 1000 a minute", b.name, calls)
		}
	}
	if segments < 1000 {
		t.Errorf("%d segments", segments)
	}
}

// What was put off for an asset is the sum of its deficiencies that count, so that figures stay as they are.
func TestDeficienciesAddUpToWhatWasPutOff(t *testing.T) {
	for _, b := range blueprints() {
		data, costs := b.generate(ids(b)), map[any]float64{}
		kept := b.generator("maintenance", ids(b), day, data).maintenance(lines{})
		for _, d := range kept.deficiencies {
			if d["category"] != "accessibility" {
				costs[d["asset_external_id"]] += d["estimated_cost"].(float64)
			}
		}
		if b.plan == "enterprise" && len(costs) != deficientAssets {
			t.Errorf("%s: %d assets have deficiencies", b.name, len(costs))
		}
		for _, asset := range data.assets {
			if sum, found := costs[asset["external_id"]]; found && sum != asset["deferred_maintenance_cost"] {
				t.Errorf("%s: %v of deficiencies, %v put off", asset["external_id"], sum, asset["deferred_maintenance_cost"])
			}
		}
	}
}

func TestWhatTheFamiliesReferToIsThereAndExternalIDsAreUnique(t *testing.T) {
	for _, b := range blueprints() {
		all, data := b.families(), b.generate(ids(b))
		known := map[any]bool{}
		for _, records := range [][]record{data.sites, data.buildings, data.systems, data.assets} {
			for _, r := range records {
				known[r["external_id"]] = true
			}
		}
		for _, records := range [][]record{all.lines.networks, all.lines.segments, all.lines.inspections, all.plan.projects, all.work.orders,
			all.kept.teams, all.kept.vendors, all.kept.deficiencies, all.kept.ofSegments, all.kept.services, all.kept.links, all.kept.requests,
			all.kept.calendars, all.kept.policies, all.kept.jobs, all.kept.plans, all.kept.meters, all.kept.templates, all.kept.filled} {
			for _, r := range records {
				for _, reference := range []string{"site_external_id", "building_external_id", "asset_external_id", "network_external_id",
					"segment_external_id", "project_external_id", "team_external_id", "calendar_external_id", "job_plan_external_id",
					"template_external_id"} {
					if value, given := r[reference]; given && !known[value] {
						t.Errorf("%s: %s %v of %v comes before what it refers to", b.name, reference, value, r["external_id"])
					}
				}
				if known[r["external_id"]] {
					t.Errorf("%s: %v is there twice", b.name, r["external_id"])
				}
				known[r["external_id"]] = true
			}
		}
		for name, p := range map[string]parts{"comments": all.work.comments, "tasks": all.work.tasks, "costs": all.work.costs,
			"phases": all.plan.phases, "funding": all.plan.funding, "budget": all.plan.budget, "links": all.plan.links} {
			seen := map[any]bool{}
			for of, records := range p {
				for _, r := range records {
					if !known[of] || seen[r["external_id"]] {
						t.Errorf("%s: %s %v of %s", b.name, name, r["external_id"], of)
					}
					seen[r["external_id"]] = true
					if target, links := r["target_id"]; links && !known[target] {
						t.Errorf("%s: a link to %v", b.name, target)
					}
				}
			}
		}
	}
}

// A stack may be started at any hour: nothing that has happened lies ahead of that day's first minute.
func TestNothingThatHappenedLiesInTheFuture(t *testing.T) {
	for _, b := range blueprints() {
		all := b.families()
		for _, r := range append(append([]record{}, all.work.orders...), all.work.closings...) {
			for _, field := range []string{"requested_at", "started_at", "completed_at", "closed_at"} {
				if at, given := r[field]; given && fmt.Sprint(at) >= day.Format(time.RFC3339) {
					t.Errorf("%s: %s %v of %v", b.name, field, at, r["external_id"])
				}
			}
		}
		for _, r := range b.generate(ids(b)).assets {
			for _, field := range []string{"condition_assessed_on", "out_of_use_on"} {
				if on, given := r[field]; given && fmt.Sprint(on) > day.Format(time.DateOnly) {
					t.Errorf("%s: %s %v of %v", b.name, field, on, r["external_id"])
				}
			}
		}
		for _, r := range append(append([]record{}, all.kept.deficiencies...), all.kept.ofSegments...) {
			if on, given := r["found_on"]; given && fmt.Sprint(on) > day.Format(time.DateOnly) {
				t.Errorf("%s: %v was found on %v", b.name, r["external_id"], on)
			}
		}
		for _, r := range all.kept.readings {
			if fmt.Sprint(r["read_at"]) > day.Format(time.DateOnly) {
				t.Errorf("%s: read at %v", b.name, r["read_at"])
			}
		}
		for _, r := range all.lines.inspections {
			if fmt.Sprint(r["inspected_on"]) > day.Format(time.DateOnly) {
				t.Errorf("%s: inspected on %v", b.name, r["inspected_on"])
			}
		}
	}
}

// What was done was asked for before it was begun, over three years, and so was the work of the rounds.
func TestWorkIsAskedForBeforeItIsDone(t *testing.T) {
	for _, b := range blueprints() {
		all := b.families()
		years := map[string]int{}
		for _, r := range all.work.orders {
			serviceRequests, begun := fmt.Sprint(r["requested_at"]), fmt.Sprint(r["started_at"])
			if r["started_at"] != nil && (r["requested_at"] == nil || serviceRequests >= begun) {
				t.Errorf("%s: %v was asked for at %s and begun at %s", b.name, r["external_id"], serviceRequests, begun)
			}
			years[serviceRequests[:4]]++
		}
		for _, year := range []string{"2024", "2025", "2026"} {
			if years[year] < len(all.work.orders)/5 {
				t.Errorf("%s: %d of %d work orders are of %s", b.name, years[year], len(all.work.orders), year)
			}
		}
		if oldest := all.work.orders[0]["requested_at"]; fmt.Sprint(oldest) > "2023-11-23" {
			t.Errorf("%s: the oldest work order is of %v", b.name, oldest)
		}
		for n, cycle := range all.kept.rounds.done {
			for i, done := range cycle {
				if done.completed != "" && (done.requested >= done.started || done.started >= done.completed) {
					t.Errorf("%s: cycle %d of building %d: %+v", b.name, n, i, done)
				}
			}
		}
	}
}

// Assets that became worse have the survey before, so that the condition of past years is another one.
func TestAssetsHaveAnEarlierSurvey(t *testing.T) {
	for _, b := range blueprints() {
		assets := b.generate(ids(b)).assets
		then, since := earlierSurveys(assets)
		if len(then) != len(assets) || len(since) < min(len(assets)/50, maxSurveys) {
			t.Errorf("%s: %d of %d assets, %d surveys", b.name, len(then), len(assets), len(since))
		}
		found := map[any]record{}
		for _, r := range since {
			found[r["external_id"]] = r
		}
		for i, r := range then {
			if now, again := found[r["external_id"]]; again && (fmt.Sprint(r["condition_assessed_on"]) >= fmt.Sprint(now["condition_assessed_on"]) ||
				r["condition_rating"].(int) >= now["condition_rating"].(int) || now["condition_rating"] != assets[i]["condition_rating"]) {
				t.Errorf("%s: %v was %v and is %v", b.name, r["external_id"], r, now)
			}
		}
	}
}

func TestEveryUniformatCodeAndEveryClassOfLinesHasAJob(t *testing.T) {
	b := blueprints()[0]
	g := b.generator("test", ids(b), day, dataset{})
	codes := []string{}
	for _, system := range systemKinds {
		for _, equipment := range system.equipment {
			codes = append(codes, equipment.code)
		}
	}
	for _, kind := range lineKinds {
		codes = append(codes, kind.class)
	}
	for _, code := range codes {
		if j := g.job(code, "x", record{}); j.french == "" || j.english == "" || j.code[0] != code[0] {
			t.Errorf("%s gets %q", code, j.english)
		}
	}
}
