package resource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/odata"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// inOData asks for a set as the gateway does: path is that of the API.
func inOData(t *testing.T, client *resourcetest.Client, asked, path string, options ...string) resourcetest.Response {
	t.Helper()
	return client.Do(t, "GET", path+"?"+encoded(options), nil, odata.Header, "https://api.example.com/odata/v4/"+asked)
}

func encoded(options []string) string {
	values := url.Values{}
	for i := 0; i+1 < len(options); i += 2 {
		values.Set(options[i], options[i+1])
	}
	return values.Encode()
}

// titlesOf are the titles of the records of an answer.
func titlesOf(t *testing.T, answer resourcetest.Response) []string {
	t.Helper()
	if answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	titles := []string{}
	for _, entry := range answer.JSON["value"].([]any) {
		titles = append(titles, entry.(map[string]any)["title"].(string))
	}
	return titles
}

// stocked makes books of every kind of value, and gives them as the API shows them.
func stocked(t *testing.T, client *resourcetest.Client, n int) []odata.Row {
	t.Helper()
	declareCustom(t, client, "height", "number")
	declareCustom(t, client, "binding", "text")
	declareCustom(t, client, "lent", "boolean")
	random := rand.New(rand.NewPCG(7, 8))
	some := func(values ...any) any { return values[random.IntN(len(values))] }
	var bodies []any
	for i := range n {
		bodies = append(bodies, map[string]any{
			"title": fmt.Sprintf("Livre %03d", i), "state": some("new", "lent", "lost"), "genre": some("novel", "poetry", nil),
			"pages": some(1, 2, 300, nil), "weight": some(0.5, 1.25, nil), "price": some(12.25, 0.1, 99.99, nil),
			"published_on": some("2020-02-29", "2019-12-31", nil),
			"signed":       some(true, false), "barcode": some("Été", "d'août", nil, "ete", "100%", "a_b", "zz"),
			"tags": some([]any{"roman"}, []any{"québec", "roman"}, []any{}), "custom_fields": some(map[string]any{}, map[string]any{"height": 2.5},
				map[string]any{"height": 7, "binding": "cuir", "lent": i%2 == 0}),
		})
		bodies[i].(map[string]any)["barcode"] = barcode(bodies[i].(map[string]any)["barcode"], i)
	}
	client.Must(t, 200, "POST", "/v1/books/bulk", map[string]any{"data": bodies})
	decoder := json.NewDecoder(bytes.NewReader(client.Must(t, 200, "GET", "/v1/books?per_page=1000", nil).Body))
	decoder.UseNumber()
	var all struct{ Data []odata.Row }
	if err := decoder.Decode(&all); err != nil || len(all.Data) != n {
		t.Fatalf("%d books, %v", len(all.Data), err)
	}
	return all.Data
}

func barcode(value any, i int) any {
	if value == nil {
		return nil
	}
	return fmt.Sprintf("%s %d", value, i)
}

