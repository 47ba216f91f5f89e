package search

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/search"
	"ams.internal/libs/testwait"
)

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}

// The enums of the declarations are the kinds, and the ways to match.
func TestTheDocumentedKindsAreTheKinds(t *testing.T) {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Singular)
	}
	input, _ := reflect.TypeFor[request]().FieldByName("Kinds")
	shown, _ := reflect.TypeFor[Hit]().FieldByName("Kind")
	match, _ := reflect.TypeFor[Hit]().FieldByName("Match")
	for declared, want := range map[string][]string{input.Tag.Get("enum"): names, shown.Tag.Get("enum"): names,
		match.Tag.Get("enum"): search.Matches} {
		if !slices.Equal(strings.Split(declared, ","), want) {
			t.Errorf("declared are %s, there are %v", declared, want)
		}
	}
}

func TestWhatFitsBestComesFirst(t *testing.T) {
	f := newFixture(t)
	f.find("users", hits("users", "code", "words"))
	f.find("work_orders", hits("work_orders", "code", "name_prefix ended", "similar"))
	f.find("assets", hits("assets", "code ended", "name_prefix", "words", "words"))
	f.find("sites", hits("sites", "words", "words ended", "anywhere"))
	f.find("projects", hits("projects", "code_prefix", "name", "similar ended", "of tomorrow"))
	answer := f.Must(t, 200, "GET", "/v1/search?q=arena&limit=50", nil).JSON
	want := []string{
		"work_orders code 1", "users code 1", "assets code ended 1", "projects code_prefix 1", "projects name 2", "assets name_prefix 2",
		"work_orders name_prefix ended 2", "sites words 1", "assets words 3", "assets words 4", "users words 2", "sites words ended 2",
		"sites anywhere 3", "projects of tomorrow 4", "work_orders similar 3", "projects similar ended 3",
	}
	if got := namesOf(answer); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for service, o := range f.owners {
		if len(o.queries) != 1 {
			t.Errorf("%s was asked %d times", service, len(o.queries))
		}
	}
	query := f.owners["assets"].queries[0]
	if query.Text != "arena" || query.Limit != 50 || query.SiteID != nil ||
		!slices.Equal(query.Collections, []string{"sites", "buildings", "systems", "assets", "deficiencies"}) {
		t.Errorf("asked for %+v", query)
	}
	if p := f.owners["los"].callers[0]; p.OrganizationID != f.Principal.OrganizationID {
		t.Errorf("asked for the organization %s", p.OrganizationID)
	}
}

func namesOf(answer map[string]any) []string {
	var names []string
	for _, hit := range answer["data"].([]any) {
		names = append(names, hit.(map[string]any)["name"].(string))
	}
	return names
}

func TestAHitIsShownWithItsSiteAndItsPath(t *testing.T) {
	f := newFixture(t)
	text := func(s string) *string { return &s }
	f.find("assets", reference.Found{Count: 144875, Exact: true, Hits: []reference.Hit{{ID: ids[0], Name: "Pompe", Code: text("A-000123"),
		Detail: text("hvac, roof"), Status: text("in_service"), SiteID: text(ids[2]), BuildingID: text(ids[1]), Match: "code"}}})
	f.find("segments", reference.Found{Count: 200, Hits: []reference.Hit{{ID: ids[1], Name: "King St", SiteID: text(ids[3]), Match: "words"}}})
	f.find("sites",
		reference.Found{Count: 1, Exact: true, Hits: []reference.Hit{{ID: ids[2], Name: "Aréna", SiteID: text(ids[2]), Match: "anywhere"}}})
	f.owners["assets"].sites = []reference.Entry{{ID: ids[2], Name: "Aréna Maurice-Richard"}, {ID: ids[1], Name: "Pavillon B"}}
	answer := f.Must(t, 200, "GET", "/v1/search?q=a+%26+b", nil).JSON
	data := answer["data"].([]any)
	want := map[string]any{"kind": "asset", "id": ids[0], "name": "Pompe", "code": "A-000123", "detail": "hvac, roof", "status": "in_service",
		"site":     map[string]any{"id": ids[2], "name": "Aréna Maurice-Richard"},
		"building": map[string]any{"id": ids[1], "name": "Pavillon B"}, "match": "code", "url": "/v1/assets/" + ids[0]}
	if got := data[0].(map[string]any); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	segment, site := data[1].(map[string]any), data[2].(map[string]any)
	if !reflect.DeepEqual(segment["site"], map[string]any{"id": ids[3], "name": nil}) || segment["code"] != nil ||
		segment["building"] != nil || segment["url"] != "/v1/infrastructure/segments/"+ids[1] {
		t.Errorf("a site without a name: %v", segment)
	}
	if site["kind"] != "site" || site["site"] != nil {
		t.Errorf("a site: %v", site)
	}
	if asked := f.owners["assets"].asked; len(asked) != 2 || !slices.ContainsFunc(asked, func(q reference.Query) bool {
		return slices.Equal(q.IDs, []string{ids[2], ids[3]})
	}) {
		t.Errorf("asked for names: %+v", asked)
	}
	if got, want := fmt.Sprint(answer["totals"].(map[string]any)["asset"], answer["totals"].(map[string]any)["segment"]),
		"map[count:144875 exact:true] map[count:200 exact:false]"; got != want {
		t.Errorf("totals %s, want %s", got, want)
	}
	more := map[string]any{"asset": "/v1/assets?q=a+%26+b", "segment": "/v1/infrastructure/segments?q=a+%26+b"}
	if !reflect.DeepEqual(answer["more"], more) {
		t.Errorf("more: %v", answer["more"])
	}

	f.Principal.Scopes = []string{"assets:read"} // may see the asset, and not what its site is called
	answer = f.Must(t, 200, "GET", "/v1/search?q=a", nil).JSON
	if got := answer["data"].([]any)[0].(map[string]any)["site"]; !reflect.DeepEqual(got, map[string]any{"id": ids[2], "name": nil}) ||
		len(f.owners["assets"].asked) != 2 {
		t.Errorf("without sites:read: %v", got)
	}
}

