package workorders

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

func target(kind, id string) fields { return fields{"target_type": kind, "target_id": id} }

// targets reads a work order's targets in their order, each as its type and id.
func (f fixture) targets(t testing.TB, path string) []string {
	t.Helper()
	list, _ := f.List(t, path+"/targets?sort=position&per_page=1000")
	var found []string
	for _, record := range list {
		found = append(found, fmt.Sprint(record["target_type"], " ", record["target_id"]))
	}
	return found
}

func TestThePlaceOfAWorkOrderIsWhatItsTargetsAgreeOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		targets []fields
		want    fields
	}{
		"one asset": {[]fields{target("asset", assetIDs[0])},
			fields{"asset_id": assetIDs[0], "system_id": systemIDs[0], "building_id": buildingIDs[0], "site_id": siteIDs[0], "segment_id": nil}},
		"two assets of one site": {[]fields{target("asset", assetIDs[0]), target("asset", fence)},
			fields{"asset_id": nil, "system_id": nil, "building_id": nil, "site_id": siteIDs[0]}},
		"an asset and its building": {[]fields{target("asset", assetIDs[0]), target("building", buildingIDs[0])},
			fields{"asset_id": nil, "system_id": nil, "building_id": buildingIDs[0], "site_id": siteIDs[0]}},
		"two sites": {[]fields{target("site", siteIDs[0]), target("site", siteIDs[1])}, fields{"site_id": nil}},
		"an asset and a segment": {[]fields{target("asset", assetIDs[0]), target("segment", segment)},
			fields{"site_id": siteIDs[0], "segment_id": nil}},
		"a segment": {[]fields{target("segment", segment)}, fields{"site_id": siteIDs[0], "segment_id": segment}},
		"a system": {[]fields{target("system", systemIDs[1])},
			fields{"system_id": systemIDs[1], "building_id": buildingIDs[1], "asset_id": nil}},
		"an asset of nowhere and a site": {[]fields{target("asset", tablet), target("site", siteIDs[0])},
			fields{"site_id": nil, "asset_id": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			inline, record := f.create(t, fields{"targets": c.targets})
			c.want["version"] = 1
			resourcetest.Expect(t, record, c.want)
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", inline, nil).JSON, c.want)
			one, _ := f.create(t, fields{})
			for _, body := range c.targets {
				f.Create(t, one+"/targets", body)
			}
			delete(c.want, "version")
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", one, nil).JSON, c.want)
			all, _ := f.create(t, fields{})
			f.Must(t, http.StatusOK, "POST", all+"/targets/bulk", fields{"data": c.targets})
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", all, nil).JSON, c.want)
			if a, b, c := f.targets(t, inline), f.targets(t, one), f.targets(t, all); !slices.Equal(a, b) || !slices.Equal(a, c) {
				t.Errorf("the targets are %v inline, %v one by one and %v together", a, b, c)
			}
		})
	}
}

func TestWhatIsWrongWithTargetsIsNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	withShare := func(share any) fields {
		body := target("asset", tablet)
		body["share"] = share
		return body
	}
	for name, c := range map[string]struct {
		body    fields
		refused string
	}{
		"nobody's asset":       {fields{"targets": []fields{target("asset", tablet), target("asset", nobody)}}, "targets[1].target_id"},
		"an asset as a system": {fields{"targets": []fields{target("system", assetIDs[0])}}, "targets[0].target_id"},
		"the same twice":       {fields{"targets": []fields{target("asset", tablet), target("asset", tablet)}}, "targets[1].target_id"},
		"no type":              {fields{"targets": []fields{{"target_id": tablet}}}, "targets[0].target_type"},
		"no such type":         {fields{"targets": []fields{target("project", project)}}, "targets[0].target_type"},
		"no share":             {fields{"targets": []fields{withShare(0)}}, "targets[0].share"},
		"a negative share":     {fields{"targets": []fields{withShare(-1)}}, "targets[0].share"},
		"seven decimals":       {fields{"targets": []fields{withShare(1.0000001)}}, "targets[0].share"},
		"another place":        {fields{"site_id": siteIDs[1], "targets": []fields{target("asset", assetIDs[0])}}, "site_id"},
		"an asset beside two": {fields{"asset_id": assetIDs[0], "targets": []fields{target("asset", assetIDs[0]), target("asset", fence)}},
			"asset_id"},
		"no list": {fields{"targets": "all"}, "targets"},
	} {
		c.body["title"] = name
		if response := f.Refused(t, "POST", "/v1/work-orders", c.body); !slices.Contains(response.Fields(), c.refused) {
			t.Errorf("%s: refused %v, want %s: %s", name, response.Fields(), c.refused, response.Body)
		}
	}
	path, _ := f.create(t, fields{"targets": []fields{target("asset", assetIDs[0])}, "asset_id": assetIDs[0]}) // it agrees
	for name, c := range map[string]struct {
		body    fields
		refused string
	}{"nobody's": {target("asset", nobody), "target_id"}, "no share": {withShare(0), "share"},
		"an asset as a site": {target("site", tablet), "target_id"}} {
		if response := f.Refused(t, "POST", path+"/targets", c.body); !slices.Contains(response.Fields(), c.refused) {
			t.Errorf("%s: refused %v, want %s", name, response.Fields(), c.refused)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path+"/targets", target("asset", assetIDs[0])).JSON,
		fields{"code": "already_exists", "field": "target_id"})
	// The place of a work order with targets is changed by its targets, and targets by their own path.
	for field, body := range map[string]fields{"asset_id": {"asset_id": assetIDs[1]},
		"targets": {"targets": []fields{target("asset", tablet)}}} {
		if response := f.Must(t, http.StatusBadRequest, "PATCH", path, body); !slices.Contains(response.Fields(), field) {
			t.Errorf("PATCH of %s is refused for %v", field, response.Fields())
		}
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"asset_id": assetIDs[0], "title": "Autre"}) // the same as it was
	f.Must(t, http.StatusOK, "PATCH", path, f.Must(t, http.StatusOK, "GET", path, nil).JSON)
}

func TestASegmentAsATargetNeedsItsFeature(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plain := *f.Client
	plain.Principal.Features = []string{"api_access"}
	path, _ := f.create(t, fields{})
	for at, body := range map[string]fields{"/v1/work-orders": {"title": "x", "targets": []fields{target("segment", segment)}},
		path + "/targets": target("segment", segment)} {
		resourcetest.Expect(t, plain.Must(t, http.StatusForbidden, "POST", at, body).JSON, fields{"code": "feature_not_in_plan"})
	}
	plain.Must(t, http.StatusCreated, "POST", path+"/targets", target("asset", tablet))
}

func TestWhatAWorkOrderNamesBecomesATargetBesideOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{"asset_id": assetIDs[0]})
	if found := f.targets(t, path); found != nil {
		t.Errorf("a work order on one asset has the targets %v", found)
	}
	f.Create(t, path+"/targets", target("asset", assetIDs[1]))
	if found := f.targets(t, path); !slices.Equal(found, []string{"asset " + assetIDs[0], "asset " + assetIDs[1]}) {
		t.Errorf("the targets are %v", found)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"asset_id": nil, "site_id": nil})
	first, _ := f.List(t, path+"/targets?target_id="+assetIDs[0])
	resourcetest.Expect(t, first[0], fields{"system_id": systemIDs[0], "building_id": buildingIDs[0], "site_id": siteIDs[0], "share": 1})
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint(path, "/targets/", first[0]["id"]), nil)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"asset_id": assetIDs[1], "site_id": siteIDs[1]})
	last, _ := f.List(t, path+"/targets")
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint(path, "/targets/", last[0]["id"]), nil)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"asset_id": assetIDs[1]}) // it stays where it was
	f.Must(t, http.StatusOK, "PATCH", path, fields{"asset_id": assetIDs[0]})

	same, _ := f.create(t, fields{"asset_id": assetIDs[0]}) // named once more, it is there once
	f.Create(t, same+"/targets", target("asset", assetIDs[0]))
	elsewhere, _ := f.create(t, fields{"site_id": siteIDs[1]}) // where the work is, is no target
	f.Create(t, elsewhere+"/targets", target("asset", assetIDs[1]))
	if a, b := f.targets(t, same), f.targets(t, elsewhere); len(a) != 1 || len(b) != 1 {
		t.Errorf("the targets are %v and %v", a, b)
	}
}

