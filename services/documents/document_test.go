package documents

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/odata"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/picture/picturetest"
)

func TestARecordHasOnePrimaryDocument(t *testing.T) {
	f := newFixture(t)
	document := func(name string, more fields) string {
		t.Helper()
		return upload(t, f.Client, http.StatusCreated, name+".txt", []byte(name), more).Header.Get("Location")
	}
	primary := fields{"is_primary": true}
	first := document("first", primary)
	elsewhere := document("elsewhere", fields{"record_id": pump, "is_primary": true})
	second := document("second", primary)
	expect := func(want string) {
		t.Helper()
		for _, path := range []string{first, second, elsewhere} {
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
				fields{"is_primary": path == want || want == second && path == elsewhere})
		}
	}
	expect(second) // that of another record stays
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", first, nil).JSON, fields{"version": 2})
	f.Must(t, http.StatusOK, "PATCH", elsewhere, fields{"record_id": boiler})
	expect(elsewhere)
	f.Must(t, http.StatusOK, "PATCH", first, primary)
	expect(first)
	both := f.Must(t, http.StatusBadRequest, "PATCH", "/v1/documents/bulk", fields{"data": []any{
		fields{"id": second[len("/v1/documents/"):], "is_primary": true}, fields{"id": elsewhere[len("/v1/documents/"):], "is_primary": true}}})
	if !strings.Contains(string(both.Body), "is set of two documents of one record") {
		t.Errorf("two of one record: %s", both.Body)
	}
	expect(first)
}

