package resourcetest

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/natural"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// Suite is one resource under test.
type Suite[T any] struct {
	Definition resource.Definition[T]
	Client     *Client
	Path       string // the collection's path; of a sub-collection, with its parent's id
	// Catalogue has the collection's row; the product's where it is left out.
	Catalogue *catalogue.Catalogue
	// Make gives the n-th body for the client's organization, with as many fields as the resource has; no two have a
	// unique value in common.
	Make func(t testing.TB, client *Client, n int) map[string]any
	// Keep names nullable fields that a record made by Make cannot do without.
	Keep []string
	// Reads are scopes that a key needs besides the collection's own to read the records of Make.
	Reads []string
	// Once names the fields that the response to a create shows and no other does.
	Once []string
	// Immutable is true for what can be created and deleted but whose deletion is not a plain removal.
	SoftDelete bool
}

func (s Suite[T]) row() catalogue.Collection {
	if s.Catalogue != nil {
		return s.Catalogue.Must(s.Definition.Collection)
	}
	return catalogue.Product().Must(s.Definition.Collection)
}

// Run checks that a resource behaves as all resources do. Each check has an organization of its own; they run at the same time, when
// the function that calls Run has returned. Only those of a sub-collection share an organization, and run one after the other.
func Run[T any](t *testing.T, s Suite[T]) {
	declared := schema.OfType(reflect.TypeFor[T]())
	for name, check := range map[string]func(Suite[T], *testing.T, *schema.Schema){
		"every given field comes back from create, get and list":          Suite[T].roundTrip,
		"what was read can be sent back and changes nothing":              Suite[T].sendBack,
		"every optional field can be cleared with null":                   Suite[T].clear,
		"a list is paged, exact, and ends":                                Suite[T].paging,
		"every sort gives every record once, in order":                    Suite[T].sorting,
		"every filter finds the record it describes":                      Suite[T].filters,
		"fields and expand choose what is shown":                          Suite[T].shape,
		"CSV and NDJSON stream the whole collection":                      Suite[T].streams,
		"bad input is refused, names the field, and writes nothing":       Suite[T].badInput,
		"a name that is nearly right is answered with the right one":      Suite[T].suggestions,
		"another organization's records are not there":                    Suite[T].isolation,
		"records that a caller may not see are not there":                 Suite[T].visibility,
		"what a record refers to is kept while it is there":               Suite[T].dependents,
		"a taken unique value is a 409 with field, value and existing_id": Suite[T].uniqueness,
		"versions guard against lost updates":                             Suite[T].versions,
		"bulk create, update and delete, atomic or row by row":            Suite[T].bulkCalls,
		"PUT by external id creates once, and updates from then on":       Suite[T].upsert,
		"an Idempotency-Key gives the first answer again":                 Suite[T].idempotency,
		"history keeps every change with old and new values":              Suite[T].history,
		"a tenant sent by the client is ignored":                          Suite[T].tenant,
		"an unsupported method is a 400 with Allow":                       Suite[T].methods,
		"custom fields of a declared type are filtered and sorted by":     Suite[T].customFields,
	} {
		if !s.changes() && slices.Contains(ofChanges, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := s
			if s.Definition.Parent == "" { // a sub-collection's checks share its parent
				t.Parallel()
				s.Client = s.Client.Other()
			}
			check(s, t, declared)
		})
	}
	if s.Definition.Parent != "" && s.changes() { // last: the others share the parent
		t.Run("a record goes with what it is below, and says so", s.deletedWithParent)
	}
}

// ofChanges are the checks of what is changed or deleted, which entries of a ledger are not.
var ofChanges = []string{
	"what was read can be sent back and changes nothing", "every optional field can be cleared with null",
	"what a record refers to is kept while it is there", "versions guard against lost updates",
	"bulk create, update and delete, atomic or row by row", "PUT by external id creates once, and updates from then on",
	"history keeps every change with old and new values", "custom fields of a declared type are filtered and sorted by",
}

// changes says whether records of the collection are changed and deleted.
func (s Suite[T]) changes() bool { return !s.row().AppendOnly }

func (s Suite[T]) create(t testing.TB, n int) map[string]any {
	t.Helper()
	return s.shownAfterwards(t, s.Client.Create(t, s.Path, s.Make(t, s.Client, n)))
}

