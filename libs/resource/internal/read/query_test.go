package read

import (
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ams.internal/libs/calendar"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// machine has a filter, a sort and a search of every kind; it needs no database.
type machine struct {
	ID        string   `json:"id" format:"uuid" readOnly:"true"`
	Tags      []string `json:"tags" filter:"contains"`
	CreatedAt string   `json:"created_at" format:"date-time" readOnly:"true" filter:"range" sort:"true"`
	UpdatedAt string   `json:"updated_at" format:"date-time" readOnly:"true" filter:"range" sort:"true"`
	Name      string   `json:"name" required:"true" unique:"true" sort:"true" search:"name" filter:"equals"`
	Class     *string  `json:"class" filter:"prefix"`
	Status    string   `json:"status" default:"on" enum:"on,off" filter:"equals"`
	OwnerID   *string  `json:"owner_id" references:"users" filter:"equals"`
	Power     *float64 `json:"power" filter:"range" sort:"true"`
	Wheels    *int     `json:"wheels" minimum:"0" filter:"range" sort:"true"`
	Cost      *float64 `json:"cost" money:"true" filter:"range"`
	BuiltOn   *string  `json:"built_on" format:"date" filter:"range"`
	Electric  bool     `json:"electric" default:"false" filter:"equals"`
	Age       *int     `json:"age" readOnly:"true" sort:"true" filter:"range"`
}

func machines() list {
	declared := schema.Of[machine]()
	columns := table.ColumnsOf(declared, map[string]string{"age": "(2026 - extract(year FROM t.built_on))::int % 1000"})
	return list{&table.Table{
		Set: &table.Set{Catalogue: catalogue.Product()}, Schema: declared, Name: "machine", Label: "name", Columns: columns,
		Searched: table.SearchedOf(columns), Filters: map[string]table.Filter{
			"heavy": {Kind: schema.Boolean, SQL: "(t.power % 7 > 3) = $2"},
			"size":  {Kind: schema.Text, Enum: []string{"small", "large"}, SQL: "t.size($2, $2)"},
		},
	}}
}

func TestFiltersBecomeConditionsWithArguments(t *testing.T) {
	id := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"
	for _, c := range []struct {
		query, where string
		args         []any
	}{
		{"", "", nil},
		{"status=on,off", "t.status = ANY($2::text[]::text[])", []any{[]string{"on", "off"}}},
		{"owner_id=null", "t.owner_id IS NULL", nil},
		{"owner_id=null," + strings.ToUpper(id), "(t.owner_id = ANY($2::text[]::uuid[]) OR t.owner_id IS NULL)", []any{[]string{id}}},
		{"name=A,b", "t.name_key = ANY(ARRAY(SELECT unique_key(v) FROM unnest($2::text[]) v))", []any{[]string{"A", "b"}}},
		{"power_min=1.5&power_max=3", "t.power <= $2 AND t.power >= $3", []any{3.0, 1.5}},
		{"built_on_from=2024-02-29", "t.built_on >= $2", []any{"2024-02-29"}},
		{"updated_since=2024-02-29", "t.updated_at >= $2", []any{"2024-02-29T05:00:00Z"}},
		{"created_at_to=2026-01-31T09:00:00-05:00", "t.created_at <= $2", []any{"2026-01-31T14:00:00Z"}},
		{"created_at_to=2026-01-31", "t.created_at < $2", []any{"2026-02-01T05:00:00Z"}}, // to the end of that day
		{"created_at_from=2026-01-31", "t.created_at >= $2", []any{"2026-01-31T05:00:00Z"}},
		{"wheels=1000000,null", "(t.wheels = ANY($2::text[]::integer[]) OR t.wheels IS NULL)", []any{[]string{"1000000"}}},
		{"electric=true", "t.electric = $2::text::boolean", []any{"true"}},
		{"age_min=3", "(2026 - extract(year FROM t.built_on))::int % 1000 >= $2", []any{3.0}},
		{"heavy=true", "(t.power % 7 > 3) = $2", []any{true}},
		{"size=small&status=on", "t.size($2, $2) AND t.status = $3::text::text", []any{"small", "on"}},
		{"tags=a,b", "t.tags ?| $2", []any{[]string{"a", "b"}}},
		{"ids=" + id, "t.id = ANY($2)", []any{[]string{id}}},
	} {
		values, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := machines().parseQuery(calendar.Calendar{}, values)
		if err != nil || strings.Join(q.Where, " AND ") != c.where || !reflect.DeepEqual(q.Args, c.args) {
			t.Errorf("%s: %v, %v", c.query, err, q)
		}
	}
}

func TestSortsBecomeOrdersThatEndWithAUniqueKey(t *testing.T) {
	for query, want := range map[string]string{
		"":                " ORDER BY t.position",
		"created_at":      " ORDER BY t.position",
		"created_at,id":   " ORDER BY t.position",
		"-created_at":     " ORDER BY t.position DESC",
		"-created_at,id":  " ORDER BY t.position DESC",
		"created_at,name": ` ORDER BY t.created_at, t.name COLLATE "natural", t.id`,
		"name":            ` ORDER BY t.name COLLATE "natural", t.id`,
		"-power, wheels":  " ORDER BY t.power DESC NULLS LAST, t.wheels, t.id",
		"-name":           ` ORDER BY t.name COLLATE "natural" DESC, t.id`,
		"id":              " ORDER BY t.id",
		"-age":            " ORDER BY (2026 - extract(year FROM t.built_on))::int % 1000 DESC NULLS LAST, t.id",
	} {
		values := url.Values{}
		if query != "" {
			values.Set("sort", query)
		}
		q, err := machines().parseQuery(calendar.Calendar{}, values)
		if err != nil || q.order() != want {
			t.Errorf("sort=%s: %v, %q, want %q", query, err, q.order(), want)
		}
	}
}

func TestQueriesThatAreRefusedNameTheirParameter(t *testing.T) {
	for query, want := range map[string][]string{
		"page=0": {"page"}, "page=-1": {"page"}, "page=x": {"page"}, "page=": {"page"}, "page=1.5": {"page"},
		"page=99999999999999999999": {"page"}, "per_page=0": {"per_page"}, "per_page=1001": {"per_page"},
		"sort=": {"sort"}, "sort=colour": {"sort"}, "sort=name,-name": {"sort"}, "sort=custom_fields": {"sort"}, "sort=name;DROP": {"sort"},
		"sort=--name": {"sort"}, "fields=": {"fields"}, "fields=position": {"fields"}, "fields=organization_id": {"fields"},
		"expand=name": {"expand"}, "expand=": {"expand"}, "status=broken": {"status"}, "status=null": {"status"}, "owner_id=x": {"owner_id"},
		"power_min=NaN": {"power_min"}, "power_from=1": {"power_from"}, "built_on_min=1": {"built_on_min"},
		"built_on_from=2023-02-29": {"built_on_from"},
		"electric=1":               {"electric"}, "heavy=": {"heavy"}, "size=medium": {"size"}, "ids=": {"ids"}, "ids=1,2": {"ids"},
		"q=" + strings.Repeat("x", 201): {"q"}, "q=b+c+d+e+f+g+h+i+j": {"q"}, "q=%25": {"q"}, "q=": {"q"}, "q=a%00b": {"q"}, "q=a%FF": {"q"},
		"sort=relevance": {"sort"}, "sort=-relevance&q=a": {"sort"}, "sort=relevance,name&q=a": {"sort"}, "sort=relevance&q=a&page=9": {"page"},
		"sort=relevance&q=a&page=2&per_page=200": {"page"}, "updated_since=yesterday": {"updated_since"}, "organization=x": {"organization"},
		"name_key=a": {"name_key"}, "wheels=1.5": {"wheels"}, "page=0&nothing=1&status=x": {"nothing", "page", "status"},
	} {
		values, err := url.ParseQuery(strings.ReplaceAll(query, ";", "%3B"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = machines().parseQuery(calendar.Calendar{}, values)
		if err == nil {
			t.Errorf("%.60s is taken", query)
			continue
		}
		var fields []string
		for _, f := range fault.From(err).Fields {
			if fields = append(fields, f.Field); strings.Contains(f.Message, "%!") {
				t.Errorf("%.60s: %s", query, f.Message)
			}
		}
		if !slices.Equal(fields, want) {
			t.Errorf("%.60s names %v, want %v", query, fields, want)
		}
	}
}

var placeholder = regexp.MustCompile(`\$([0-9]+)`)

// Whatever a query holds: none of it becomes SQL. The statement is made of the names and expressions that were
// declared, and has an argument for every placeholder.
func FuzzParseQuery(f *testing.F) {
	for _, query := range []string{
		"page=2&per_page=10&sort=-power,name&fields=id,name&expand=owner", "status=on,off&owner_id=null", "q=%25%27%5C&name=a,null,b",
		"power_min=1e3&power_max=-0.5", "built_on_from=2024-02-29&built_on_to=9999-12-31", "updated_since=2024-01-01T00:00:00Z",
		"heavy=true&size=large", "tags=a,,b&class=D30'", "ids=019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11",
		"sort=id';--&fields=id%00", "age_min=%25s&age=3", "class=%25!d(string=x)&wheels=null,3", "name=$1", "cost=12.25,null",
	} {
		f.Add(query)
	}
	t := machines()
	f.Fuzz(func(test *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q, err := t.parseQuery(calendar.Calendar{}, values)
		if err != nil {
			if e := fault.From(err); e.Status() != 400 || len(e.Fields) == 0 {
				test.Fatalf("%q: %v", text, err)
			}
			return
		}
		sql := strings.Join(q.Where, " AND ") + q.order() + table.Selection(q.selected())
		used := map[int]bool{}
		for _, match := range placeholder.FindAllStringSubmatch(sql, -1) {
			n, err := strconv.Atoi(match[1])
			if err != nil {
				test.Fatal(err)
			}
			used[n] = true
		}
		for n := range q.Args {
			if !used[n+2] {
				test.Fatalf("%q: the argument $%d has no place in %s", text, n+2, sql)
			}
		}
		if len(used) != len(q.Args) || strings.Contains(sql, "%!") {
			test.Fatalf("%q: %d arguments for %s", text, len(q.Args), sql)
		}
		for _, name := range []string{"q", "class", "name", "tags"} { // those that take any text
			q, err := t.parseQuery(calendar.Calendar{}, url.Values{name: {text + "zqx"}})
			if err == nil && strings.Contains(strings.Join(q.Where, " "), "zqx") {
				test.Fatalf("%s=%q is in %s", name, text, q.Where)
			}
		}
	})
}

// The gateway counts as streams what prefers one of transport.StreamTypes: a format that is not among them would pass its ceiling.
func TestEveryFormatIsAMediaTypeOfStreams(t *testing.T) {
	if written := slices.Sorted(maps.Keys(formats)); !slices.Equal(written, slices.Sorted(slices.Values(transport.StreamTypes))) {
		t.Errorf("formats of %v, streams of %v", written, transport.StreamTypes)
	}
}