func TestAWorkOrderHasAtMost500Targets(t *testing.T) {
	f := newFixtureAlone(t)
	path, record := f.create(t, fields{"targets": []fields{target("asset", tablet)}})
	if _, err := f.owner(t).Exec(t.Context(), `INSERT INTO work_order_target (organization_id, id, position, created_at, updated_at,
		created_by, updated_by, work_order_id, target_type, target_id, target_position, share, asset_id)
		SELECT t.organization_id, gen_random_uuid(), t.position - n, now(), now(), '{}', '{}', t.work_order_id, 'asset', gen_random_uuid(),
			1 + n, 1, NULL
		FROM work_order_target t, generate_series(1, 498) n WHERE t.work_order_id = $1`, record["id"]); err != nil {
		t.Fatal(err)
	}
	f.Create(t, path+"/targets", target("asset", fence))
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path+"/targets", target("asset", assetIDs[0])).JSON,
		fields{"code": "too_many_targets"})
	var many []fields
	for range 501 {
		many = append(many, target("asset", tablet))
	}
	if response := f.Must(t, http.StatusBadRequest, "POST", "/v1/work-orders",
		fields{"title": "x", "targets": many}); !slices.Contains(response.Fields(), "targets") {
		t.Errorf("refused %v", response.Fields())
	}
}

func TestListsAndFiguresSeeTargets(t *testing.T) {
	f := newFixtureAlone(t)
	f.create(t,
		fields{"title": "Deux sites", "due_date": day(-1), "targets": []fields{target("asset", assetIDs[0]), target("asset", assetIDs[1])}})
	f.create(t, fields{"title": "Deux fois le site 0",
		"targets": []fields{target("asset", assetIDs[0]), target("asset", fence), target("segment", segment)}})
	f.create(t, fields{"title": "Un seul", "asset_id": assetIDs[0]})
	f.create(t, fields{"title": "Nulle part"})
	for query, want := range map[string]int{
		"asset_id=" + assetIDs[0]: 3, "asset_id=" + assetIDs[1]: 1, "asset_id=" + fence: 1, "site_id=" + siteIDs[0]: 3, "site_id=" +
			siteIDs[1]: 1, "site_id=" + siteIDs[0] + "," + siteIDs[1]: 3, "building_id=" + buildingIDs[1]: 1, "system_id=" + systemIDs[0]: 3,
		"segment_id=" + segment: 1, "site_id=" + siteIDs[1] + "&status=open": 1, "site_id=" + siteIDs[0] + "&asset_id=" + fence: 1,
		"asset_id=" + nobody: 0, "asset_id=" + assetIDs[1] + ",null": 3, "site_id=" + siteIDs[0] + "&q=deux": 2,
	} {
		for _, path := range []string{"/v1/work-orders?", "/v1/work_orders?sort=title&"} {
			if found, pagination := f.List(t, path+query); len(found) != want || pagination["total"] != float64(want) {
				t.Errorf("%s finds %d, total %v, want %d", query, len(found), pagination["total"], want)
			}
		}
	}
	// The same from the index, when it is folded.
	for folded := 1; folded > 0; {
		var err error
		if folded, err = f.registry.FoldIndex(principal.Into(t.Context(), f.Principal), "work_orders"); err != nil {
			t.Fatal(err)
		}
	}
	if found, _ := f.List(t, "/v1/work-orders?site_id="+siteIDs[1]); len(found) != 1 {
		t.Errorf("folded, %d are on site 1", len(found))
	}
	for by, want := range map[string]map[string]string{
		"site_id":    {siteIDs[0]: "3 1", siteIDs[1]: "1 1"},
		"asset_id":   {assetIDs[0]: "3 1", assetIDs[1]: "1 1", fence: "1 0"},
		"segment_id": {segment: "1 0"},
	} {
		if got := count(t, f.Client, fields{"by": by}); !reflect.DeepEqual(got, want) {
			t.Errorf("by %s it is %v, want %v", by, got, want)
		}
	}
	if got := count(t, f.Client, fields{"by": "asset_id", "ids": []string{fence}}); !reflect.DeepEqual(got, map[string]string{fence: "1 0"}) {
		t.Errorf("of the fence it is %v", got)
	}
	period := fields{"period_start": day(-1), "period_end": day(1)}
	path, _ := f.create(t, fields{"type": "corrective", "problem_code": "break", "connections_affected": 10, "downtime_minutes": 6,
		"targets": []fields{target("segment", segment), target("site", siteIDs[1])}})
	if found := f.Must(t, http.StatusOK, "POST", "/internal/work-orders/breaks", period).JSON["data"].([]any); len(found) != 1 {
		t.Errorf("breaks are %v", found)
	}
	period["site_ids"] = siteIDs[1:]
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", "/internal/work-orders/connections", period).JSON, fields{"break_minutes": 60})
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", "/internal/work-orders/figures", period).JSON, fields{"completed": 1})
	delete(period, "site_ids")
	period["by_segment"] = true
	lost := f.Must(t, http.StatusOK, "POST", "/internal/work-orders/connections", period).JSON["segments"].([]any)
	if len(lost) != 1 || lost[0].(fields)["id"] != segment {
		t.Errorf("lost on segments: %v", lost)
	}
}