// shownAfterwards gives a created record as every later response shows it.
func (s Suite[T]) shownAfterwards(t testing.TB, created map[string]any) map[string]any {
	t.Helper()
	for _, name := range s.Once {
		if text, _ := created[name].(string); text == "" {
			t.Errorf("the answer to a create shows %s as %v", name, created[name])
		}
		created[name] = nil
	}
	return created
}

func (s Suite[T]) roundTrip(t *testing.T, declared *schema.Schema) {
	body := s.Make(t, s.Client, 100)
	response := s.Client.Must(t, 201, "POST", s.Path, body)
	created := s.shownAfterwards(t, response.JSON)
	id := created["id"].(string)
	if want := s.Path + "/" + id; response.Header.Get("Location") != want {
		t.Errorf("Location %q, want %q", response.Header.Get("Location"), want)
	}
	if response.Header.Get("ETag") != `"1"` || created["version"] != 1.0 {
		t.Errorf("a new record has ETag %s and version %v", response.Header.Get("ETag"), created["version"])
	}
	for name, want := range body {
		if !reflect.DeepEqual(normalise(created[name]), normalise(want)) {
			t.Errorf("%s: sent %v, got %v", name, want, created[name])
		}
	}
	for _, f := range declared.Fields {
		if _, has := created[f.Name]; has == f.WriteOnly {
			t.Errorf("whether %s is in the answer: %t", f.Name, has)
		}
	}
	got := s.Client.Must(t, 200, "GET", s.Path+"/"+id, nil).JSON
	if !reflect.DeepEqual(got, created) {
		t.Errorf("get answers otherwise than create:\n%v\n%v", got, created)
	}
	listed, _ := s.Client.List(t, s.Path+"?ids="+id)
	if len(listed) != 1 || !reflect.DeepEqual(listed[0], created) {
		t.Errorf("list answers otherwise than create:\n%v\n%v", listed, created)
	}
}

func normalise(v any) any {
	encoded, _ := json.Marshal(v)
	var plain any
	_ = json.Unmarshal(encoded, &plain)
	return plain
}

func (s Suite[T]) sendBack(t *testing.T, _ *schema.Schema) {
	created := s.create(t, 110)
	got := s.Client.Must(t, 200, "PATCH", s.Path+"/"+created["id"].(string), created).JSON
	if !reflect.DeepEqual(got, created) {
		t.Errorf("PATCH with what was read changed it:\n%v\n%v", got, created)
	}
}

func (s Suite[T]) clear(t *testing.T, declared *schema.Schema) {
	created := s.create(t, 120)
	path := s.Path + "/" + created["id"].(string)
	for _, f := range declared.Fields {
		if f.ReadOnly || !f.Nullable || f.Auto != "" || slices.Contains(s.Keep, f.Name) || created[f.Name] == nil {
			continue
		}
		got := s.Client.Do(t, "PATCH", path, map[string]any{f.Name: nil})
		if got.Status != 200 || got.JSON[f.Name] != nil {
			t.Errorf("PATCH {%q: null}: %d %v", f.Name, got.Status, got.JSON[f.Name])
		}
	}
}

