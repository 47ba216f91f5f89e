package transport_test

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ams.internal/libs/odata"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// counted is a report of the numbers from 1 to 7, which goes on behind the last that its page has, and of what they come to.
type counted struct {
	Total int      `json:"total"`
	Data  []number `json:"data"`
}

type number struct {
	Number  int   `json:"number"`
	Factors []int `json:"factors"` // null where nobody has looked for them
}

const last = 7

// Table has the total in its last row.
func (c counted) Table() transport.Table {
	return transport.TableOf(append(slices.Clone(c.Data), number{Number: c.Total}))
}

func (c counted) Pages() transport.Pages {
	if n := c.Data[len(c.Data)-1].Number; n < last {
		return transport.Pages{Cursor: strconv.Itoa(n), By: "after"}
	}
	return transport.Pages{}
}

type countedQuery struct {
	After   int `query:"after" default:"0"`
	PerPage int `query:"per_page" default:"2" minimum:"1" maximum:"3"`
}

func count(_ context.Context, in countedQuery) (c counted, err error) {
	c.Total = 28
	for n := in.After + 1; n <= min(in.After+in.PerPage, last); n++ {
		c.Data = append(c.Data, number{Number: n})
	}
	return c, nil
}

func newAPI(t *testing.T) (*transport.API, func() *resourcetest.Client) {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.NewJSONHandler(io.Discard, nil)))
	api.Component("Error", map[string]any{"type": "object", "required": []string{"error", "code"}})
	return api, func() *resourcetest.Client { return resourcetest.NewClient(api.Handler(), signer) }
}

func TestAReportInODataHasTheRowsOfAllPages(t *testing.T) {
	t.Parallel()
	api, client := newAPI(t)
	transport.Get(api, transport.Operation{Path: "/v1/numbers", ID: "list_numbers", Scope: "numbers:read"}, count)
	for _, test := range []struct{ asked, options, want string }{
		{"numbers/$count", "", "7"},
		{"numbers/$count", "?after=2", "5"},
		{"numbers", "?$count=true&$filter=number gt 6", `"value":[{"factors":[],"number":7,"row":7}],"@odata.count":1}`},
	} {
		answer := client().Must(t, 200, "GET", "/v1/numbers"+strings.ReplaceAll(test.options, " ", "%20"), nil, odata.Header, "https://h/odata/v4/"+test.asked)
		if !strings.HasSuffix(string(answer.Body), test.want) {
			t.Errorf("%s%s is %s, want %s", test.asked, test.options, answer.Body, test.want)
		}
	}
}

// What a report in OData is written as follows from what its caller accepts: numbers that a double does not hold exactly are texts, or
// not. The document declares no decimals within the rows of a report, so that amounts in them are doubles in $metadata too.
func TestNumbersOfAReportInODataAreTextsWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	api, client := newAPI(t)
	transport.Get(api, transport.Operation{Path: "/v1/prices", ID: "list_prices", Scope: "numbers:read"},
		func(context.Context, struct{}) (prices, error) {
			share := 0.5
			return prices{[]price{{nil, 1234.5, &share, -3, "2026-11-29"}, {nil, 2, nil, 4, "2026-11-30"}}}, nil
		})
	for accept, want := range map[string]string{
		"application/json;IEEE754Compatible=true": `"value":[{"count":"4","name":null,"on":"2026-11-30","price":2,"row":2,"share":null},` +
			`{"count":"-3","name":null,"on":"2026-11-29","price":1234.5,"row":1,"share":0.5}],"@odata.count":"2"}`,
		"application/json": `"value":[{"count":4,"name":null,"on":"2026-11-30","price":2,"row":2,"share":null},` +
			`{"count":-3,"name":null,"on":"2026-11-29","price":1234.5,"row":1,"share":0.5}],"@odata.count":2}`,
	} {
		got := client().Must(t, 200, "GET", "/v1/prices?$count=true&$orderby=on%20desc&$filter=price%20gt%201", nil,
			odata.Header, "https://h/odata/v4/prices", "Accept", accept)
		compatible := strings.Contains(got.Header.Get("Content-Type"), ";IEEE754Compatible=true;")
		if !strings.HasSuffix(string(got.Body), want) || compatible != strings.HasSuffix(accept, "true") {
			t.Errorf("%s is %s: %s, want %s", accept, got.Header.Get("Content-Type"), got.Body, want)
		}
	}
	for query, want := range map[string]string{"$expand=name": "$expand: is for the sets of records", "$format=xml": "$format: must be json"} {
		got := client().Do(t, "GET", "/v1/prices?"+query, nil, odata.Header, "https://h/odata/v4/prices")
		if got.Status != 400 || !strings.Contains(string(got.Body), want) {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
	}
}