func TestTargetsHoldTheirRecords(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{"targets": []fields{target("asset", assetIDs[0]), target("asset", assetIDs[1]), target("site", siteIDs[1])}})
	held := func(collection string, open bool, id string) any {
		t.Helper()
		data := f.Must(t, http.StatusOK, "POST", "/internal/dependents/"+collection,
			fields{"ids": []string{id}, "open": open}).JSON["data"].([]any)
		if len(data) == 0 {
			return nil
		}
		return data[0].(fields)["counts"]
	}
	for _, c := range []struct{ collection, id string }{{"assets", assetIDs[0]}, {"assets", assetIDs[1]}, {"buildings", buildingIDs[0]},
		{"systems", systemIDs[1]}} {
		if got := held(c.collection, true, c.id); !reflect.DeepEqual(got, fields{"work_order_targets": 1.0}) {
			t.Errorf("%s %s is held by %v", c.collection, c.id, got)
		}
	}
	if got := held("sites", false, siteIDs[1]); !reflect.DeepEqual(got, fields{"work_order_targets": 2.0}) { // itself, and an asset on it
		t.Errorf("site 1 is held by %v", got)
	}
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"})
	if got := held("assets", true, assetIDs[0]); got != nil {
		t.Errorf("done work holds an asset from being retired: %v", got)
	}
	if got := held("assets", false, assetIDs[0]); got == nil {
		t.Error("done work does not hold an asset from being deleted")
	}
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "closed"})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path+"/targets", target("asset", tablet)).JSON,
		fields{"code": "work_order_closed"})
}

func TestChangingTargetsChangesTheirWorkOrderInOneTransaction(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, record := f.create(t, fields{"targets": []fields{target("asset", assetIDs[0])}})
	added := f.Create(t, path+"/targets", target("asset", assetIDs[1]))
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/targets/", added["id"]), fields{"result": "done", "note": "Fait", "share": 2.5})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/targets/", added["id"]), fields{"target_id": fence})
	moved := f.Must(t, http.StatusOK, "GET", path, nil).JSON
	resourcetest.Expect(t, moved, fields{"site_id": siteIDs[0], "asset_id": nil, "version": 3})
	got := resourcetest.EventTypes(f.Events(t, f.database), record["id"])
	if want := []string{"work_order.created", "work_order.updated", "work_order.updated"}; !slices.Equal(got, want) {
		t.Errorf("the events are %v, want %v", got, want)
	}
	if list, _ := f.Other().List(t, "/v1/work-orders"); len(list) != 0 {
		t.Errorf("another organization has %v", list)
	}
	f.Other().Must(t, http.StatusNotFound, "GET", path+"/targets", nil)
	f.Other().Must(t, http.StatusNotFound, "GET", path+"/allocation", nil)
}
