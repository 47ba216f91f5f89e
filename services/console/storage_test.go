package console

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
)

const storagePath = "/settings/storage"

// serveDocuments stands for the documents service.
func (f *fixture) serveDocuments(handle handlerFunc) {
	f.storage = map[string]any{"limit": 1 << 40, "used": 3 << 38, "reserved": 1 << 37, "trash_bytes": 5 << 20, "documents": 1234,
		"by_collection": []any{storageGroup{"assets", 1200, 1 << 39}, storageGroup{"work_order_tasks", 34, 7 << 20}},
		"by_kind":       []any{storageGroup{"inspection_report", 34, 1 << 39}, storageGroup{"none", 2, 1 << 10}},
		"largest":       []any{map[string]any{"id": managerID, "title": "Vidéo <b>", "bytes": 3 << 29}},
		"scanner":       map[string]any{"configured": true, "reachable": true, "version": "ClamAV 1.4.6/27830"},
		"store":         map[string]any{"reachable": true},
		"verified":      map[string]any{"at": "2026-11-22T03:04:05Z", "deep": true, "missing": 0, "unknown": 3}}
	f.retention = []map[string]any{
		{"retention_class_id": adminID, "name": "Manuals", "name_fr": "Manuels", "active": true, "documents": 40, "due": 7, "due_bytes": 3 << 20,
			"due_and_held": 2, "next_due_on": "2027-02-28"},
		{"retention_class_id": managerID, "name": "Switched off", "name_fr": nil, "active": false, "documents": 0},
		{"retention_class_id": nil, "documents": 5}}
	f.holds, f.held = []map[string]any{{"id": orgID, "name": "Smith v. Ville", "reason": "Claim of May", "collection": "buildings",
		"created_at": "2026-11-22T03:04:05Z"}}, map[string]int{orgID: 321}
	handle("GET /v1/storage", func(p principal.Principal, _ *http.Request, _ map[string]any) (any, error) {
		f.asked = p
		return f.storage, nil
	})
	handle("GET /v1/retention-classes/report", func(principal.Principal, *http.Request, map[string]any) (any, error) {
		return map[string]any{"as_of": "2026-11-22", "data": f.retention}, nil
	})
	page := func(data any, total int) (any, error) {
		return map[string]any{"data": data, "pagination": map[string]any{"total": total}}, nil
	}
	handle("GET /v1/legal-holds", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		if r.URL.Query().Get("status") != "active" {
			return page([]any{}, 0)
		}
		return page(f.holds[:min(len(f.holds), shownHolds)], len(f.holds))
	})
	handle("GET /v1/documents", func(_ principal.Principal, r *http.Request, _ map[string]any) (any, error) {
		if r.URL.Query().Get("status") != "draft,active,trashed" {
			return page([]any{}, 0)
		}
		return page([]any{}, f.held[r.URL.Query().Get("legal_hold_id")])
	})
}

func TestAnAdministratorSeesTheStorage(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	says := func(words ...string) {
		t.Helper()
		page := b.get(storagePath)
		for _, word := range words {
			if page.status != http.StatusOK || !strings.Contains(page.body, word) {
				t.Errorf("%d: the page does not say %q", page.status, word)
			}
		}
	}
	says("<dt>Used</dt><dd>768\u00a0GiB</dd>", "<dt>Reserved for uploads</dt><dd>128\u00a0GiB</dd>", "<dt>Free</dt><dd>128\u00a0GiB</dd>",
		"Of 1\u00a0TiB that your plan includes", "<dt>Documents</dt><dd>1,234</dd>", "<dd>5\u00a0MiB<br>",
		`<rect class="used" x="0" width="540"`, `<rect class="reserved" x="540" width="90"`, `<rect class="free" x="630" width="90"`, // of 720
		// in Toronto
		`<th scope="row">asset</th><td class="figure">1,200</td><td class="figure">512`, `<th scope="row">task</th>`,
		`<th scope="row">Inspection report</th><td class="figure">34</td>`, `<th scope="row">Not said</th>`,
		"Vidéo &lt;b&gt;</th><td class=\"figure\">1.5\u00a0GiB</td>", managerID, "ClamAV 1.4.6/27830", "7 documents are due",
		"<dt>Last compared with the store</dt><dd>",
		`<span class="state active">Nothing is missing</span><br><span class="hint">3 files in the store belong to no document.`,
		`<th scope="row">Manuals</th><td class="figure">40</td><td class="figure">7</td><td class="figure">3`+"\u00a0"+
			`MiB</td><td class="figure">2</td><td>28`+"\u00a0Feb\u00a02027", `<th scope="row">Without a class</th><td class="figure">5</td>`,
		"Smith v. Ville<br>", "Claim of May", "all documents of a record: building", `<td class="figure">321</td><td>21`+"\u00a0Nov\u00a02026")
	if page := b.get(storagePath).body; strings.Contains(page, "Switched off") || strings.Contains(page, "more than your plan") {
		t.Error("a class that is switched off and has no documents is shown, or the limit is said to be exceeded")
	}
	b.post("/settings/language", url.Values{"language": {"fr"}, "path": {storagePath}})
	says("<h1>Stockage</h1>", "<dt>Libre</dt><dd>128\u00a0Gio</dd>", "Rapport d’inspection", "Manuels", "7 documents sont échus",
		"tous les documents d’un objet : bâtiment")
}

