package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/schema"
)

// specimen has a field of every kind and rule.
type specimen struct {
	ID        string         `json:"id" format:"uuid" readOnly:"true"`
	Name      string         `json:"name" required:"true" maxLength:"10"`
	Note      *string        `json:"note"`
	Grade     string         `json:"grade" default:"b" enum:"a,b,c"`
	Shade     *string        `json:"shade" enum:"light,dark"`
	Code      *string        `json:"code" pattern:"^[A-Z][0-9]+$" patternDescription:"a letter and digits, such as A12"`
	Email     *string        `json:"email" format:"email"`
	OwnerID   *string        `json:"owner_id" references:"users"`
	Count     *int           `json:"count" minimum:"1" maximum:"5"`
	Any       *int           `json:"any"`
	Ratio     *float64       `json:"ratio"`
	Cost      *float64       `json:"cost" money:"true"`
	Active    bool           `json:"active" default:"true"`
	Sure      *bool          `json:"sure"`
	On        *string        `json:"on" format:"date"`
	At        *string        `json:"at" format:"date-time"`
	Tags      []string       `json:"tags" maxItems:"2" maxLength:"5" uniqueItems:"true"`
	FriendIDs []string       `json:"friend_ids" references:"users"`
	Fields    map[string]any `json:"fields"`
	Step      *step          `json:"step"`
	Untouched string         `json:"-"`
}

type step struct {
	Every int      `json:"every" minimum:"1" maximum:"1000000"`
	Unit  *string  `json:"unit" required:"false"`
	Limit *float64 `json:"limit"`
	Stops []stop   `json:"stops,omitempty" required:"false"`
}

type stop struct {
	Place string `json:"place"`
}

var declared = schema.Of[specimen]()

func TestCheckKeepsGoodValuesInOneForm(t *testing.T) {
	for _, c := range []struct {
		field       string
		value, kept any
	}{
		{"name", "  École ", "École"},
		{"name", "E\u0301cole", "École"},
		{"note", "   ", nil},
		{"note", nil, nil},
		{"grade", nil, nil}, // Set makes the default of it
		{"shade", "dark", "dark"},
		{"shade", nil, nil},
		{"code", "A12", "A12"},
		{"email", "anne@example.org", "anne@example.org"},
		{"owner_id", "019A3C5E-7D1B-7C3A-9F59-3B8F0A4C2E11", "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"},
		{"count", 5.0, 5.0},
		{"ratio", -1e15, -1e15},
		{"cost", 9_999_999_999_999.99, 9_999_999_999_999.99},
		{"cost", 0.1, 0.1},
		{"active", false, false},
		{"on", "2024-02-29", "2024-02-29"},
		{"at", "2026-01-31T09:00:00.1234567-05:00", "2026-01-31T14:00:00.123456Z"},
		{"tags", []any{" a ", "b"}, []any{"a", "b"}},
		{"tags", nil, nil},
		{"friend_ids", []any{"019A3C5E-7D1B-7C3A-9F59-3B8F0A4C2E11"}, []any{"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"}},
		{"fields", map[string]any{"a": "x", "b": 1.5, "c": true}, map[string]any{"a": "x", "b": 1.5, "c": true}},
		{"step", map[string]any{"every": 2.0, "unit": nil, "limit": nil}, map[string]any{"every": 2.0, "unit": nil, "limit": nil}},
		{"step", nil, nil},
	} {
		var problems schema.Problems
		if got := declared.Field(c.field).Check(c.field, c.value, &problems); !reflect.DeepEqual(got, c.kept) || len(problems) > 0 {
			t.Errorf("%s: %#v is kept as %#v, %v", c.field, c.value, got, problems)
		}
	}
}

