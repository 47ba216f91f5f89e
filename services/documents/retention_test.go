package documents

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
)

// newClass makes a retention class, and gives its id.
func newClass(t *testing.T, client *resourcetest.Client, code string, more fields) string {
	t.Helper()
	body := fields{"code": code, "name": "Class " + code, "trigger": "issued"}
	for name, value := range more {
		body[name] = value
	}
	return client.Create(t, "/v1/retention-classes", body)["id"].(string)
}

// Worked case 8.
func TestRetentionOfADocumentIssuedOnALeapDay(t *testing.T) {
	f := newFixture(t)
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), fields{"issued_on": "2024-02-29"}).Header.Get("Location")
	shows := func(want any) {
		t.Helper()
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"retain_until": want})
	}
	shows(nil)
	for years, want := range map[int]string{5: "2029-02-28", 4: "2028-02-29", 0: "2024-02-29"} {
		class := newClass(t, f.Client, fmt.Sprint("C-", years), fields{"years": years})
		f.Must(t, http.StatusOK, "PATCH", path, fields{"retention_class_id": class})
		shows(want)
		if years > 0 {
			refused := f.Must(t, http.StatusConflict, "DELETE", path, nil)
			resourcetest.Expect(t, refused.JSON, fields{"code": "retained", "field": "retain_until", "value": want})
		}
	}
	// A change of the class is one of its documents.
	class := newClass(t, f.Client, "C-x", fields{"years": 1})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"retention_class_id": class})
	shows("2025-02-28")
	f.Must(t, http.StatusOK, "PATCH", "/v1/retention-classes/"+class, fields{"years": nil, "permanent": true})
	shows(nil)
	refused := f.Must(t, http.StatusConflict, "DELETE", path, nil)
	resourcetest.Expect(t, refused.JSON, fields{"code": "retention_permanent", "value": class})
	f.Must(t, http.StatusOK, "PATCH", "/v1/retention-classes/"+class, fields{"years": 0, "permanent": false})
	shows("2024-02-29")
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", "/v1/retention-classes/"+class, nil).JSON,
		fields{"dependents": fields{"documents": 1.0}})
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"status": "trashed"})
}

func TestEveryTriggerOfARetentionClass(t *testing.T) {
	f := newFixture(t)
	made := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil)
	path := made.Header.Get("Location")
	until := func(class string, body fields) any {
		t.Helper()
		body["retention_class_id"] = class
		f.Must(t, http.StatusOK, "PATCH", path, body)
		return f.Must(t, http.StatusOK, "GET", path, nil).JSON["retain_until"]
	}
	inYears := func(years int, moment any) string {
		t.Helper()
		at, err := time.Parse(time.RFC3339, moment.(string))
		if err != nil {
			t.Fatal(err)
		}
		day := f.Principal.Calendar().Day(at)
		year, err := strconv.Atoi(day[:4])
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(year+years, day[4:])
	}
	for _, c := range []struct {
		trigger string
		known   fields
		want    string
	}{
		{"issued", fields{"issued_on": "2090-01-15"}, "2093-01-15"},
		{"expires", fields{"expires_on": "2091-12-31"}, "2094-12-31"},
		{"base_date", fields{"retention_base_date": "2092-06-30"}, "2095-06-30"},
	} {
		class := newClass(t, f.Client, c.trigger, fields{"trigger": c.trigger, "years": 3})
		if got := until(class, fields{}); got != nil {
			t.Errorf("%s before it is known: %v", c.trigger, got)
		}
		refused := f.Must(t, http.StatusConflict, "DELETE", path, nil)
		resourcetest.Expect(t, refused.JSON, fields{"code": "retention_not_begun", "value": class})
		if got := until(class, c.known); got != c.want {
			t.Errorf("%s: %v, want %s", c.trigger, got, c.want)
		}
	}
	created := newClass(t, f.Client, "created", fields{"trigger": "created", "years": 3})
	if got, want := until(created, fields{}), inYears(3, made.JSON["created_at"]); got != want {
		t.Errorf("created: %v, want %s", got, want)
	}
	superseded := newClass(t, f.Client, "superseded", fields{"trigger": "superseded", "years": 3})
	if got := until(superseded, fields{}); got != nil {
		t.Errorf("superseded before there is a second revision: %v", got)
	}
	f.Must(t, http.StatusConflict, "DELETE", path, nil)
	revised := f.Must(t, http.StatusCreated, "POST", path+"/revisions", "b", "Content-Type", "text/plain")
	if got, want := revised.JSON["retain_until"], inYears(3, revised.JSON["revised_at"]); got != want {
		t.Errorf("superseded: %v, want %s", got, want)
	}
}

func TestARetentionClassHasYearsOrIsPermanent(t *testing.T) {
	f := newFixture(t)
	for _, more := range []fields{{}, {"years": 5, "permanent": true}, {"years": -1}, {"years": 151}} {
		body := fields{"code": "C", "name": "C", "trigger": "issued"}
		for name, value := range more {
			body[name] = value
		}
		if got := f.Must(t, http.StatusBadRequest, "POST", "/v1/retention-classes", body).Fields(); fmt.Sprint(got) != "[years]" {
			t.Errorf("%v: %v", more, got)
		}
	}
}

