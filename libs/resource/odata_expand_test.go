package resource_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/odata"
	"ams.internal/libs/resource/resourcetest"
)

const odataRoot = "https://api.example.com/odata/v4/"

// valuesOf are the records of a set that was read.
func valuesOf(t *testing.T, response resourcetest.Response) (records []map[string]any) {
	t.Helper()
	if response.Status != http.StatusOK {
		t.Fatalf("%d %s", response.Status, response.Body)
	}
	for _, entry := range response.JSON["value"].([]any) {
		records = append(records, entry.(map[string]any))
	}
	return records
}

// errorIn is the message of an error in OData.
func errorIn(t *testing.T, response resourcetest.Response, status int) string {
	t.Helper()
	failure, _ := response.JSON["error"].(map[string]any)
	message, _ := failure["message"].(string)
	if response.Status != status || message == "" {
		t.Errorf("%d %s, want %d", response.Status, response.Body, status)
	}
	return message
}

// withoutContext is a record as it is shown alone, but for its context URL.
func withoutContext(record map[string]any) map[string]any {
	record = maps.Clone(record)
	delete(record, "@odata.context")
	return record
}

func TestARecordIsShownWholeWithinThoseThatReferToIt(t *testing.T) {
	t.Parallel()
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", row{"name": "Rayon"})["id"].(string)
	first := client.Create(t, "/v1/books", row{"title": "Un", "shelf_id": shelf, "price": 12.5, "tags": []any{"roman"}})["id"].(string)
	second := client.Create(t, "/v1/books", row{"title": "Deux", "shelf_id": shelf, "sequel_to_id": first})["id"].(string)
	client.Create(t, "/v1/books", row{"title": "Trois"})
	whole := withoutContext(inOData(t, client, "shelves("+shelf+")", "/v1/shelves/"+shelf).JSON)
	before := withoutContext(inOData(t, client, "books("+first+")", "/v1/books/"+first).JSON)

	response := inOData(t, client, "books", "/v1/books", "$expand", "shelf,sequel_to", "$count", "true")
	for i, want := range []struct{ shelf, sequelTo any }{{whole, nil}, {whole, before}, {nil, nil}} {
		shown := valuesOf(t, response)[i]
		if !reflect.DeepEqual(shown["shelf"], want.shelf) || !reflect.DeepEqual(shown["sequel_to"], want.sequelTo) {
			t.Errorf("%v is shown with %v and %v, want %v and %v", shown["title"], shown["shelf"], shown["sequel_to"], want.shelf, want.sequelTo)
		}
	}
	if response.JSON["@odata.count"] != 3.0 || response.JSON["@odata.context"] != odataRoot+"$metadata#books" {
		t.Errorf("count %v, context %v", response.JSON["@odata.count"], response.JSON["@odata.context"])
	}

	for _, test := range []struct {
		options       []string
		context, want string
	}{
		{[]string{"$expand", "shelf($select=name)", "$select", "title", "$orderby", "title desc", "$top", "1"}, "books(title,shelf(name))",
			`[{"title":"Un","shelf":{"name":"Rayon"}}]`},
		{[]string{"$expand", "shelf( $select=name )", "$select", "title,shelf", "$filter", "shelf_id ne null and sequel_to_id eq null"},
			"books(title,shelf(name))", `[{"title":"Un","shelf":{"name":"Rayon"}}]`},
		{[]string{"$expand", "sequel_to($select=title,price),shelf($select=name)", "$select", "shelf", "$skip", "1", "$top", "1"},
			"books(sequel_to(title,price),shelf(name))",
			`[{"id":"` + second + `","sequel_to":{"title":"Un","price":12.50},"shelf":{"name":"Rayon"}}]`},
		{[]string{"$expand", "shelf", "$select", "title", "$filter", "title eq 'Trois'"}, "books(title)", `[{"title":"Trois","shelf":null}]`},
		{[]string{"$expand", "shelf($select=*)", "$select", "id", "$filter", "title eq 'Quatre'"}, "books(id)", `[]`},
	} {
		got := inOData(t, client, "books", "/v1/books", test.options...)
		want := `{"@odata.context":"` + odataRoot + "$metadata#" + test.context + `","value":` + test.want
		if !strings.HasPrefix(string(got.Body), want) {
			t.Errorf("%v is %s, want %s", test.options, got.Body, want)
		}
	}
	if got := inOData(t, client, "books", "/v1/books", "$expand", "shelf($select=name)", "$top", "1").JSON["@odata.context"]; got !=
		odataRoot+"$metadata#books(*,shelf(name))" {
		t.Errorf("the context of whole books is %v", got)
	}

	one := inOData(t, client, "books("+second+")", "/v1/books/"+second, "$expand", "shelf,sequel_to($select=title)", "$select", "title")
	if one.JSON["title"] != "Deux" || !reflect.DeepEqual(one.JSON["shelf"], any(whole)) ||
		one.JSON["sequel_to"].(map[string]any)["title"] != "Un" ||
		one.JSON["@odata.context"] != odataRoot+"$metadata#books(title,sequel_to(title))/$entity" {
		t.Errorf("one record is %s", one.Body)
	}
}