func TestLimitKindsAndSiteNarrowASearch(t *testing.T) {
	f := newFixture(t)
	f.find("assets", hits("assets", "words", "words", "words"))
	f.find("users", hits("users", "code"))
	answer := f.Must(t, 200, "GET", "/v1/search?q=b&limit=2&kinds=user,asset", nil).JSON
	if got := namesOf(answer); !slices.Equal(got, []string{"users code 1", "assets words 1"}) {
		t.Errorf("got %q", got)
	}
	if more := answer["more"].(map[string]any); len(more) != 1 || more["asset"] != "/v1/assets?q=b" {
		t.Errorf("more: %v", more)
	}
	if len(answer["totals"].(map[string]any)) != 2 || f.owners["projects"].queries != nil ||
		!slices.Equal(f.owners["assets"].queries[0].Collections, []string{"assets"}) {
		t.Errorf("asked for %v", f.owners["assets"].queries)
	}
	answer = f.Must(t, 200, "GET", "/v1/search?q=b&limit=1&site_id="+strings.ToUpper(ids[0]), nil).JSON
	if len(f.owners["users"].queries) != 1 || f.owners["los"].queries != nil {
		t.Error("with a site, kinds are asked for that are at none")
	}
	if query := f.owners["assets"].queries[1]; *query.SiteID != ids[0] ||
		!slices.Equal(query.Collections, []string{"buildings", "systems", "assets", "deficiencies"}) {
		t.Errorf("asked for %+v", query)
	}
	list, err := url.Parse(answer["more"].(map[string]any)["asset"].(string))
	if err != nil || list.Path != "/v1/assets" || list.Query().Get("site_id") != ids[0] || list.Query().Get("q") != "b" {
		t.Errorf("more: %v, %v", list, err)
	}
}

// Where one collection has a word and another only knows what was probably meant, both are shown: what fits exactly first.
func TestCorrectionsAreShownTogether(t *testing.T) {
	f := newFixture(t)
	corrected := hits("assets", "similar")
	corrected.Corrected = map[string][]string{"grunfos": {"grundfos"}}
	f.find("assets", corrected)
	further := hits("work_orders", "similar ended")
	further.Corrected = map[string][]string{"grunfos": {"grundfoss", "grundfos"}, "pmup": {"pump"}}
	f.find("work_orders", further)
	f.find("users", hits("users", "anywhere"))
	answer := f.Must(t, 200, "GET", "/v1/search?q=grunfos+pmup", nil).JSON
	if got := namesOf(answer); !slices.Equal(got, []string{"users anywhere 1", "assets similar 1", "work_orders similar ended 1"}) {
		t.Errorf("got %q", got)
	}
	if got := fmt.Sprint(answer["corrected"]); got != "map[grunfos:[grundfos grundfoss] pmup:[pump]]" {
		t.Errorf("corrected: %s", got)
	}
}