// What the database finds by a filter is what the filter means, as it is calculated row by row: two programs, one truth.
func TestFiltersOfODataFindWhatTheyMean(t *testing.T) {
	client, _ := serve(t)
	all := stocked(t, client, 60)
	made, err := time.Parse(time.RFC3339, all[0]["created_at"].(string))
	if err != nil {
		t.Fatal(err)
	}
	made = made.In(time.FixedZone("", 5*60*60))
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...string) string { return values[random.IntN(len(values))] }
	simple := func() string {
		comparison := pick("eq", "ne", "gt", "ge", "lt", "le")
		switch random.IntN(10) {
		case 0:
			return pick("pages", "price", "weight", "version") + " " + comparison + " " +
				pick("1", "2", "300", "12.25", "0.1", "-5", "1e2", "1e308", "-1E-300", "99.99")
		case 1:
			if random.IntN(2) == 0 {
				return "created_at " + comparison + " " +
					pick(made.Format(time.RFC3339Nano), made.Add(-time.Microsecond).UTC().Format(time.RFC3339Nano), "2020-01-01T10:00+01:00")
			}
			return "published_on " + comparison + " " + pick("2020-02-29", "2020-01-01", "2019-12-31")
		case 2:
			return pick("signed eq true", "signed ne true", "signed", "signed eq false")
		case 3:
			return pick("pages", "genre", "price", "barcode", "published_on", "custom_fields/height") + pick(" eq null", " ne null")
		case 4:
			return pick("contains", "startswith", "endswith") + "(" + pick("barcode", "title", "tolower(barcode)", "toupper(genre)") + ",'" +
				pick("e", "Livre", "O", "%", "_", "''", "é") + "')"
		case 5:
			return pick("state in ('new','lost')", "genre in ('poetry')", "state eq 'lent'", "genre ne 'novel'", "genre eq 'poetry'",
				"barcode ne null and barcode ne ''", "barcode eq ''", "custom_fields/binding ne ''", "genre in ('','novel')")
		case 6:
			return "tags/any(t:t eq '" + pick("roman", "québec", "none") + "')"
		case 7:
			return pick("custom_fields/height "+comparison+" 2.5", "custom_fields/binding eq 'cuir'", "custom_fields/binding ne 'cuir'",
				"custom_fields/height in (7, 8)", "custom_fields/lent", "custom_fields/lent eq false", "custom_fields/lent ne true",
				"custom_fields/lent eq signed", "custom_fields/lent eq null")
		case 8:
			return pick("year(published_on) ", "month(published_on) ", "day(published_on) ", "length(barcode) ") + comparison + " " +
				pick("2020", "12", "29", "5")
		}
		return pick("300 "+comparison+" pages", "price "+comparison+" weight", "pages "+comparison+" version")
	}
	var make func(depth int) string
	make = func(depth int) string {
		if depth == 0 {
			return simple()
		}
		switch random.IntN(4) {
		case 0:
			return "not (" + make(depth-1) + ")"
		case 1:
			return make(depth-1) + " and " + make(depth-1)
		case 2:
			return "(" + make(depth-1) + " or " + make(depth-1) + ")"
		}
		return make(depth - 1)
	}
	names := []string{}
	for name := range all[0] {
		names = append(names, name)
	}
	found := 0
	without := []string{"not contains(barcode,'e')",
		"not (startswith(barcode,'Été') and pages gt 2)", "not (endswith(barcode,'1') or pages gt 2)",
		"not (contains(barcode,'e') eq true)", "contains(barcode,'e') eq false", "not not contains(barcode,'e')", "not custom_fields/lent",
		"not (genre in ('novel'))", "(pages gt 2) eq false", "(pages gt 2) ne signed", "not (price lt weight)"} // of fields without a value
	for i := range 400 + len(without) {
		filter := make(i % 4)
		if i >= 400 {
			filter = without[i-400]
		}
		o, _, err := odata.Parse(url.Values{"$filter": {filter}}, nil)
		if err != nil {
			t.Fatalf("%s: %v", filter, err)
		}
		rows, total, _, err := odata.Rows(t.Context(), all, names, o)
		if err != nil {
			t.Fatalf("%s: %v", filter, err)
		}
		want := []string{}
		for _, row := range rows {
			want = append(want, row["title"].(string))
		}
		answer := inOData(t, client, "books", "/v1/books", "$filter", filter, "$select", "title", "$count", "true")
		if got := titlesOf(t, answer); !slices.Equal(got, want) {
			t.Errorf("%s\n found %v\n means %v", filter, got, want)
		}
		if answer.JSON["@odata.count"] != float64(total) {
			t.Errorf("%s: count %v of %d", filter, answer.JSON["@odata.count"], total)
		}
		found += len(want)
	}
	if found == 0 {
		t.Error("no filter found anything")
	}
}