func (s Suite[T]) paging(t *testing.T, _ *schema.Schema) {
	if s.Definition.Parent == "" {
		data, pagination := s.Client.List(t, s.Path)
		if len(data) != int(pagination["total"].(float64)) || pagination["page"] != 1.0 || pagination["per_page"] != 25.0 ||
			pagination["total_pages"] != 1.0 {
			t.Errorf("an empty list: %v %v", data, pagination)
		}
	} else {
		return // a sub-collection needs its parent, which belongs to the first organization
	}
	_, before := s.Client.List(t, s.Path)
	var want []string
	for n := range 7 {
		want = append(want, s.create(t, 200+n)["id"].(string))
	}
	total := int(before["total"].(float64)) + 7
	var got []string
	for page := 1; ; page++ {
		data, pagination := s.Client.List(t, fmt.Sprintf("%s?page=%d&per_page=3", s.Path, page))
		for _, record := range data {
			got = append(got, record["id"].(string))
		}
		if pagination["total"] != float64(total) {
			t.Errorf("total %v, want %d", pagination["total"], total)
		}
		if page == int(pagination["total_pages"].(float64)) {
			break
		}
		if page > 20 {
			t.Fatal("the documented loop does not end")
		}
	}
	if len(got) != total || !slices.Equal(got[total-7:], want) {
		t.Errorf("pages gave %v, want the new ones last, in order: %v", got, want)
	}
	slices.Reverse(want)
	for page := range 3 { // newest first, over pages
		data, _ := s.Client.List(t, fmt.Sprintf("%s?sort=-created_at&per_page=2&page=%d", s.Path, page+1))
		for i, record := range data {
			if record["id"] != want[page*2+i] {
				t.Errorf("sort=-created_at page %d gives %v at %d, want %s", page+1, record["id"], i, want[page*2+i])
			}
		}
	}
	if data, pagination := s.Client.List(t, s.Path+"?page=4000"); len(data) != 0 || pagination["total"] != float64(total) {
		t.Errorf("a page past the end: %v %v", data, pagination)
	}
	if !s.changes() {
		return
	}
	s.Client.Must(t, 204, "DELETE", s.Path+"/"+want[0], nil)
	if _, pagination := s.Client.List(t, s.Path); !s.SoftDelete && pagination["total"] != float64(total-1) {
		t.Errorf("total after a delete %v, want %d", pagination["total"], total-1)
	}
}

func (s Suite[T]) sorting(t *testing.T, declared *schema.Schema) {
	for n := range 5 { // 998 to 1002, which by their letters would be in another order than by their numbers
		s.create(t, 998+n)
	}
	_, pagination := s.Client.List(t, s.Path)
	total := int(pagination["total"].(float64))
	inOrder := natural.Order()
	names := append(declared.Names(func(f *schema.Field) bool { return f.Sort }), "id")
	for _, name := range names {
		for _, direction := range []string{"", "-"} {
			seen, cursor := map[string]bool{}, ""
			for page := 1; page <= (total+1)/2; page++ {
				path := fmt.Sprintf("%s?sort=%s%s&per_page=2", s.Path, direction, name)
				data, pagination := s.Client.List(t, fmt.Sprintf("%s&page=%d", path, page))
				for _, record := range data {
					seen[record["id"].(string)] = true
				}
				if cursor != "" {
					if same, _ := s.Client.List(t, path+"&cursor="+cursor); !reflect.DeepEqual(same, data) {
						t.Errorf("sort=%s%s: page %d by cursor is another than by number:\n%v\n%v", direction, name, page, same, data)
					}
				}
				cursor, _ = pagination["next_cursor"].(string)
			}
			if cursor != "" {
				t.Errorf("sort=%s%s: the last page has a next_cursor", direction, name)
			}
			if len(seen) != total {
				t.Errorf("sort=%s%s over pages gives %d records, want %d", direction, name, len(seen), total)
			}
			all, _ := s.Client.List(t, fmt.Sprintf("%s?sort=%s%s&per_page=1000", s.Path, direction, name))
			for i := 1; i < len(all); i++ {
				a, aOK := all[i-1][name].(float64)
				b, bOK := all[i][name].(float64)
				if aOK && bOK && a != b && (a > b) != (direction == "-") {
					t.Errorf("sort=%s%s: %v before %v", direction, name, a, b)
				}
				before, isText := all[i-1][name].(string)
				behind, isTextToo := all[i][name].(string)
				if f := declared.Field(name); isText && isTextToo && f.Kind == schema.Text && len(f.Enum) == 0 && before != behind &&
					(inOrder(before, behind) > 0) != (direction == "-") {
					t.Errorf("sort=%s%s: %q before %q", direction, name, before, behind)
				}
			}
		}
	}
	s.Client.Must(t, 400, "GET", s.Path+"?sort=custom_fields", nil)
}