// Only where no kind has a record with the words themselves, typing errors are looked for.
func TestTypingErrorsAreLookedForWhereNothingFits(t *testing.T) {
	f := newFixture(t)
	ask := func() []reference.SearchQuery {
		f.Must(t, 200, "GET", "/v1/search?q=grunfos&kinds=asset", nil)
		asked := f.owners["assets"].queries
		f.owners["assets"].queries = nil
		return asked
	}
	if asked := ask(); len(asked) != 2 || asked[0].Correct || !asked[1].Correct {
		t.Errorf("where nothing fits: asked %+v", asked)
	}
	f.find("assets", hits("assets", "words"))
	if asked := ask(); len(asked) != 1 || asked[0].Correct {
		t.Errorf("where something fits: asked %+v", asked)
	}
}

func TestWhoDoesNotAnswerIsNamed(t *testing.T) {
	f := newFixture(t)
	f.find("assets", hits("assets", "code"))
	f.owners["workorders"].failing = true
	f.owners["infrastructure"].hanging = true
	f.owners["users"].server.Close()
	answer := f.Must(t, 200, "GET", "/v1/search?q=arena", nil).JSON
	if got := fmt.Sprint(answer["unavailable"]); got != "[network segment infrastructure_deficiency work_order pm_plan vendor team user]" {
		t.Errorf("unavailable: %s", got)
	}
	if got := namesOf(answer); !slices.Equal(got, []string{"assets code 1"}) {
		t.Errorf("got %q", got)
	}
	if totals := answer["totals"].(map[string]any); totals["user"] != nil || totals["site"] == nil || len(answer["hidden"].([]any)) != 0 {
		t.Errorf("%v", answer)
	}
	// of what is asked for, nobody answers
	away := f.Must(t, 503, "GET", "/v1/search?q=arena&kinds=user,work_order", nil)
	if away.JSON["code"] != "search_unavailable" || away.Header.Get("Retry-After") == "" {
		t.Errorf("%s", away.Body)
	}
}