func TestPagesOfODataAreFollowedToTheEnd(t *testing.T) {
	client, _ := serve(t)
	all := stocked(t, client, 37)
	for _, test := range []struct {
		options []string
		prefer  string
		want    int
	}{
		{nil, "odata.maxpagesize=10", 37},
		{[]string{"$top", "25"}, "maxpagesize=10", 25},
		{[]string{"$top", "25", "$skip", "30"}, "odata.maxpagesize=3", 7},
		{[]string{"$orderby", "price desc,title"}, "odata.maxpagesize=4", 37},
		{[]string{"$orderby", "pages", "$filter", "signed eq true or signed eq false", "$skip", "5"}, "odata.maxpagesize=6", 32},
		{[]string{"genre", "novel,poetry,null", "$filter", "version eq 1"}, "odata.maxpagesize=5", 37},
		{[]string{"$top", "0"}, "odata.maxpagesize=5", 0},
	} {
		path := "/v1/books?" + encoded(test.options)
		seen := map[string]bool{}
		for pages := 0; path != ""; pages++ {
			answer := client.Do(t, "GET", path, nil, odata.Header, "https://api.example.com/odata/v4/books?forceFunctionRegion=ca-central-1", "Prefer", test.prefer)
			for _, title := range titlesOf(t, answer) {
				if seen[title] {
					t.Errorf("%v: %s twice", test.options, title)
				}
				seen[title] = true
			}
			next, more := answer.JSON["@odata.nextLink"].(string)
			if path = ""; more {
				if !strings.HasPrefix(next, "https://api.example.com/odata/v4/books?") || !strings.Contains(next, "forceFunctionRegion=ca-central-1") {
					t.Fatalf("the next page is at %s", next)
				}
				path = "/v1/books?" + strings.SplitN(next, "?", 2)[1]
			}
			if pages > 40 {
				t.Fatalf("%v: no end", test.options)
			}
		}
		if len(seen) != test.want {
			t.Errorf("%v: %d records, want %d", test.options, len(seen), test.want)
		}
	}
	if count := inOData(t, client, "books/$count", "/v1/books",
		"$filter", "signed eq true"); count.Header.Get("Content-Type") != "text/plain;charset=utf-8" ||
		string(count.Body) != strconv.Itoa(len(titlesOf(t, inOData(t, client, "books", "/v1/books", "$filter", "signed eq true")))) {
		t.Errorf("the number alone is %s %s", count.Header.Get("Content-Type"), count.Body)
	}
	for _, options := range [][]string{{"q", "roman"}, {"q", "livre"}, {"q", "livre 003"}, {"q", "livre", "$filter", "signed eq true"},
		{"genre", "novel"}, {"q", "nothing"}} {
		counted := inOData(t, client, "books", "/v1/books", append([]string{"$count", "true"}, options...)...)
		if count := inOData(t, client, "books/$count", "/v1/books", options...); string(count.Body) != fmt.Sprint(counted.JSON["@odata.count"]) ||
			string(count.Body) != strconv.Itoa(len(titlesOf(t, counted))) {
			t.Errorf("%v: the number alone is %s, of %v", options, count.Body, counted.JSON["@odata.count"])
		}
	}
	id := all[0]["id"].(string)
	one := inOData(t, client, "books("+id+")", "/v1/books/"+id, "$select", "id,title")
	if want := `{"@odata.context":"https://api.example.com/odata/v4/$metadata#books(id,title)/$entity","id":"` + id + `","title":"Livre 000"}`; string(one.Body) != want {
		t.Errorf("one record is %s, want %s", one.Body, want)
	}
	if filtered := inOData(t, client, "books("+id+")", "/v1/books/"+id, "genre", "novel"); filtered.Status != 400 {
		t.Errorf("one record by a filter besides: %d", filtered.Status)
	}
	if one.Header.Get("OData-Version") != "4.0" {
		t.Error("a response has no OData-Version")
	}
	if other := inOData(t, client.Other(), "books("+id+")", "/v1/books/"+id); other.Status != 404 {
		t.Errorf("another organization's record: %d", other.Status)
	}
	if other := inOData(t, client.Other(), "books", "/v1/books", "$apply",
		"aggregate($count as n)"); !strings.Contains(string(other.Body), `"value":[{"n":0}]`) {
		t.Errorf("another organization counts %s", other.Body)
	}
}