func TestTheKindThatIsLeftOut(t *testing.T) {
	f := newFixture(t)
	for name, c := range map[string]struct{ content, want string }{
		"plaque.png": {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "photo"},
		"visite.mp4": {"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "video"}, "plan.pdf": {"%PDF-1.7\n", "other"},
	} {
		resourcetest.Expect(t, upload(t, f.Client, http.StatusCreated, name, []byte(c.content), nil).JSON, fields{"kind": c.want, "title": name})
		resourcetest.Expect(t, upload(t, f.Client, http.StatusCreated, name, []byte(c.content), fields{"kind": "manual"}).JSON,
			fields{"kind": "manual"})
	}
	draft := f.Create(t, "/v1/documents", fields{"collection": "assets", "record_id": boiler, "title": "Plaque"})
	resourcetest.Expect(t, draft, fields{"kind": nil, "status": "draft"})
}

func TestADocumentIsOnFiveHundredOtherRecords(t *testing.T) {
	f := newFixture(t)
	var assets []reference.Entry
	var rows []any
	for i := range 500 {
		assets = append(assets, reference.Entry{ID: uuid.NewString(), Name: fmt.Sprint("Pompe ", i)})
		rows = append(rows, fields{"collection": "assets", "record_id": assets[i].ID})
	}
	f.Keep("assets", append(assets, reference.Entry{ID: boiler, Name: "Chaudière 1"}, reference.Entry{ID: pump, Name: "Pompe 3"})...)
	path := upload(t, f.Client, http.StatusCreated, "manuel.txt", []byte("manuel"), nil).Header.Get("Location")
	f.Must(t, http.StatusOK, "POST", path+"/links/bulk", fields{"data": rows})
	refused := f.Must(t, http.StatusConflict, "POST", path+"/links", fields{"collection": "assets", "record_id": pump})
	resourcetest.Expect(t, refused.JSON, fields{"code": "too_many_links"})
	for query, want := range map[string]int{assets[499].ID: 1, boiler: 1, pump: 0} {
		_, pagination := f.List(t, "/v1/documents?record_id="+query)
		resourcetest.Expect(t, pagination, fields{"total": want})
	}
	// A record twice, and that on which it is anyway.
	links, _ := f.List(t, path+"/links?per_page=1")
	f.Must(t, http.StatusNoContent, "DELETE", path+"/links/"+links[0]["id"].(string), nil)
	f.Must(t, http.StatusConflict, "POST", path+"/links", fields{"collection": "assets", "record_id": assets[499].ID})
	f.Must(t, http.StatusBadRequest, "POST", path+"/links", fields{"collection": "assets", "record_id": boiler})
}

func TestARecordIsAskedForBeforeADocumentIsPutOnIt(t *testing.T) {
	f := newFixture(t)
	draft := fields{"collection": "assets", "record_id": boiler, "title": "Plan"}
	for i, body := range []fields{{"record_id": nobodys}, {"collection": "buildings"}} { // nobody's, and one of another collection
		if got := upload(t, f.Client, http.StatusNotFound, "a.txt", []byte("a"), body).Fields(); fmt.Sprint(got) != "[record_id]" {
			t.Errorf("%d: %v", i, got)
		}
	}
	f.Refuse("/internal/references/assets")
	f.Must(t, http.StatusServiceUnavailable, "POST", "/v1/documents", draft)
	upload(t, f.Client, http.StatusServiceUnavailable, "a.txt", []byte("a"), nil)
	f.kept(t, 0, 0)
	f.Restore("/internal/references/assets")
	_, pagination := f.List(t, "/v1/documents?status=draft,active,trashed")
	resourcetest.Expect(t, pagination, fields{"total": 0})
	f.Create(t, "/v1/documents", draft)
}

// What follows from the content is null of the drafts that the conformance suite makes.
func TestDocumentsAreFoundByWhatTheirContentIs(t *testing.T) {
	f := newFixture(t)
	w := f.worker(t)
	position := picturetest.Position("N", [][2]uint32{{43, 1}, {39, 1}, {1224, 100}}, "W", [][2]uint32{{79, 1}, {23, 1}, {96, 100}})
	class := newClass(t, f.Client, "C", fields{"years": 5})
	plate := upload(t, f.Client, http.StatusCreated, "plaque.jpg", photo(t, picturetest.Taken("2025:07:14 09:30:00", "-04:00"), position),
		fields{"title": "Chaudière", "caption_en": "Boiler plate", "caption_fr": "Plaque rivetée", "document_number": "BLD01-0042",
			"retention_class_id": class, "issued_on": "2024-02-29"}).JSON
	settle(t, w)
	other := upload(t, f.Client, http.StatusCreated, "zone.txt", []byte("zone"), nil)
	f.Must(t, http.StatusCreated, "POST", other.Header.Get("Location")+"/revisions", "zone 2", "Content-Type", "text/plain")
	for _, query := range []string{
		"file_name=plaque", "media_type=image/jpeg", "sha256=" + plate["sha256"].(string), fmt.Sprintf("size_bytes_min=%v", plate["size_bytes"]),
		"revision_max=1", "width_px_min=400", "width_px=400",
		"height_px_max=300", "taken_at_from=2025-07-14T13:30:00Z", "taken_at_to=2025-07-14T13:30:00Z",
		"latitude_min=43.65", "latitude_max=43.66", "longitude_min=-79.39", "longitude_max=-79.38", "has_position=true", "kind=photo",
		"retain_until_from=2029-02-28", "retain_until_to=2029-02-28", "retention_due=false&retention_class_id=" + class,
		"caption_en=Boiler", "caption_fr=Plaque", "q=boiler", "q=rivet%C3%A9e", "q=plaque.jpg", "q=BLD01-0042", "q=chaudi%C3%A8re",
	} {
		list, pagination := f.List(t, "/v1/documents?"+query)
		if len(list) != 1 || pagination["total"] != 1.0 || list[0]["id"] != plate["id"] {
			t.Errorf("%s finds %d of %v", query, len(list), pagination["total"])
		}
	}
	for _, query := range []string{"retain_until_from=2029-03-01", "retain_until_to=2029-02-27", "taken_at_from=2025-07-14T13:30:01Z",
		"latitude_min=43.66", "size_bytes_max=5", "revision_min=3", "trashed_at_from=2000-01-01T00:00:00Z", "scan_status=clean"} {
		if list, _ := f.List(t, "/v1/documents?"+query); len(list) != 0 {
			t.Errorf("%s finds %d", query, len(list))
		}
	}
	// The trash is shown to those who ask for it.
	f.Must(t, http.StatusNoContent, "DELETE", other.Header.Get("Location"), nil)
	for query, want := range map[string]int{"": 1, "status=active": 1, "status=trashed": 1, "status=draft,active,trashed": 2,
		"status=trashed&trashed_at_from=2000-01-01T00:00:00Z": 1} {
		_, pagination := f.List(t, "/v1/documents?"+query)
		resourcetest.Expect(t, pagination, fields{"total": want})
	}
	f.trashIsInOData(t, other.JSON["id"].(string))
}

// trashIsInOData checks that one of two documents, which is in the trash, is shown by OData to those who ask for it.
func (f *fixture) trashIsInOData(t *testing.T, id string) {
	t.Helper()
	inOData := func(asked, path string, options url.Values) resourcetest.Response {
		return f.Must(t, http.StatusOK, "GET", path+"?"+options.Encode(), nil, odata.Header, "https://api.example.com/odata/v4/"+asked)
	}
	for filter, want := range map[string]string{"": "1", "status eq 'trashed'": "1", "status in ('active','trashed')": "2",
		"contains(status,'t')": "2", "revision ge 1": "1"} {
		options := url.Values{}
		if filter != "" {
			options.Set("$filter", filter)
		}
		if count := inOData("documents/$count", "/v1/documents", options).Body; string(count) != want {
			t.Errorf("%q counts %s, want %s", filter, count, want)
		}
	}
	if one := inOData("documents("+id+")", "/v1/documents/"+id, nil).JSON; one["status"] != "trashed" {
		t.Errorf("the document by its id is %v", one)
	}
	if groups := inOData("documents", "/v1/documents",
		url.Values{"$apply": {"filter(status eq 'trashed')/aggregate($count as n)"}}); !strings.Contains(string(groups.Body), `[{"n":1}]`) {
		t.Errorf("in groups: %s", groups.Body)
	}
}

// Who puts a document on a record, or takes it from one, changes that record.
func TestEveryRecordThatChangesNeedsItsScope(t *testing.T) {
	f := newFixture(t)
	onBoiler := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).Header.Get("Location")
	onOrder := upload(t, f.Client, http.StatusCreated, "b.txt", []byte("b"),
		fields{"collection": "work_orders", "record_id": order}).Header.Get("Location")
	linked := onOrder + "/links/" + f.Create(t, onOrder+"/links", fields{"collection": "assets", "record_id": boiler})["id"].(string)
	f.Create(t, onBoiler+"/links", fields{"collection": "work_orders", "record_id": order})
	toOrder, toPump := fields{"collection": "work_orders", "record_id": order}, fields{"collection": "assets", "record_id": pump}
	draft := fields{"title": "Plan", "collection": "work_orders", "record_id": order}
	assets := *f.Client // writes assets, and reads work orders
	assets.Principal.Scopes = []string{"documents:read", "documents:write", "assets:read", "assets:write", "work_orders:read"}
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/v1/documents", draft}, {"PATCH", onBoiler, toOrder}, {"PATCH", onOrder, toPump}, {"DELETE", onOrder, nil},
		{"POST", onBoiler + "/links", toOrder}, {"POST", onOrder + "/links", toPump}, {"PATCH", linked, toPump}, {"DELETE", linked, nil},
		{"DELETE", "/v1/documents?collection=assets&record_id=" + boiler, nil}, // of which one link is that of a document on a work order
	} {
		refused := assets.Must(t, http.StatusForbidden, c.method, c.path, c.body)
		resourcetest.Expect(t, refused.JSON, fields{"code": "scope_missing", "required_scope": "work_orders:write"})
	}
	for path, version := range map[string]int{onBoiler: 1, onOrder: 1, linked: 1} {
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"version": version})
	}
	assets.Must(t, http.StatusOK, "PATCH", onBoiler, toPump)
	// Links to what a key may not read are left out.
	assets.Principal.Scopes = []string{"documents:read", "assets:read"}
	for path, want := range map[string]int{onBoiler + "/links": 0, onOrder + "/links": 1} {
		_, pagination := assets.List(t, path)
		resourcetest.Expect(t, pagination, fields{"total": want})
	}
	// Nor is anything put on what the plan does not include.
	without := *f.Client
	without.Principal.Features = []string{"api_access"}
	onProject := fields{"title": "Plan", "collection": "projects", "record_id": project}
	for path, method := range map[string]string{"/v1/documents": "POST", onOrder: "PATCH", onOrder + "/links": "POST"} {
		body := maps.Clone(onProject)
		if path != "/v1/documents" {
			delete(body, "title")
		}
		resourcetest.Expect(t, without.Must(t, http.StatusForbidden, method, path, body).JSON, fields{"feature": "Projects"})
	}
}