func TestPagesOfODataAreFollowedWithWhatTheyExpand(t *testing.T) {
	t.Parallel()
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", row{"name": "Rayon"})["id"].(string)
	for _, title := range []string{"a", "b", "c", "d", "e"} {
		client.Create(t, "/v1/books", row{"title": title, "shelf_id": shelf})
	}
	query, titles := encoded([]string{"$expand", "shelf($select=name)", "$orderby", "title"}), ""
	for query != "" {
		response := client.Do(t, "GET", "/v1/books?"+query, nil, odata.Header, odataRoot+"books", "Prefer", "odata.maxpagesize=2")
		for _, shown := range valuesOf(t, response) {
			titles += shown["title"].(string)
			if name := shown["shelf"].(map[string]any)["name"]; name != "Rayon" {
				t.Errorf("%v is on %v", shown["title"], name)
			}
		}
		next, _ := response.JSON["@odata.nextLink"].(string)
		_, query, _ = strings.Cut(next, "?")
	}
	if titles != "abcde" {
		t.Errorf("the books are %s", titles)
	}
}

// What a navigation property leads to has a path of its own, as OData says.
func TestTheRecordBehindANavigationPropertyIsHadByItself(t *testing.T) {
	t.Parallel()
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", row{"name": "Rayon"})["id"].(string)
	book := client.Create(t, "/v1/books", row{"title": "Un", "shelf_id": shelf})["id"].(string)
	behind := func(of *resourcetest.Client, name string, options ...string) resourcetest.Response {
		return inOData(t, of, "books("+book+")/"+name, "/v1/books/"+book, options...)
	}
	want := inOData(t, client, "shelves("+shelf+")", "/v1/shelves/"+shelf)
	if got := behind(client, "shelf"); string(got.Body) != string(want.Body) ||
		got.Header.Get("Content-Type") != want.Header.Get("Content-Type") {
		t.Errorf("the shelf of the book is %s, want %s", got.Body, want.Body)
	}
	if got := behind(client, "shelf", "$select", "name"); string(got.Body) !=
		`{"@odata.context":"`+odataRoot+`$metadata#shelves(name)/$entity","name":"Rayon"}` {
		t.Errorf("the name of the shelf is %s", got.Body)
	}
	if got := behind(client, "sequel_to"); got.Status != http.StatusNoContent || len(got.Body) > 0 {
		t.Errorf("what a book does not refer to: %d %s", got.Status, got.Body)
	}
	errorIn(t, behind(client.Other(), "shelf"), http.StatusNotFound)
	if message := errorIn(t, behind(client, "shlef"), http.StatusBadRequest); !strings.Contains(message, "did you mean shelf?") {
		t.Error(message)
	}
	expanded := behind(client, "shelf", "$expand", "shelf")
	if message := errorIn(t, expanded, http.StatusBadRequest); !strings.HasPrefix(message, "$expand: is for sets") {
		t.Error(message)
	}
}