func TestGroupsOfODataAreExact(t *testing.T) {
	client, _ := serve(t)
	all := stocked(t, client, 60)
	answer := inOData(t, client, "books", "/v1/books", "$apply",
		"filter(signed eq true)/groupby((genre),aggregate(price with sum as price,$count as books,pages with max as longest,published_on with "+
			"min as first,weight with average as weight,barcode with countdistinct as barcodes))", "$orderby", "genre desc", "$count", "true")
	if answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	cents, books := map[any]int64{}, map[any]float64{}
	for _, row := range all {
		if row["signed"] == true {
			books[row["genre"]]++
			if price, has := row["price"].(json.Number); has {
				exact, _ := price.Float64()
				cents[row["genre"]] += int64(exact*100 + 0.5)
			}
		}
	}
	groups := answer.JSON["value"].([]any)
	if len(groups) != 3 || answer.JSON["@odata.count"] != 3.0 {
		t.Fatalf("%d groups, count %v", len(groups), answer.JSON["@odata.count"])
	}
	if groups[0].(map[string]any)["genre"] != "poetry" || groups[2].(map[string]any)["genre"] != nil {
		t.Errorf("descending, with none last: %v", groups)
	}
	for _, entry := range groups {
		group := entry.(map[string]any)
		if got := int64(group["price"].(float64)*100 + 0.5); got != cents[group["genre"]] || group["books"] != books[group["genre"]] {
			t.Errorf("group %v, want %d cents of %v books", group, cents[group["genre"]], books[group["genre"]])
		}
		if group["longest"] != 300.0 || group["first"] != "2019-12-31" || len(group) != 7 {
			t.Errorf("group %v", group)
		}
	}
	if answer.JSON["@odata.context"] != "https://api.example.com/odata/v4/$metadata#books(genre,price,books,longest,first,weight,barcodes)" {
		t.Errorf("context %v", answer.JSON["@odata.context"])
	}
}

func TestODataThatIsNotSupportedIsRefusedByName(t *testing.T) {
	client, _ := serve(t)
	declareCustom(t, client, "height", "number")
	declareCustom(t, client, "due", "date")
	for _, test := range []struct{ option, value, message string }{
		{"$fitler", "x", "did you mean $filter?"},
		{"$search", "x", "is not supported"},
		{"$filter", "titel eq 'x'", "did you mean title?"},
		{"$filter", "title eq 3", "put texts in single quotes"},
		{"$filter", "pages eq 1e999999", "exponents go from -400 to 400"},
		{"$filter", "price lt 1e-401", "exponents go from -400 to 400"},
		{"$filter", "pages eq '3'", "leave the quotes out"},
		{"$filter", "pages eq abc", `"abc" is not a field`},
		{"$filter", "state eq 'gone'", "new, lent"},
		{"$filter", "title eq 'x' xor signed", `has "xor" where it should end, or go on with and, or`},
		{"$filter", "title eq %", "cannot be read from"},
		{"$filter", "substringof('x',title)", "no function"},
		{"$filter", "contains(pages,'x')", "takes a text"},
		{"$filter", "title", "needs a condition"},
		{"$filter", "title eq", "needs a field or a value"},
		{"$filter", "(title eq 'x'", `needs ")"`},
		{"$filter", "tags eq 'x'", "tags/any(x:x eq 'text')"},
		{"$filter", "tags/all(t:t eq 'x')", "tags/any(x:x eq 'text')"},
		{"$filter", "custom_fields/hight eq 3", "did you mean height?"},
		{"$filter", "custom_fields/due gt published_on", "cannot compare a custom field that is a date with another field"},
		{"$filter", "pages gt null", "null with eq and ne only"},
		{"$filter", "published_on gt 'yesterday'", "published_on"},
		{"$filter", "title eq pages", "cannot compare a text with a integer"},
		{"$filter", strings.Repeat("(", 40) + "signed" + strings.Repeat(")", 40), "nested"},
		{"$filter", strings.TrimSuffix(strings.Repeat("signed or ", 400), " or "), "more than 300 parts"},
		{"$orderby", "titel", "did you mean title?"},
		{"$orderby", "title up", "asc or desc"},
		{"$select", "titel", "did you mean title?"},
		{"$select", "shelf($select=name)", "whole fields"},
		{"$top", "-1", "0 or more"},
		{"$skip", "many", "0 or more"},
		{"$count", "yes", "true or false"},
		{"$format", "atom", "must be json"},
		{"$skiptoken", "abc", "@odata.nextLink"},
		{"$apply", "groupby((title,pages),aggregate(price with sum as s))/topcount(2,s)", "where it should end"},
		{"$apply", "groupby((authors))", "cannot group by authors; these can be:"},
		{"$apply", "aggregate(title with sum as s)", "cannot aggregate title with sum"},
		{"$apply", "aggregate(price with median as s)", "sum, min, max"},
		{"$apply", "aggregate(price with sum as s,pages with sum as s)", "two members called s"},
		{"$apply", "orderby(title)", "is read as"},
		{"page", "2", "use $skip"},
		{"sort", "title", "use $orderby"},
		{"csv", "excel", "is for the lists of the API"},
		{"nothing", "2", "is not a parameter of this list"},
	} {
		answer := inOData(t, client, "books", "/v1/books", test.option, test.value)
		failure, _ := answer.JSON["error"].(map[string]any)
		if message, _ := failure["message"].(string); answer.Status != 400 || !strings.HasPrefix(message, test.option+": ") ||
			!strings.Contains(message, test.message) {
			t.Errorf("%s=%s: %d %s, want %q", test.option, test.value, answer.Status, answer.Body, test.message)
		}
		if failure["target"] != test.option {
			t.Errorf("%s=%s: the target is %v", test.option, test.value, failure["target"])
		}
	}
	if both := inOData(t, client, "books", "/v1/books", "$apply", "aggregate($count as n)", "$filter", "signed"); both.Status != 400 ||
		!strings.Contains(string(both.Body), "cannot stand beside $apply") {
		t.Errorf("$filter beside $apply: %s", both.Body)
	}
}