func TestADocumentIsNotGivenAClassThatIsSwitchedOff(t *testing.T) {
	f := newFixture(t)
	class := newClass(t, f.Client, "C", fields{"years": 5, "active": false})
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), fields{"issued_on": "2090-01-01"}).Header.Get("Location")
	refused := f.Must(t, http.StatusBadRequest, "PATCH", path, fields{"retention_class_id": class})
	if fmt.Sprint(refused.Fields()) != "[retention_class_id]" {
		t.Errorf("refused: %s", refused.Body)
	}
	upload(t, f.Client, http.StatusBadRequest, "b.txt", []byte("b"), fields{"retention_class_id": class})
	f.Must(t, http.StatusOK, "PATCH", "/v1/retention-classes/"+class, fields{"active": true})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"retention_class_id": class})
	// What has the class keeps it when it is switched off, and is kept by it.
	f.Must(t, http.StatusOK, "PATCH", "/v1/retention-classes/"+class, fields{"active": false})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"title": "B", "retention_class_id": class})
	f.Must(t, http.StatusConflict, "DELETE", path, nil)
}

func TestPresetsOfRetentionClassesAreMadeSwitchedOff(t *testing.T) {
	f := newFixture(t)
	list, pagination := f.List(t, "/v1/retention-classes/presets")
	resourcetest.Expect(t, pagination, fields{"total": 3})
	for i, want := range []fields{
		{"code": "construction", "trigger": "base_date", "years": 2}, {"code": "building-maintenance", "trigger": "created", "years": 5},
		{"code": "manuals", "trigger": "base_date", "years": 1},
	} {
		resourcetest.Expect(t, list[i], want)
		resourcetest.Expect(t, list[i], fields{"instrument": "Town of Tillsonburg By-law 2024-062", "action": "review", "verified": false})
		made := f.Create(t, "/v1/retention-classes/presets/"+want["code"].(string)+"/apply", fields{})
		class := f.Must(t, http.StatusOK, "GET", "/v1/retention-classes/"+made["retention_class_id"].(string), nil)
		resourcetest.Expect(t, class.JSON, want)
		resourcetest.Expect(t, class.JSON, fields{"active": false, "action": "review", "permanent": false})
	}
	f.Must(t, http.StatusConflict, "POST", "/v1/retention-classes/presets/manuals/apply", fields{})
	f.Must(t, http.StatusNotFound, "POST", "/v1/retention-classes/presets/nothing/apply", fields{})
}

func TestTheRetentionReportCountsWhatIsDue(t *testing.T) {
	f := newFixture(t)
	five := newClass(t, f.Client, "five", fields{"years": 5})
	forever := newClass(t, f.Client, "forever", fields{"permanent": true})
	document := func(letter string, more fields) string {
		t.Helper()
		return upload(t, f.Client, http.StatusCreated, letter+".txt", []byte("0123456789"+letter), more).JSON["id"].(string)
	}
	held := document("a", fields{"retention_class_id": five, "issued_on": "2001-01-01"})
	document("b", fields{"retention_class_id": five, "issued_on": "2002-01-01"})
	document("c", fields{"retention_class_id": five, "issued_on": "2095-03-01"})
	document("d", fields{"retention_class_id": five})
	document("e", fields{"retention_class_id": forever})
	document("f", nil)
	document("g", fields{"collection": "work_orders", "record_id": order})
	f.Must(t, http.StatusNoContent, "DELETE", "/v1/documents/"+document("h", nil), nil)
	f.Create(t, "/v1/legal-holds", fields{"name": "A", "reason": "B", "document_ids": []string{held}})
	report := f.Must(t, http.StatusOK, "GET", "/v1/retention-classes/report", nil).JSON
	lines := report["data"].([]any)
	if len(lines) != 3 {
		t.Fatalf("%v", lines)
	}
	resourcetest.Expect(t, report, fields{"as_of": f.Principal.Calendar().Today()})
	resourcetest.Expect(t, lines[0].(fields), fields{"retention_class_id": five, "code": "five", "documents": 4, "bytes": 44, "due": 2,
		"due_bytes": 22, "due_and_held": 1, "held": 1, "not_begun": 1, "oldest_due_on": "2006-01-01", "next_due_on": "2100-03-01"})
	resourcetest.Expect(t, lines[1].(fields), fields{"code": "forever", "permanent": true, "documents": 1, "due": 0, "not_begun": 0})
	resourcetest.Expect(t, lines[2].(fields),
		fields{"retention_class_id": nil, "code": nil, "documents": 2, "bytes": 22, "due": 0, "not_begun": 0})
	_, pagination := f.List(t, "/v1/documents?retention_due=true")
	resourcetest.Expect(t, pagination, fields{"total": 2})
	columns, rows := f.Table(t, "/v1/retention-classes/report")
	if len(rows) != 3 || columns[0] != "retention_class_id" || rows[0]["due"] != "2" || rows[0]["next_due_on"] != "2100-03-01" ||
		rows[2]["documents"] != "2" {
		t.Errorf("as CSV: %v %v", columns, rows)
	}
	assets := *f.Client
	assets.Principal.Scopes = []string{"documents:read", "assets:read"}
	lines = assets.Must(t, http.StatusOK, "GET", "/v1/retention-classes/report", nil).JSON["data"].([]any)
	resourcetest.Expect(t, lines[2].(fields), fields{"documents": 1})
	lines = f.Other().Must(t, http.StatusOK, "GET", "/v1/retention-classes/report", nil).JSON["data"].([]any)
	if len(lines) != 1 {
		t.Errorf("of another organization: %v", lines)
	}
	resourcetest.Expect(t, lines[0].(fields), fields{"documents": 0})
}