func TestARecordOfAnotherServiceIsExpandedByTheRulesOfItsOwn(t *testing.T) {
	w := newTwo(t)
	site := w.owner.Create(t, "/v1/sites", row{"name": "Parc"})
	id := site["id"].(string)
	loan := w.referrer.Create(t, "/v1/loans", row{"name": "Pelle", "site_id": id})["id"].(string)
	loans := func(of *resourcetest.Client, options ...string) resourcetest.Response {
		return inOData(t, of, "work_orders", "/v1/loans", options...)
	}
	behind := func() resourcetest.Response {
		return inOData(t, w.referrer, "work_orders("+loan+")/site", "/v1/loans/"+loan)
	}
	want := withoutContext(inOData(t, w.owner, "sites("+id+")", "/v1/sites/"+id).JSON)
	if got := valuesOf(t, loans(w.referrer, "$expand", "site"))[0]["site"]; !reflect.DeepEqual(got, any(want)) {
		t.Errorf("the site is %v, want %v", got, want)
	}
	if got := withoutContext(behind().JSON); !reflect.DeepEqual(got, want) {
		t.Errorf("the site of the loan is %v, want %v", got, want)
	}
	for name, of := range map[string]*resourcetest.Client{"a list": w.referrer, "a list without records": w.referrer.Other()} {
		message := errorIn(t, loans(of, "$expand", "site($select=nmae)"), http.StatusBadRequest)
		if !strings.HasPrefix(message, `$expand: "nmae" is not a field of sites`) || !strings.Contains(message, "did you mean name?") {
			t.Errorf("%s: %s", name, message)
		}
	}
	records := row{"ids": []string{id}, "text_numbers": true}
	if mine := w.owner.Must(t, 200, "POST", "/internal/records/sites", records).JSON[id]; mine.(map[string]any)["version"] != "1" {
		t.Errorf("the record is %v", mine)
	}
	if others := w.owner.Other().Must(t, 200, "POST", "/internal/records/sites", records); len(others.JSON) != 0 {
		t.Errorf("another organization reads %s", others.Body)
	}

	w.referrer.Principal.Scopes = []string{"work_orders:read"}
	w.owner.Principal.Scopes = w.referrer.Principal.Scopes
	for _, refused := range []resourcetest.Response{loans(w.referrer, "$expand", "site($select=id)"),
		loans(w.referrer, "$expand", "site", "$top", "0"), behind()} {
		if message := errorIn(t, refused, http.StatusForbidden); message !=
			"$expand=site needs the scope sites:read as well; leave it out, or use a key that has it." {
			t.Error(message)
		}
	}
	w.owner.Must(t, http.StatusForbidden, "POST", "/internal/records/sites", records)
	if len(valuesOf(t, loans(w.referrer))) != 1 {
		t.Error("without $expand the loan is not shown")
	}
	w.referrer.Principal.Scopes = []string{"work_orders:read", "sites:read"}
	w.servers.owner.Close()
	errorIn(t, loans(w.referrer, "$expand", "site"), http.StatusServiceUnavailable)
	valuesOf(t, loans(w.referrer))
}

func TestExpansionsThatCannotBeAreRefusedWithAWayOut(t *testing.T) {
	t.Parallel()
	client, _ := serve(t)
	for _, test := range []struct{ option, value, message string }{
		{"$expand", "shelff", "did you mean shelf?"},
		{"$expand", "*", "takes navigation properties by their names, not *; these are: shelf, sequel_to"},
		{"$expand", "shelf,shelf", "names shelf twice"},
		{"$expand", "shelf,", "lacks the name"},
		{"$expand", "shelf/$ref", `takes shelf, not "shelf/$ref"`},
		{"$expand", "sequel_to/shelf", "$expand=sequel_to($select=…)"},
		{"$expand", "sequel_to($expand=shelf)", `takes $select alone in the parentheses of sequel_to, not "$expand"`},
		{"$expand", "sequel_to($levels=2)", `not "$levels"`},
		{"$expand", "sequel_to($select=title;$filter=contains(title,'a'))", `not "$filter"`},
		{"$expand", "shelf()", "has nothing in the parentheses of shelf"},
		{"$expand", "shelf($select=name", "has no )"},
		{"$expand", "shelf($select=name)x", "where it should end"},
		{"$expand", "shelf($select=books/title)", "of shelf: $select takes whole fields"},
		{"$expand", "shelf($select=nmae)", "did you mean name?"},
		{"$filter", "shelf/name eq 'Rayon'", "ask about its id, shelf_id"},
		{"$filter", "contains(tolower(shelf/name),'ray')", "ask about its id, shelf_id"},
		{"$filter", "shelf eq null", "ask about its id, shelf_id"},
		{"$orderby", "shelf/name desc", "sort by it where you read"},
		{"$apply", "groupby((shelf/name))", "group by its id"},
		{"$apply", "groupby((shelf))", "ask about its id, shelf_id"},
		{"$select", "shelf/name", "$expand=site($select=name)"},
		{"expand", "shelf", "in OData use $expand"},
		{"totals", "true", "in OData use $apply"},
		{"top", "1", "has a sign before it in OData 4.0: $top"},
		{"$search", "x", "with q"},
		{"$filter", "title eq 'x", "has no end of the text"},
		{"$filter", "title eq +1", "such as + as %2B"},
		{"$filter", "contains(title)", "calls contains with 1 arguments; it takes two, a field and a text"},
		{"$filter", "title in ('a',pages)", "takes values in the parentheses behind in"},
		{"$filter", "title eq", "where it has its end; it is read as field eq 'value'"},
		{"$apply", " ", "says nothing; it is read as"},
		{"$apply", "aggregate(price)", "needs with, and how to aggregate (sum, min"},
		{"$apply", "aggregate(price with sum)", "needs as, and a name for the number"},
	} {
		response := inOData(t, client, "books", "/v1/books", test.option, test.value)
		message := errorIn(t, response, http.StatusBadRequest)
		if !strings.HasPrefix(message, test.option+": ") || !strings.Contains(message, test.message) {
			t.Errorf("%s=%s: %s, want %q", test.option, test.value, message, test.message)
		}
	}
	message := errorIn(t, inOData(t, client, "books", "/v1/books", "$expand", "shelf", "$apply", "groupby((genre))"), http.StatusBadRequest)
	if message != "$expand: cannot stand beside $apply, whose groups refer to nothing; leave it out" {
		t.Error(message)
	}
	message = errorIn(t, inOData(t, client, "shelves", "/v1/shelves", "$expand", "books"), http.StatusBadRequest)
	if !strings.HasPrefix(message, "$expand: is for sets whose records refer to others") {
		t.Error(message)
	}
}