func (s Suite[T]) filters(t *testing.T, declared *schema.Schema) {
	created := s.create(t, 400)
	s.create(t, 401)
	id := created["id"].(string)
	find := func(parameter, value string, want bool) {
		t.Helper()
		data, pagination := s.Client.List(t, s.Path+"?per_page=1000&"+parameter+"="+url.QueryEscape(value))
		if has := slices.ContainsFunc(data, func(r map[string]any) bool { return r["id"] == id }); has != want {
			t.Errorf("%s=%s finds the record: %v, want %v", parameter, value, has, want)
		}
		if pagination["total"] != float64(len(data)) {
			t.Errorf("%s=%s: total %v of %d records", parameter, value, pagination["total"], len(data))
		}
	}
	find("ids", id+","+uuid.NewString(), true)
	find("ids", uuid.NewString(), false)
	find("updated_since", created["updated_at"].(string), true)
	find("updated_since", "2999-01-01T00:00:00Z", false)
	for _, f := range declared.Fields {
		value, text := created[f.Name], fmt.Sprint(created[f.Name])
		if number, ok := value.(float64); ok {
			text = fmt.Sprintf("%.10g", number)
		}
		if f.Nullable && (f.Filter == "equals" || f.Filter == "range") {
			find(f.Name, "null", value == nil)
		}
		if value == nil || f.Filter == "" {
			continue
		}
		switch f.Filter {
		case "range":
			low, high, before, after := "_min", "_max", "-1000000", "2000000000"
			if f.Kind == schema.Date || f.Kind == schema.Time {
				low, high, before, after = "_from", "_to", "1800-01-01", "2999-01-01"
			}
			find(f.Name+low, text, true)
			find(f.Name+high, text, true)
			find(f.Name+low, after, false)
			find(f.Name+high, before, false)
		case "prefix":
			find(f.Name, text[:1], true)
			find(f.Name, text+"x", false)
		case "contains":
			for _, entry := range value.([]any) {
				find(f.Name, entry.(string), true)
			}
			find(f.Name, "no-such-entry", false)
		default:
			find(f.Name, text, true)
		}
	}
	for _, f := range declared.Fields {
		if text, is := created[f.Name].(string); is && f.Search != "" && searched(declared) {
			find("q", strings.ToUpper(strings.Join(strings.Fields(text)[:min(5, len(strings.Fields(text)))], " ")), true)
			find("q", "no such text %_", false)
		}
	}
	response := s.Client.Must(t, 400, "GET", s.Path+"?no_such=1&page=0&per_page=1001", nil)
	if !slices.Equal(response.Fields(), []string{"no_such", "page", "per_page"}) {
		t.Errorf("the problems of a query are %v", response.Fields())
	}
	s.Client.Must(t, 400, "GET", s.Path+"?page=1&page=2", nil)
	s.Client.Must(t, 400, "GET", s.Path+"?ids=nonsense", nil)
}

// searched says whether the list has q: a field of the resource's own is searched.
func searched(declared *schema.Schema) bool {
	return slices.ContainsFunc(declared.Fields, func(f *schema.Field) bool { return f.Search != "" && f.Name != "external_id" })
}

func (s Suite[T]) shape(t *testing.T, declared *schema.Schema) {
	created := s.create(t, 500)
	path := s.Path + "/" + created["id"].(string)
	got := s.Client.Must(t, 200, "GET", path+"?fields=version,id", nil).JSON
	if len(got) != 2 || got["id"] != created["id"] || got["version"] != created["version"] {
		t.Errorf("fields=version,id shows %v", got)
	}
	s.Client.Must(t, 400, "GET", path+"?fields=no_such", nil)
	s.Client.Must(t, 400, "GET", path+"?expand=no_such", nil)
	for _, f := range declared.Fields {
		name, isID := strings.CutSuffix(f.Name, "_id")
		if f.References == "" || strings.HasPrefix(f.References, "@") || !isID || created[f.Name] == nil {
			continue
		}
		shown := s.Client.Must(t, 200, "GET", path+"?fields=id&expand="+name, nil).JSON
		entry, _ := shown[name].(map[string]any)
		if entry["id"] != created[f.Name] || entry["name"] == "" || entry["name"] == nil {
			t.Errorf("expand=%s shows %v", name, shown)
		}
		data, _ := s.Client.List(t, s.Path+"?expand="+name+"&ids="+created["id"].(string))
		if !reflect.DeepEqual(data[0][name], shown[name]) {
			t.Errorf("expand=%s in a list shows %v", name, data[0][name])
		}
	}
}