func TestCheckRefusesBadValuesAndNamesTheField(t *testing.T) {
	crowd := map[string]any{}
	for i := range 51 {
		crowd[fmt.Sprint(i)] = i
	}
	for _, c := range []struct {
		field string
		value any
		at    string // the field that the problem names; the field itself when empty
	}{
		{"name", nil, ""}, {"name", " ", ""}, {"name", 1.0, ""}, {"name", strings.Repeat("é", 11), ""},
		{"note", strings.Repeat("x", 256), ""}, {"note", true, ""}, {"note", []any{}, ""}, {"note", map[string]any{}, ""},
		{"grade", "d", ""}, {"grade", "A", ""}, {"shade", 3.0, ""},
		{"code", "12", ""}, {"email", "anne", ""},
		{"owner_id", "x", ""}, {"owner_id", "019a3c5e7d1b7c3a9f593b8f0a4c2e11", ""}, {"owner_id", "{019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11}", ""},
		{"owner_id", "urn:uuid:019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11", ""}, {"owner_id", 7.0, ""},
		{"count", 0.0, ""}, {"count", 6.0, ""}, {"count", 1.5, ""}, {"count", "3", ""},
		{"any", 2147483648.0, ""}, {"any", -2147483649.0, ""}, {"any", 1e300, ""},
		{"ratio", "1", ""}, {"ratio", 1e16, ""}, {"ratio", true, ""},
		{"cost", -0.01, ""}, {"cost", 0.001, ""}, {"cost", 1e13, ""}, {"cost", "12", ""},
		{"active", "true", ""}, {"active", 1.0, ""}, {"sure", 0.0, ""},
		{"on", "2025-02-29", ""}, {"on", "2025-13-01", ""}, {"on", "2025-1-1", ""}, {"on", "0999-01-01", ""}, {"on", "2025-01-01T00:00:00Z", ""},
		{"on", 20250101.0, ""}, {"at", "2025-02-30T00:00:00Z", ""}, {"at", "2025-01-01 00:00:00", ""},
		{"at", "2025-01-01T00:00:00", ""}, {"at", "2025-01-01T24:00:00Z", ""}, {"at", "0001-01-01T00:00:00Z", ""},
		{"tags", []any{"a", "b", "c"}, ""}, {"tags", []any{"a", "a"}, ""}, {"tags", []any{"a", " a"}, ""}, {"tags", []any{1.0}, "tags[0]"},
		{"tags", []any{"a", []any{}}, "tags[1]"}, {"tags", []any{map[string]any{}}, "tags[0]"},
		{"friend_ids", []any{"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11", "{019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11}"}, "friend_ids[1]"},
		{"friend_ids", []any{""}, "friend_ids[0]"}, {"tags", "a", ""},
		{"tags", []any{"abcdef"}, "tags[0]"},
		{"step", map[string]any{"every": nil, "limit": nil}, "step.every"}, {"step", map[string]any{"limit": nil}, "step.every"},
		{"step", map[string]any{"every": 1.0, "limit": nil, "stops": []any{map[string]any{"place": nil}}}, "step.stops[0].place"},
		{"fields", []any{}, ""}, {"fields", "x", ""}, {"fields", crowd, ""},
		{"fields", map[string]any{"a": []any{}}, "fields.a"}, {"fields", map[string]any{"a": map[string]any{}}, "fields.a"},
		{"fields", map[string]any{"": 1.0}, "fields."}, {"fields", map[string]any{strings.Repeat("x", 101): 1.0},
			"fields." + strings.Repeat("x", 100) + "…"}, {"fields", map[string]any{"a": strings.Repeat("x", 2001)}, "fields.a"},
	} {
		if c.at == "" {
			c.at = c.field
		}
		var problems schema.Problems
		declared.Field(c.field).Check("data[3]."+c.field, c.value, &problems)
		if len(problems) == 0 {
			t.Errorf("%s: %.60v is taken", c.field, c.value)
			continue
		}
		if problems[0].Field != "data[3]."+c.at || problems[0].Message == "" || strings.Contains(problems[0].Message, "%!") {
			t.Errorf("%s: the problem with %.60v is %+v", c.field, c.value, problems[0])
		}
	}
}

func TestLimitsAreNamedInFull(t *testing.T) {
	var problems schema.Problems
	declared.Field("step").Check("step", map[string]any{"every": 1000001.0, "limit": nil}, &problems)
	if len(problems) != 1 || problems[0].Message != "must be 1000000 or less" {
		t.Errorf("more than a million: %v", problems)
	}
}

func TestReadNamesEveryProblemInOrder(t *testing.T) {
	var record specimen
	problems := declared.Read(map[string]any{"name": "", "count": 9.0, "colour": "red", "grade": "z", "note": "fine"}, "data[0].",
		reflect.ValueOf(&record).Elem(), map[string]bool{})
	var fields []string
	for _, p := range problems {
		fields = append(fields, p.Field)
	}
	if want := []string{"data[0].colour", "data[0].count", "data[0].grade", "data[0].name"}; !slices.Equal(fields, want) {
		t.Errorf("the problems are %v", problems)
	}
	if err := problems.Err(); err == nil {
		t.Error("problems are no error")
	}
	if record.Note == nil || *record.Note != "fine" || record.Count != nil {
		t.Errorf("what was read is %+v", record)
	}
}