// accepting asks for the books as a program does that accepts a media type.
func accepting(t *testing.T, client *resourcetest.Client, asked, path, accept string, options ...string) resourcetest.Response {
	t.Helper()
	return client.Do(t, "GET", path+"?"+encoded(options), nil, odata.Header, odataRoot+asked, "Accept", accept)
}

func TestNumbersThatADoubleDoesNotHoldAreTextsWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	client, _ := serve(t)
	declareCustom(t, client, "height", "number")
	shelf := client.Create(t, "/v1/shelves", row{"name": "Rayon"})["id"].(string)
	id := client.Create(t, "/v1/books", row{"title": "Un", "shelf_id": shelf, "price": 12.5, "weight": 0.5, "pages": 30, "position": 2,
		"custom_fields": row{"height": 2.5}})["id"].(string)
	client.Create(t, "/v1/books", row{"title": "Deux", "sequel_to_id": id, "price": 0.1})
	const texts, numbers = "application/json;odata.metadata=minimal;IEEE754Compatible=true", "application/json;IEEE754Compatible=false"
	const contentType = "application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible="
	check := func(response resourcetest.Response, texts string, want ...string) {
		t.Helper()
		if response.Status != http.StatusOK || response.Header.Get("Content-Type") != contentType+texts+";charset=utf-8" {
			t.Errorf("%d %s %s", response.Status, response.Header.Get("Content-Type"), response.Body)
		}
		for _, part := range want {
			if !strings.Contains(string(response.Body), part) {
				t.Errorf("%s is not in %s", part, response.Body)
			}
		}
	}
	selected := []string{"$select", "price,weight,pages,position,version,custom_fields", "$count", "true",
		"$expand", "sequel_to($select=price,version,pages),shelf($select=version)"}
	check(accepting(t, client, "books", "/v1/books", texts, selected...), "true",
		`{"price":"12.50","weight":0.5,"pages":30,"position":"2","version":"1","custom_fields":{"height": 2.5},`+
			`"sequel_to":null,"shelf":{"version":"1"}}`,
		`{"price":"0.10","weight":null,"pages":null,"position":null,"version":"1","custom_fields":{},`+
			`"sequel_to":{"price":"12.50","version":"1","pages":30},"shelf":null}`,
		`"@odata.count":"2"`)
	plain := []string{`{"price":12.50,"weight":0.5,"pages":30,"position":2,"version":1,`,
		`"sequel_to":{"price":12.50,"version":1,"pages":30}`, `"@odata.count":2`}
	for _, accept := range []string{numbers, "application/json", "*/*", ""} {
		check(accepting(t, client, "books", "/v1/books", accept, selected...), "false", plain...)
	}
	check(accepting(t, client, "books", "/v1/books", texts, append(selected, "$format", "json")...), "false", plain...)
	check(accepting(t, client, "books", "/v1/books", "", append(selected, "$format", "application/json;IEEE754Compatible=true")...), "true",
		`"price":"12.50"`)
	check(accepting(t, client, "books("+id+")", "/v1/books/"+id, texts), "true", `"price":"12.50"`, `"version":"1"`)
	check(accepting(t, client, "books("+id+")/shelf", "/v1/books/"+id, texts), "true", `"version":"1"`)
	const groups = "groupby((pages,price),aggregate(price with sum as sum,weight with sum as weight,pages with max as longest," +
		"pages with average as mean,version with max as version,title with countdistinct as titles,$count as n))"
	check(accepting(t, client, "books", "/v1/books", texts, "$apply", groups, "$orderby", "price desc", "$count", "true"), "true",
		`"value":[{"longest":30,"mean":"30.0000000000000000","n":"1","pages":30,"price":"12.50","sum":"12.50","titles":"1",`+
			`"version":"1","weight":0.5},`,
		`"@odata.count":"2"`)
	check(accepting(t, client, "books", "/v1/books", numbers, "$apply", groups, "$orderby", "price desc"), "false",
		`"value":[{"longest":30,"mean":30.0000000000000000,"n":1,"pages":30,"price":12.50,"sum":12.50,"titles":1,"version":1,"weight":0.5},`)
}