// Forty searches of an organization at once, of which each waits for an owner that does not answer until its time is over: two at a time
// are worked on, whoever waits too long is refused with the time to come back, and none with a 503. A neighbour's are answered meanwhile.
func TestAnOrganizationsSearchesHaveTurns(t *testing.T) {
	f := newFixture(t)
	f.find("users", hits("users", "code"))
	f.owners["assets"].hanging = true
	neighbour := f.Other()
	statuses := make(chan resourcetest.Response, 40)
	for range 40 {
		go func() { statuses <- f.Do(t, "GET", "/v1/search?q=arena&kinds=asset,user", nil) }()
	}
	testwait.For(t, 10*time.Second, "the searches have begun", func() bool {
		f.asking.mu.Lock()
		defer f.asking.mu.Unlock()
		return f.asking.most[f.Principal.OrganizationID] == ofOne
	})
	for range 5 {
		neighbour.Must(t, 200, "GET", "/v1/search?q=arena&kinds=user", nil)
	}
	if len(statuses) == 40 {
		t.Error("the neighbour's searches were answered after all others")
	}
	refused := 0
	for range 40 {
		switch answer := <-statuses; {
		case answer.Status == 200:
		case answer.Status == 429 && answer.JSON["code"] == "too_many_in_flight" && answer.Header.Get("Retry-After") != "":
			refused++
		default:
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
	}
	if refused == 0 {
		t.Error("nobody waited too long")
	}
	for organization, most := range f.asking.most {
		if most > ofOne {
			t.Errorf("%d searches of %s were worked on at once", most, organization)
		}
	}
}

// Whoever waits because others have all places is refused like who waits for himself.
func TestWhoWaitsForOthersTooLongIsToldToComeBack(t *testing.T) {
	f := newFixture(t)
	f.owners["assets"].hanging = true
	f.find("users", hits("users", "code"))
	var others sync.WaitGroup
	var refused atomic.Int32
	for range 60 {
		other := f.Other()
		others.Go(func() {
			switch answer := other.Do(t, "GET", "/v1/search?q=arena&kinds=asset,user", nil); {
			case answer.Status == 200:
			case answer.Status == 429 && answer.JSON["code"] == "busy" && answer.Header.Get("Retry-After") != "":
				refused.Add(1)
			default:
				t.Errorf("%d %s", answer.Status, answer.Body)
			}
		})
	}
	others.Wait()
	if refused.Load() == 0 {
		t.Error("nobody waited too long")
	}
}

// The second round begins only while half of the time is left, and what it does not look for in time is said.
func TestTypingErrorsAreLookedForWhileThereIsTime(t *testing.T) {
	f := newFixture(t)
	f.owners["assets"].slow = ownerTimeout/2 + 30*time.Millisecond
	answer := f.Must(t, 200, "GET", "/v1/search?q=grunfos&kinds=asset,user", nil).JSON
	if got := fmt.Sprint(answer["unavailable"], answer["data"]); got != "[asset user] []" || len(f.owners["users"].queries) != 1 {
		t.Errorf("%s; asked %+v", got, f.owners["users"].queries)
	}
	f.owners["assets"].slow, f.owners["assets"].hanging = 0, true // away in the first round: not asked in the second
	answer = f.Must(t, 200, "GET", "/v1/search?q=grunfos&kinds=asset,user", nil).JSON
	if got := fmt.Sprint(answer["unavailable"]); got != "[asset user]" || len(f.owners["assets"].queries) != 2 {
		t.Errorf("%s; asked %+v", got, f.owners["assets"].queries)
	}
}

// Owners are told how long their statements may take, and their refusal of an organization that has too much under way is the search's.
func TestOwnersHaveTheTimeOfTheSearch(t *testing.T) {
	f := newFixture(t)
	f.Must(t, 200, "GET", "/v1/search?q=a&kinds=asset", nil)
	for _, said := range f.owners["assets"].left {
		left, err := strconv.Atoi(said)
		if err != nil || left < 0 || left > int(ownerTimeout.Milliseconds())*7/8 {
			t.Errorf("%q milliseconds, %v", said, err)
		}
	}
	f.owners["assets"].full = true
	answer := f.Must(t, 429, "GET", "/v1/search?q=a&kinds=asset", nil)
	if answer.JSON["code"] != "too_many_in_flight" || answer.Header.Get("Retry-After") != "1" {
		t.Errorf("%v %s", answer.Header, answer.Body)
	}
}

func TestASearchShowsWhatTheKeyMayRead(t *testing.T) {
	f := newFixture(t)
	for _, k := range kinds {
		f.find(k.Name, hits(k.Name, "words"))
	}
	f.Principal.Scopes, f.Principal.Features = []string{"assets:read", "los:read", "sites:write"}, []string{"api_access"}
	answer := f.Must(t, 200, "GET", "/v1/search?q=arena", nil).JSON
	if got := namesOf(answer); !slices.Equal(got, []string{"assets words 1"}) {
		t.Errorf("found %q", got)
	}
	want := "[site building system project network los_service_area segment deficiency infrastructure_deficiency work_order request pm_plan " +
		"meter los_measure vendor team user]"
	if got := fmt.Sprint(answer["hidden"]); got != want || len(answer["totals"].(map[string]any)) != 1 {
		t.Errorf("hidden: %s", got)
	}
	if got := fmt.Sprint(f.Must(t, 200, "GET", "/v1/search?q=arena&kinds=asset,user", nil).JSON["hidden"]); got != "[user]" {
		t.Errorf("hidden of what was asked for: %s", got)
	}
	refused := f.Must(t, 403, "GET", "/v1/search?q=arena&kinds=site,user,network", nil).JSON
	if refused["code"] != "scope_missing" || refused["required_scope"] != nil ||
		!strings.Contains(refused["error"].(string), "sites:read or infrastructure:read or users:read") {
		t.Errorf("%v", refused)
	}
	refused = f.Must(t, 403, "GET", "/v1/search?q=arena&kinds=network,segment", nil).JSON
	if refused["required_scope"] != "infrastructure:read" {
		t.Errorf("%v", refused)
	}
	if refused := f.Must(t, 403, "GET", "/v1/search?q=arena&kinds=los_measure", nil).JSON; refused["code"] != "feature_not_in_plan" {
		t.Errorf("%v", refused)
	}
	if len(f.owners["users"].queries)+len(f.owners["los"].queries)+len(f.owners["infrastructure"].queries) != 0 {
		t.Error("an owner was asked for what the key may not read")
	}
}

func TestRequestsAreCheckedBeforeAnybodyIsAsked(t *testing.T) {
	f := newFixture(t)
	for query, field := range map[string]string{
		"": "q", "q=": "q", "q=" + url.QueryEscape("😀"): "q", "q=%25": "q", "q=_&": "q", "q=%26": "q", "q='": "q",
		"q=" + strings.Repeat("x", 201): "q", "q=b+c+d+e+f+g+h+i+j": "q", "q=a%00b": "q", "q=a%ffb": "q", "q=a&q=b": "q",
		"q=a&kinds=document": "kinds", "q=a&kinds=assets": "kinds", "q=a&kinds=": "kinds", "q=a&kinds=asset,": "kinds",
		"q=a&limit=0": "limit", "q=a&limit=51": "limit", "q=a&limit=ten": "limit", "q=a&limit=1.5": "limit",
		"q=a&site_id=arena": "site_id", "q=a&kinds=user,site&site_id=" + ids[0]: "site_id",
		"q=a&page=2": "page",
	} {
		answer := f.Must(t, 400, "GET", "/v1/search?"+query, nil)
		if fields := answer.Fields(); len(fields) != 1 || !strings.HasPrefix(fields[0], field) {
			t.Errorf("%s: %s", query, answer.Body)
		}
	}
	for service, o := range f.owners {
		if o.queries != nil {
			t.Errorf("%s was asked", service)
		}
	}
	for _, text := range []string{"%a_", "x'; DROP TABLE t; --", "a & b", strings.Repeat("é", 200)} { // plain text
		f.Must(t, 200, "GET", "/v1/search?q="+url.QueryEscape(text), nil)
		if queries := f.owners["users"].queries; queries[len(queries)-1].Text != text {
			t.Errorf("%q was handed on as %q", text, queries[len(queries)-1].Text)
		}
	}
	f.Must(t, 400, "POST", "/v1/search?q=a", nil)
}

// Where nothing has all words, and some are a place's name, the others are looked for there: of several ways to divide them by the longest
// name.
func TestThingsAreLookedForAtThePlacesThatTheTextNames(t *testing.T) {
	f := newFixture(t)
	at := hits("sites", "words", "words")
	f.owners["assets"].texts = map[string]map[string]reference.Found{
		"lincoln school": {"sites": at, "buildings": hits("buildings", "anywhere")},
		"school":         {"sites": hits("sites", "words", "words", "words")},
		"roof":           {"assets": hits("assets", "name")},
	}
	answer := f.Must(t, 200, "GET", "/v1/search?q=roof+lincoln+school&kinds=asset,user&limit=5", nil).JSON
	if got := namesOf(answer); !slices.Equal(got, []string{"assets name 1"}) {
		t.Errorf("got %q", got)
	}
	resourcetest.Expect(t, answer, map[string]any{"at.words": "roof", "at.kind": "site", "at.name": "lincoln school", "totals.asset.count": 1,
		"totals.asset.exact": true})
	queries := f.owners["assets"].queries
	last := queries[len(queries)-1]
	if last.Text != "roof" || !slices.Equal(last.SiteIDs, ids[:2]) || last.BuildingIDs != nil || !last.Correct || len(queries) != 2+4+1 {
		t.Errorf("%d queries, the last %+v", len(queries), last)
	}
	if len(f.owners["users"].queries) != 2 { // they are at no site
		t.Errorf("users were looked for %d times", len(f.owners["users"].queries))
	}

	f.owners["assets"].texts["lincoln school"] = map[string]reference.Found{"sites": hits("sites", "anywhere"),
		"buildings": hits("buildings", "name")}
	answer = f.Must(t, 200, "GET", "/v1/search?q=lincoln+school+roof&kinds=asset&limit=5", nil).JSON
	resourcetest.Expect(t, answer, map[string]any{"at.kind": "building", "at.name": "lincoln school"})

	f.Principal.Scopes = []string{"assets:read"} // may not know which places there are
	asked := len(f.owners["assets"].queries)
	answer = f.Must(t, 200, "GET", "/v1/search?q=roof+lincoln+school&kinds=asset", nil).JSON
	if answer["at"] != nil || len(f.owners["assets"].queries) != asked+2 {
		t.Errorf("%v", answer)
	}
}

// What fits as it was typed is found without a look at places, and so is nothing where there is no time or a site is given.
func TestPlacesAreNotLookedForInVain(t *testing.T) {
	f := newFixture(t)
	for _, query := range []string{"q=roof", "q=roof+lincoln&site_id=" + ids[0], "q=b+c+d+e+f"} {
		f.owners["assets"].queries = nil
		if answer := f.Must(t, 200, "GET", "/v1/search?kinds=asset&"+query, nil).JSON; answer["at"] != nil ||
			len(f.owners["assets"].queries) != 2 {
			t.Errorf("%s: %d queries, %v", query, len(f.owners["assets"].queries), answer["at"])
		}
	}
	f.find("assets", hits("assets", "anywhere"))
	f.owners["assets"].queries = nil
	if f.Must(t, 200, "GET", "/v1/search?kinds=asset&q=roof+lincoln", nil); len(f.owners["assets"].queries) != 1 {
		t.Errorf("%d queries", len(f.owners["assets"].queries))
	}
}
