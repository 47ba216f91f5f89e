package e2e

import (
	"net/url"
	"slices"
	"testing"
)

// One search finds records of all services by their names and codes, for each organization its own, and each key what it may read.
func TestASearchFindsRecordsOfAllCollections(t *testing.T) {
	us := fresh(t, city)
	e := newFixture(t, us, "Zwieback")
	found := us.must(t, 200, "GET", "/v1/search?limit=50&q=ZWIEBÄCK", nil)
	ids := idsOf(found)
	for _, kind := range []string{"site", "building", "system", "asset", "work_order", "user", "network", "segment", "project", "service_area",
		"measure"} {
		if !slices.Contains(ids, e[kind]) {
			t.Errorf("the %s is not found: %s", kind, found.body)
		}
	}
	if len(found.object["hidden"].([]any))+len(found.object["unavailable"].([]any)) != 0 {
		t.Errorf("%s", found.body)
	}
	asset := us.must(t, 200, "GET", "/v1/assets/"+e["asset"], nil).object
	byCode := us.must(t, 200, "GET", "/v1/search?kinds=asset&q="+url.QueryEscape(asset["asset_tag"].(string)), nil)
	hit := byCode.object["data"].([]any)[0].(map[string]any)
	if hit["id"] != e["asset"] || hit["match"] != "code" || hit["url"] != "/v1/assets/"+e["asset"] ||
		hit["site"].(map[string]any)["name"] != "Zwieback site" {
		t.Errorf("by its tag: %s", byCode.body)
	}
	if theirs := as(t, board, "full").must(t, 200, "GET", "/v1/search?q=Zwieback", nil); len(idsOf(theirs)) != 0 {
		t.Errorf("another organization finds %s", theirs.body)
	}
	narrow := as(t, city, "assets_only").must(t, 200, "GET", "/v1/search?q=Zwieback", nil)
	if len(narrow.object["totals"].(map[string]any)) != 1 || len(narrow.object["hidden"].([]any)) != 17 ||
		!slices.Contains(idsOf(narrow), e["asset"]) || slices.Contains(idsOf(narrow), e["site"]) {
		t.Errorf("a key for assets finds %s", narrow.body)
	}
}

// The demonstration data is found as people would look for it.
func TestTheDemonstrationDataIsFoundByItsCodes(t *testing.T) {
	us := as(t, city, "full")
	sites := us.must(t, 200, "GET", "/v1/sites?per_page=1", nil).object["data"].([]any)
	site := sites[0].(map[string]any)
	found := us.must(t, 200, "GET", "/v1/search?kinds=site&q="+url.QueryEscape(site["code"].(string)), nil)
	if ids := idsOf(found); len(ids) == 0 || ids[0] != site["id"] {
		t.Errorf("%v: %s", site["code"], found.body)
	}
}

func idsOf(r response) []string {
	var ids []string
	for _, hit := range r.object["data"].([]any) {
		ids = append(ids, hit.(map[string]any)["id"].(string))
	}
	return ids
}