func TestAFormOfODataThatThereIsNotIsRefused(t *testing.T) {
	t.Parallel()
	client, _ := serve(t)
	id := client.Create(t, "/v1/books", row{"title": "Un"})["id"].(string)
	const ofPowerBI = "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9," +
		"application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7"
	for _, test := range []struct{ accept, format, message string }{
		{accept: ofPowerBI},
		{accept: "application/json;odata.metadata=full, application/json;q=0.1"},
		{accept: "application/json;metadata=none;q=0.5,image/png"},
		{accept: "image/png", format: "json"}, // $format is in the place of the header
		{accept: "image/png", message: "Accept: must name application/json, which OData is written in; it names image/png"},
		{accept: "text/csv, application/x-ndjson", message: "it names text/csv, application/x-ndjson"},
		{accept: "application/json;q=0", message: "it names application/json"},
		{accept: "application/json;odata.metadata=full", message: "Accept: odata.metadata=full is not had; ask for minimal"},
		{accept: "application/json;IEEE754Compatible=yes", message: "Accept: IEEE754Compatible must be true"},
		{format: "application/json;odata.metadata=full", message: "$format: odata.metadata=full is not had; ask for minimal"},
		{format: "xml", message: "$format: must be json or application/json"},
		{format: "application/json;;=", message: "$format: must be json or application/json"},
	} {
		options := []string{}
		if test.format != "" {
			options = []string{"$format", test.format}
		}
		for asked, path := range map[string]string{"books": "/v1/books", "books(" + id + ")": "/v1/books/" + id} {
			response := accepting(t, client, asked, path, test.accept, options...)
			if test.message == "" {
				if response.Status != http.StatusOK || !slices.Contains(strings.Split(response.Header.Get("Vary"), ", "), "Accept") {
					t.Errorf("%v: %d %s, varies by %v", test, response.Status, response.Body, response.Header["Vary"])
				}
			} else if message := errorIn(t, response, http.StatusBadRequest); !strings.Contains(message, test.message) {
				t.Errorf("%v: %s", test, message)
			}
		}
	}
	for accept, status := range map[string]int{"text/plain": 200, "application/json": 200, "*/*": 200, "image/png": 400} {
		if response := accepting(t, client, "books/$count", "/v1/books", accept); response.Status != status {
			t.Errorf("a number for who accepts %s: %d %s", accept, response.Status, response.Body)
		}
	}
	bare := accepting(t, client, "books", "/v1/books", "application/json;odata.metadata=none", "$select", "title", "$count", "true")
	if string(bare.Body) != `{"value":[{"title":"Un"}],"@odata.count":1}` ||
		!strings.Contains(bare.Header.Get("Content-Type"), ";odata.metadata=none;") {
		t.Errorf("without metadata: %s %s", bare.Header.Get("Content-Type"), bare.Body)
	}
	one := accepting(t, client, "books("+id+")", "/v1/books/"+id, "application/json;odata.metadata=none", "$select", "title")
	if string(one.Body) != `{"title":"Un"}` {
		t.Errorf("one without metadata: %s", one.Body)
	}
	var failure struct{ Error struct{ Target string } }
	encodedTwice := client.Do(t, "GET", "/v1/books?$format=json&$format=json", nil, odata.Header, odataRoot+"books")
	if err := json.Unmarshal(encodedTwice.Body, &failure); err != nil || encodedTwice.Status != 400 || failure.Error.Target != "$format" {
		t.Errorf("twice: %d %s", encodedTwice.Status, encodedTwice.Body)
	}
}