func (s Suite[T]) streams(t *testing.T, declared *schema.Schema) {
	for n := range 3 {
		s.create(t, 600+n)
	}
	var all []map[string]any
	data, _ := s.Client.List(t, s.Path+"?per_page=1000")
	response := s.Client.Must(t, 200, "GET", s.Path, nil, "Accept", "application/x-ndjson")
	for line := range strings.Lines(string(response.Body)) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("NDJSON line %q: %v", line, err)
		}
		all = append(all, record)
	}
	if !reflect.DeepEqual(all, data) {
		t.Errorf("NDJSON gives %d records, the list %d, or they differ", len(all), len(data))
	}
	response = s.Client.Must(t, 200, "GET", s.Path+"?fields=id,version", nil, "Accept", "text/csv")
	rows, err := csv.NewReader(strings.NewReader(string(response.Body))).ReadAll()
	if err != nil || len(rows) != len(data)+1 || !slices.Equal(rows[0], []string{"id", "version"}) || rows[1][0] != data[0]["id"] {
		t.Errorf("CSV: %v %v", err, rows)
	}
	response = s.Client.Must(t, 200, "GET", s.Path, nil, "Accept", "text/csv")
	if rows, err = csv.NewReader(strings.NewReader(string(response.Body))).ReadAll(); err != nil ||
		len(rows[0]) != len(declared.Names(func(f *schema.Field) bool { return !f.WriteOnly })) {
		t.Errorf("CSV of all fields: %v, %d columns", err, len(rows[0]))
	}
	columns, same := s.Client.Parquet(t, s.Path)
	if !slices.Equal(columns, rows[0]) {
		t.Errorf("Parquet has the columns %v, CSV %v", columns, rows[0])
	}
	for i := range same {
		for _, f := range declared.Fields {
			text, is := same[i][f.Name].(string)
			if is && (f.Kind == schema.Object || f.Kind == schema.List) {
				var value any
				if err := json.Unmarshal([]byte(text), &value); err != nil {
					t.Errorf("Parquet has %q for %s: %v", text, f.Name, err)
				}
				same[i][f.Name] = value
			}
		}
	}
	if !reflect.DeepEqual(same, data) {
		for i := range min(len(same), len(data)) {
			for name := range data[i] {
				if !reflect.DeepEqual(same[i][name], data[i][name]) {
					t.Errorf("Parquet gives %v for %s of record %d, the list %v", same[i][name], name, i, data[i][name])
				}
			}
		}
		t.Errorf("Parquet gives %d records, the list %d, or they differ", len(same), len(data))
	}
}