func TestReadIgnoresReadOnlyFieldsAndTenants(t *testing.T) {
	record, given := specimen{ID: "kept"}, map[string]bool{}
	body := map[string]any{"id": "sent", "organization_id": 1.0, "tenant_id": "x", "name": "a"}
	if problems := declared.Read(body, "", reflect.ValueOf(&record).Elem(), given); problems.Err() != nil {
		t.Errorf("the problems are %v", problems)
	}
	if record.ID != "kept" || record.Name != "a" || !maps.Equal(given, map[string]bool{"name": true}) {
		t.Errorf("read %+v, given %v", record, given)
	}
}

func TestMissingListsRequiredFieldsThatWereNotSent(t *testing.T) {
	if problems := declared.Missing(map[string]any{"note": "x"}, "data[1]."); len(problems) != 1 || problems[0].Field != "data[1].name" {
		t.Errorf("missing: %v", problems)
	}
	if problems := declared.Missing(map[string]any{"name": nil}, ""); len(problems) != 0 {
		t.Errorf("a field that was sent is missing: %v", problems)
	}
}

func TestDefaultsGiveDefaultsAndEmptyLists(t *testing.T) {
	var record specimen
	declared.Defaults(reflect.ValueOf(&record).Elem())
	body, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"","name":"","note":null,"grade":"b","shade":null,"code":null,"email":null,"owner_id":null,"count":null,"any":null,` +
		`"ratio":null,"cost":null,"active":true,"sure":null,"on":null,"at":null,"tags":[],"friend_ids":[],"fields":{},"step":null}`
	if string(body) != want {
		t.Errorf("a new record is %s", body)
	}
}

func TestSetNeverWritesIntoMemoryThatAnotherRecordShares(t *testing.T) {
	var before specimen
	value := reflect.ValueOf(&before).Elem()
	set := func(record reflect.Value, field string, to any) { declared.Field(field).Set(record, to) }
	set(value, "tags", []any{"a", "b"})
	set(value, "fields", map[string]any{"k": "v"})
	set(value, "note", "old")
	set(value, "count", 3.0)
	set(value, "sure", true)
	after := before
	changed := reflect.ValueOf(&after).Elem()
	set(changed, "tags", []any{"x", "y"})
	set(changed, "fields", map[string]any{"k": "w", "l": 1.0})
	set(changed, "note", "new")
	set(changed, "count", 4.0)
	set(changed, "sure", nil)
	if !slices.Equal(before.Tags, []string{"a", "b"}) || before.Fields["k"] != "v" || len(before.Fields) != 1 || *before.Note != "old" ||
		*before.Count != 3 || !*before.Sure {
		t.Errorf("a change of a copy changed the first record: %+v", before)
	}
	if !slices.Equal(after.Tags, []string{"x", "y"}) || after.Fields["k"] != "w" || *after.Note != "new" || *after.Count != 4 ||
		after.Sure != nil {
		t.Errorf("the copy is %+v", after)
	}
	set(changed, "tags", nil)
	set(changed, "grade", nil)
	set(changed, "active", nil)
	if after.Tags == nil || len(after.Tags) != 0 || after.Grade != "b" || !after.Active || len(before.Tags) != 2 {
		t.Errorf("cleared: %+v, the first: %v", after, before.Tags)
	}
}

func TestParseReadsQueryTextByKind(t *testing.T) {
	for _, c := range []struct {
		field, text string
		want        any
	}{
		{"name", "a,b", "a,b"}, {"count", "3", 3.0}, {"ratio", "-1.5", -1.5}, {"active", "true", true}, {"active", "false", false},
		{"tags", "a,b", []any{"a", "b"}}, {"on", "2024-02-29", "2024-02-29"},
	} {
		if got, err := declared.Field(c.field).Parse(c.text); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q is %#v, %v", c.field, c.text, got, err)
		}
	}
	for _, c := range [][2]string{{"count", ""}, {"count", "x"}, {"ratio", "NaN"}, {"ratio", "-Inf"}, {"ratio", "1e400"}, {"ratio", "0x1p4"},
		{"ratio", "infinity"}, {"active", "1"}, {"active", "True"}, {"active", ""}} {
		if got, err := declared.Field(c[0]).Parse(c[1]); err == nil {
			t.Errorf("%s: %q is %v", c[0], c[1], got)
		}
	}
}

func TestSoughtTakesAnyValueOfTheKind(t *testing.T) {
	for _, c := range []struct {
		field string
		value any
		good  bool
	}{
		{"count", 100.0, true}, {"cost", -5.0, true}, {"cost", 1.005, true}, {"grade", "a", true},
		{"grade", "z", false}, {"count", 1.5, false}, {"owner_id", "x", false}, {"on", "2025-02-30", false}, {"note", "", false},
	} {
		var problems schema.Problems
		declared.Field(c.field).FilterType().Check(c.field, c.value, &problems)
		if (len(problems) == 0) != c.good {
			t.Errorf("%s=%v: %v", c.field, c.value, problems)
		}
	}
}

func TestUniqueKeysIgnoreCaseBlanksAndUnicodeForm(t *testing.T) {
	for _, same := range [][2]string{{" École ", "école"}, {"E\u0301COLE", "école"}, {"ŒUVRE", "œuvre"}, {"a b", "A B"}} {
		if a, b := schema.UniqueKey(same[0]), schema.UniqueKey(same[1]); a != b {
			t.Errorf("%q and %q compare as %q and %q", same[0], same[1], a, b)
		}
	}
	for _, other := range [][2]string{{"e", "é"}, {"ab", "a b"}, {"1", "01"}} {
		if schema.UniqueKey(other[0]) == schema.UniqueKey(other[1]) {
			t.Errorf("%q and %q compare as equal", other[0], other[1])
		}
	}
}

func TestTenantNamesAreKnownHoweverTheyAreWritten(t *testing.T) {
	for name, want := range map[string]bool{
		"organization_id": true, "Organization-Id": true, "tenant_id": true, "X-Tenant-ID": true, "ORG_ID": true, "organisation": true,
		"name": false, "organization_name": false, "": false, "tenants": false,
	} {
		if got := schema.Tenant(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestIsUUID(t *testing.T) {
	for text, want := range map[string]bool{
		"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11": true, "019A3C5E-7D1B-7C3A-9F59-3B8F0A4C2E11": true,
		"": false, "019a3c5e7d1b7c3a9f593b8f0a4c2e11": false, "{019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11}": false,
		"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e1g": false, "019a3c5e-7d1b-7c3a-9f59_3b8f0a4c2e11": false,
		" 19a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11": false,
	} {
		if got := schema.IsUUID(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestAWrongDeclarationIsFoundAtStart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a filter that does not exist is taken")
		}
	}()
	schema.Of[struct {
		Name string `json:"name" filter:"fuzzy"`
	}]()
}

// Whatever a body holds: what Read takes can be kept as JSON, and taking it again changes nothing.
func FuzzRead(f *testing.F) {
	for _, body := range []string{
		`{"name":" a ","count":3,"cost":1.25,"on":"2024-02-29","at":"2026-01-31T09:00:00-05:00","tags":["a"],"fields":{"k":1},` +
			`"owner_id":"019A3C5E-7D1B-7C3A-9F59-3B8F0A4C2E11"}`,
		`{"name":null,"active":null,"grade":"","tags":null,"fields":null}`, `{"name":5,"tags":[[]],"fields":{"":{}}}`,
		`{"id":1,"tenant":2,"x":3}`, `{"at":"9999-12-31T23:59:59.9999999-23:59"}`, `{"on":"0001-01-01","any":1e9,"ratio":-0}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		body, err := schema.ParseObject(text)
		if err != nil {
			return
		}
		var first, second specimen
		if problems := declared.Read(body, "", reflect.ValueOf(&first).Elem(), map[string]bool{}); problems != nil {
			for _, p := range problems {
				if p.Message == "" || strings.Contains(p.Message, "%!") {
					t.Fatalf("%s: the problem %+v helps nobody", text, p)
				}
			}
			return
		}
		written, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("%s: cannot be kept: %v", text, err)
		}
		again, err := schema.ParseObject(written)
		if err != nil {
			t.Fatalf("%s: kept as %s: %v", text, written, err)
		}
		for name := range again {
			if _, sent := body[name]; !sent {
				delete(again, name)
			}
		}
		problems := declared.Read(again, "", reflect.ValueOf(&second).Elem(), map[string]bool{})
		if rewritten, _ := json.Marshal(second); problems != nil || string(rewritten) != string(written) {
			t.Fatalf("%s: kept as %s, read again as %s, %v", text, written, rewritten, problems)
		}
	})
}