// A table is the whole report, whose pages nobody sees; who asks for a page has that one, and what is around it.
func TestATableHasTheRowsOfAllPages(t *testing.T) {
	t.Parallel()
	api, client := newAPI(t)
	transport.Get(api, transport.Operation{Path: "/v1/numbers", ID: "list_numbers", Scope: "numbers:read"}, count)
	for _, test := range []struct{ query, want, link string }{
		{"", "number,factors\n1,null\n2,null\n3,null\n4,null\n5,null\n6,null\n7,null\n28,null\n", ""},
		{"?after=5", "number,factors\n6,null\n7,null\n28,null\n", ""},
		{"?per_page=2&after=2", "number,factors\n3,null\n4,null\n28,null\n", `</v1/numbers?after=4&per_page=2>; rel="next"`},
		{"?per_page=3&after=4", "number,factors\n5,null\n6,null\n7,null\n28,null\n", ""},
	} {
		answer := client().Must(t, 200, "GET", "/v1/numbers"+test.query, nil, "Accept", "text/csv")
		if string(answer.Body) != test.want || answer.Header.Get("Link") != test.link {
			t.Errorf("%s is %q, with %q", test.query, answer.Body, answer.Header["Link"])
		}
	}
	parquet := func(query string) int {
		return len(client().Must(t, 200, "GET", "/v1/numbers"+query, nil, "Accept", transport.Parquet).Body)
	}
	if whole, page := parquet(""), parquet("?per_page=3"); whole <= page {
		t.Errorf("in Parquet the whole has %d bytes, a page %d", whole, page)
	}
}

// endless is a report that has more rows behind every page.
type endless struct {
	Data []number `json:"data"`
}

func (e endless) Table() transport.Table { return transport.TableOf(e.Data) }
func (endless) Pages() transport.Pages   { return transport.Pages{Cursor: "next"} }

type endlessQuery struct {
	Cursor  string `query:"cursor"`
	PerPage int    `query:"per_page" default:"2" minimum:"1" maximum:"1000"`
}

// What is had whole is held in memory, so there is an end to it.
func TestAReportOfTooManyRowsIsHadInPages(t *testing.T) {
	t.Parallel()
	api, client := newAPI(t)
	transport.Get(api, transport.Operation{Path: "/v1/numbers", ID: "list_numbers",
		Scope: "numbers:read"}, func(_ context.Context, in endlessQuery) (endless, error) {
		return endless{make([]number, in.PerPage)}, nil
	})
	inOData := []string{odata.Header, "https://h/odata/v4/numbers"}
	for _, test := range []struct {
		query, named string
		header       []string
	}{
		{"", "per_page", []string{"Accept", "text/csv"}}, {"?$filter=number%20eq%200", "$filter", inOData},
		{"?$orderby=number", "$orderby", inOData}, {"?$count=true", "$count", inOData}, {"", "$count", []string{odata.Header, "https://h/odata/v4/numbers/$count"}},
	} {
		answer := client().Do(t, "GET", "/v1/numbers"+test.query, nil, test.header...)
		if answer.Status != 400 || !strings.Contains(string(answer.Body), test.named+": ") ||
			!strings.Contains(string(answer.Body), "more than 50000 rows") {
			t.Errorf("%s: %d %.300s", test.query, answer.Status, answer.Body)
		}
	}
	client().Must(t, 200, "GET", "/v1/numbers?per_page=1000", nil, "Accept", "text/csv")
	answer := client().Must(t, 200, "GET", "/v1/numbers?$skip=70000&$top=2", nil, inOData...)
	if want := `"value":[{"factors":[],"number":0,"row":70001},{"factors":[],"number":0,` +
		`"row":70002}]}`; !strings.HasSuffix(string(answer.Body), want) {
		t.Errorf("as they come: %.300s", answer.Body)
	}
	if answer := client().Must(t, 200, "GET", "/v1/numbers?$skip=70000", nil,
		inOData...); !strings.Contains(string(answer.Body), "skiptoken=71000") {
		t.Errorf("it goes on with %s", answer.Body[max(0, len(answer.Body)-200):])
	}
}