func (s Suite[T]) badInput(t *testing.T, declared *schema.Schema) {
	_, before := s.Client.List(t, s.Path)
	refuse := func(what, field string, body any) {
		t.Helper()
		response := s.Client.Refused(t, "POST", s.Path, body)
		if response.JSON["error"] == nil {
			t.Errorf("%s: %d %.300s", what, response.Status, response.Body)
		}
		if field != "" && !slices.ContainsFunc(response.Fields(), func(name string) bool { return strings.HasPrefix(name, field) }) {
			t.Errorf("%s: the fields named are %v, want %s: %s", what, response.Fields(), field, response.Body)
		}
	}
	with := func(name string, value any) map[string]any {
		body := maps.Clone(s.Make(t, s.Client, 700))
		body[name] = value
		return body
	}
	refuse("an unknown field", "no_such_field", with("no_such_field", 1))
	for _, f := range declared.Fields {
		if f.ReadOnly {
			continue
		}
		var wrong any = map[string]any{"not": []any{"this"}}
		if f.Kind == schema.Object {
			wrong = "not an object"
		}
		refuse(f.Name+" of a wrong type", f.Name, with(f.Name, wrong))
		if f.Required {
			body := s.Make(t, s.Client, 700)
			delete(body, f.Name)
			refuse(f.Name+" missing", f.Name, body)
			refuse(f.Name+" null", f.Name, with(f.Name, nil))
		}
		if f.Enum != nil {
			refuse(f.Name+" not in its list", f.Name, with(f.Name, "no_such_value"))
		}
		switch f.Kind {
		case schema.Text:
			refuse(f.Name+" with 10,000 characters", f.Name, with(f.Name, strings.Repeat("x", 10_000)))
		case schema.UUID:
			refuse(f.Name+" malformed", f.Name, with(f.Name, "123"))
			if f.References != "" {
				unknown := with(f.Name, uuid.NewString())
				refuse(f.Name+" unknown", f.Name, unknown)
				unknown["external_id"] = 1
				refuse(f.Name+" unknown, and more that is wrong", "external_id", unknown)
			}
		case schema.Date:
			refuse(f.Name+" that does not exist", f.Name, with(f.Name, "2025-02-30"))
		}
		if f.Money {
			refuse(f.Name+" negative", f.Name, with(f.Name, -1))
			refuse(f.Name+" with three decimals", f.Name, with(f.Name, 1.005))
		}
	}
	refuse("custom_fields nested", "custom_fields", with("custom_fields", map[string]any{"a": map[string]any{"b": 1}}))
	valid, _ := json.Marshal(s.Make(t, s.Client, 700))
	refuse("broken JSON", "", string(valid[:len(valid)-1]))
	refuse("a list instead of an object", "", "[]")
	refuse("nothing", "", "")
	refuse("two values", "", string(valid)+"{}")
	refuse("a name twice", "", `{"external_id":"a","external_id":"b"}`)
	refuse("a NUL character", "", `{"external_id":"a\u0000b"}`)
	refuse("a lone surrogate", "", `{"external_id":"\ud800"}`)
	refuse("bad UTF-8", "", "{\"external_id\":\"\xff\"}")
	refuse("NaN", "", `{"version":NaN}`)
	refuse("1e400", "", `{"version":1e400}`)
	refuse("deep nesting", "", strings.Repeat(`{"custom_fields":`, 40)+"1"+strings.Repeat("}", 40))
	refuse("a body of 5 MB", "", `{"external_id":"`+strings.Repeat("x", 5<<20)+`"}`)
	s.Client.Must(t, 400, "POST", s.Path, string(valid), "Content-Type", "text/plain")
	s.Client.Must(t, 400, "POST", s.Path, string(valid), "Content-Type", "")
	s.Client.Must(t, 400, "POST", s.Path+"?unknown=1", string(valid))
	s.Client.Must(t, 400, "GET", s.Path+"/nonsense", nil)
	s.Client.Must(t, 404, "GET", s.Path+"/"+uuid.NewString(), nil)
	if s.changes() {
		s.Client.Must(t, 404, "PATCH", s.Path+"/"+uuid.NewString(), map[string]any{})
		s.Client.Must(t, 404, "DELETE", s.Path+"/"+uuid.NewString(), nil)
	}
	if _, after := s.Client.List(t, s.Path); after["total"] != before["total"] {
		t.Errorf("refused requests wrote %v records", after["total"].(float64)-before["total"].(float64))
	}
}

func (s Suite[T]) isolation(t *testing.T, _ *schema.Schema) {
	created := s.create(t, 800)
	id := created["id"].(string)
	other := s.Client.Other()
	if s.Definition.Parent == "" {
		if data, _ := other.List(t, s.Path+"?ids="+id); len(data) != 0 {
			t.Errorf("another organization lists %v", data)
		}
		if s.changes() {
			other.Must(t, 404, "PATCH", s.Path+"/bulk", map[string]any{"data": []any{map[string]any{"id": id, "external_id": "x"}}})
			other.Must(t, 404, "DELETE", s.Path+"/bulk", map[string]any{"data": []any{map[string]any{"id": id}}})
		}
	}
	for _, request := range [][2]string{{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"GET", "/history"}} {
		if request[0] != "GET" && !s.changes() {
			continue
		}
		var body any
		if request[0] == "PATCH" {
			body = map[string]any{"external_id": "stolen"}
		}
		other.Must(t, 404, request[0], s.Path+"/"+id+request[1], body)
	}
	if got := s.Client.Must(t, 200, "GET", s.Path+"/"+id, nil).JSON; !reflect.DeepEqual(got, created) {
		t.Errorf("another organization changed the record: %v", got)
	}
	nobody := *s.Client
	nobody.Principal.OrganizationID = ""
	nobody.Must(t, 401, "GET", s.Path, nil)
	reader := *s.Client
	scope := s.row().Scope
	reader.Principal.Scopes = []string{scope + ":read"}
	if got := reader.Must(t, 403, "POST", s.Path, s.Make(t, s.Client, 801)); got.JSON["required_scope"] != scope+":write" {
		t.Errorf("403 names %v", got.JSON)
	}
}