// Everything is counted that the plan includes, with its limit and on the days of the organization; nothing can be written.
func TestTheStorageIsReadForTheWholeOrganization(t *testing.T) {
	f := newFixture(t)
	f.signedIn().get(storagePath)
	p := f.asked
	if p.OrganizationID != orgID || p.Actor.ID != adminID || p.StorageLimit != 1<<40 || p.TimeZone != "America/Toronto" ||
		p.FiscalYearEnd != 12 || !slices.Equal(p.Features, f.features) {
		t.Errorf("the service is asked by %+v", p)
	}
	for row := range catalogue.Product().Collections() {
		if !p.Allows(row.Scope+":read") || p.Allows(row.Scope+":write") {
			t.Errorf("%s: read %t, written %t", row.Scope, p.Allows(row.Scope+":read"), p.Allows(row.Scope+":write"))
		}
	}
}

func TestWhatIsWrongWithTheStorageIsSaid(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	for name, test := range map[string]struct {
		change map[string]any
		says   []string
	}{
		"over the limit": {map[string]any{"limit": 1 << 30, "used": 3 << 30, "reserved": 1 << 30}, []string{"This is 3\u00a0GiB more",
			"<dt>Free</dt><dd>0\u00a0B</dd>", `<rect class="used" x="0" width="540"`, `<rect class="reserved" x="540" width="180"`}},
		"nothing": {map[string]any{"limit": 0, "used": 0, "reserved": 0, "by_collection": []any{}},
			[]string{"There are no documents", "Of 0\u00a0B"}},
		"no scanner": {map[string]any{"scanner": map[string]any{"configured": false}}, []string{`<span class="state inactive">Not set up`}},
		"away": {map[string]any{"scanner": map[string]any{"configured": true}},
			[]string{`<span class="state failing">Cannot be reached`, "New files wait"}},
		"store away": {map[string]any{"store": map[string]any{"reachable": false}},
			[]string{`<dt>Store of the files</dt><dd><span class="state failing">`}},
		"missing": {map[string]any{"verified": map[string]any{"at": "2026-11-22T03:04:05Z", "missing": 2, "unknown": 0}}, []string{
			`<span class="state failing">The files of 2 contents are missing, or are others</span></dd>`}},
		"not verified": {map[string]any{"verified": nil}, []string{`<span class="state inactive">Not yet</span>`}},
		"no scan yet": {map[string]any{"scanner": map[string]any{"configured": true, "reachable": true}},
			[]string{`<span class="state active">In service`}},
	} {
		f.mu.Lock()
		before := f.storage
		f.storage = map[string]any{}
		for _, from := range []map[string]any{before, test.change} {
			for key, value := range from {
				f.storage[key] = value
			}
		}
		f.mu.Unlock()
		page := b.get(storagePath)
		for _, words := range test.says {
			if page.status != http.StatusOK || !strings.Contains(page.body, words) {
				t.Errorf("%s: %d, the page does not say %q", name, page.status, words)
			}
		}
		f.mu.Lock()
		f.storage = before
		f.mu.Unlock()
	}
	f.mu.Lock()
	f.holds = nil
	for i := range 25 {
		f.holds = append(f.holds,
			map[string]any{"id": newFormID(), "name": fmt.Sprint("Hold ", i), "collection": nil, "created_at": "2026-11-22T03:04:05Z"})
	}
	f.mu.Unlock()
	if page := b.get(storagePath).body; !strings.Contains(page, "Hold 19<") || strings.Contains(page, "Hold 20<") ||
		!strings.Contains(page, "5 more are listed") || !strings.Contains(page, "named documents") {
		t.Error("of 25 holds not the first 20 are shown, and 5 said")
	}
	for _, path := range []string{"/v1/storage", "/v1/retention-classes", "/v1/legal-holds", "/v1/documents"} {
		f.mu.Lock()
		f.downPrefix = path
		f.mu.Unlock()
		if page := b.get(storagePath); page.status != http.StatusServiceUnavailable {
			t.Errorf("while %s does not answer: %d", path, page.status)
		}
	}
}

func TestOnlyAdministratorsSeeTheStorage(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	b.signIn("marc@example.ca", password)
	if page := b.get(storagePath); page.status != http.StatusForbidden || f.asked.OrganizationID != "" {
		t.Errorf("a manager: %d, asked by %+v", page.status, f.asked)
	}
}

func TestEveryKindOfDocumentHasWords(t *testing.T) {
	source, err := os.ReadFile("../documents/document.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("json:\"kind\" enum:\"([a-z_,]+)\"").FindSubmatch(source)
	if found == nil {
		t.Fatal("the kinds of documents are not where they were")
	}
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range append(strings.Split(string(found[1]), ","), "none") {
		for _, l := range all {
			if l.words["document_kind."+kind] == "" {
				t.Errorf("%s.json has no document_kind.%s", l.Code, kind)
			}
		}
	}
}