// Of many $apply of an organization two are worked on at once; the others wait, and are refused with a 429 where that takes too long. A
// neighbour has its turn.
func TestGroupsAreMadeInTurn(t *testing.T) {
	client, database := serve(t)
	client.Create(t, "/v1/books", row{"title": "Un", "number": "N-1"})
	neighbour := client.Other()
	apply := func(of *resourcetest.Client) resourcetest.Response {
		return inOData(t, of, "books", "/v1/books", "$apply", "groupby((genre),aggregate($count as books))")
	}
	for _, of := range []*resourcetest.Client{client, neighbour} {
		if answer := apply(of); answer.Status != 200 {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
	}
	db := database.Open(t)
	const many = 20
	answers := make(chan resourcetest.Response, many+1)
	err := db.Write(principal.Into(t.Context(), client.Principal), func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "LOCK TABLE book IN ACCESS EXCLUSIVE MODE"); err != nil { // nothing is read until it has ended
			return err
		}
		stopped := func() (n int) {
			err := tx.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'book'::regclass").Scan(&n)
			if err != nil {
				t.Error(err)
			}
			return n
		}
		for range many {
			go func() { answers <- apply(client) }()
		}
		testwait.For(t, 10*time.Second, "two are worked on", func() bool { return stopped() == 2 })
		go func() { answers <- apply(neighbour) }()
		testwait.For(t, 10*time.Second, "the neighbour's is as well", func() bool { return stopped() == 3 })
		testwait.For(t, 20*time.Second, "the others have waited too long", func() bool {
			if n := stopped(); n > 3 {
				t.Errorf("%d are worked on", n)
			}
			return len(answers) >= many-2
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[int]int{}
	for range many + 1 {
		answer := <-answers
		if statuses[answer.Status]++; answer.Status == 429 && answer.Header.Get("Retry-After") == "" {
			t.Errorf("%s", answer.Body)
		}
	}
	if statuses[200]+statuses[429] != many+1 || statuses[200] < 1 || statuses[429] < many-4 {
		t.Errorf("statuses: %v", statuses)
	}
}