// A page of a report that does not say what comes behind it would be taken for the whole.
func TestAReportInPagesThatCannotBeContinuedIsNotMounted(t *testing.T) {
	t.Parallel()
	api, _ := newAPI(t)
	defer func() {
		if problem, _ := recover().(string); !strings.Contains(problem, "/v1/numbers is a table in pages") {
			t.Errorf("it is mounted, or refused by %q", problem)
		}
	}()
	type one struct{ transport.Tabular }
	transport.Get(api, transport.Operation{Path: "/v1/numbers", ID: "list_numbers", Scope: "numbers:read"},
		func(context.Context, countedQuery) (one, error) { return one{}, nil })
}

func TestNobodyGetsAFormThatHeDidNotAskFor(t *testing.T) {
	t.Parallel()
	api, client := newAPI(t)
	transport.Get(api, transport.Operation{Path: "/v1/numbers", ID: "list_numbers", Scope: "numbers:read"}, count)
	for accept, status := range map[string]int{
		"application/json": 200, "*/*": 200, "application/*;q=0.1": 200, "application/problem+json": 200, "text/csv": 200,
		"TEXT/CSV; header=present": 200, "image/png, */*;q=0.1": 200,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": 200, "application/json;odata.metadata=minimal": 200,
		"image/png": 400, "application/geo+json": 400, "text/html": 400, "text/csv;q=0": 400, "text/*": 400, "image/png, application/pdf": 400,
	} {
		client().Must(t, status, "GET", "/v1/numbers", nil, "Accept", accept)
	}
	refused := client().Must(t, 400, "GET", "/v1/numbers", nil, "Accept", "image/png").JSON["fields"].([]any)[0].(map[string]any)
	if want := "must name one of application/json, text/csv, application/vnd.apache.parquet, which this path has; it names " +
		"image/png"; refused["field"] != "Accept" || refused["message"] != want {
		t.Errorf("%v", refused)
	}
}

// prices is a report that a spreadsheet program could take for something else.
type prices struct {
	Data []price `json:"data"`
}

type price struct {
	Name  *string  `json:"name"`
	Price float64  `json:"price" decimals:"2"`
	Share *float64 `json:"share"`
	Count int      `json:"count"`
	On    string   `json:"on" format:"date"`
}

func (p prices) Table() transport.Table { return transport.TableOf(p.Data) }

func TestATableForExcelIsOneInTheCallersLanguage(t *testing.T) {
	t.Parallel()
	api, client := newAPI(t)
	transport.Get(api, transport.Operation{Path: "/v1/prices", ID: "list_prices", Scope: "numbers:read"},
		func(context.Context, struct{}) (prices, error) {
			formula, quoted, share := "=1+1", "'-x; \"y\"", 0.5
			return prices{[]price{{&formula, 1234.5, &share, -3, "2026-11-29"}, {&quoted, -1, nil, 0, "2026-01-02"}}}, nil
		})
	for _, test := range []struct{ query, language, want string }{
		{"", "fr", "name,price,share,count,on\n=1+1,1234.5,0.5,-3,2026-11-29\n\"'-x; \"\"y\"\"\",-1,,0,2026-01-02\n"},
		{"?csv=excel", "en-CA", "\ufeffname,price,share,count,on\r\n'=1+1,1234.5,0.5,-3,2026-11-29\r\n\"''-x; \"\"y\"\"\",-1,,0,2026-01-02\r\n"},
		{"?csv=excel", "fr-CA", "\ufeffname;price;share;count;on\r\n'=1+1;1234,5;0,5;-3;2026-11-29\r\n\"''-x; \"\"y\"\"\";-1;;0;2026-01-02\r\n"},
	} {
		if got := client().Must(t, 200, "GET", "/v1/prices"+test.query, nil, "Accept", "text/csv", "Accept-Language",
			test.language); string(got.Body) != test.want {
			t.Errorf("%s in %s is %q, want %q", test.query, test.language, got.Body, test.want)
		}
	}
	client().Must(t, 400, "GET", "/v1/prices?csv=excel", nil)
	client().Must(t, 400, "GET", "/v1/prices?csv=excel", nil, "Accept", transport.Parquet)
	client().Must(t, 400, "GET", "/v1/prices?csv=word", nil, "Accept", "text/csv")
}
