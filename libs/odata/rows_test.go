package odata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ams.internal/libs/odata"
)

var names = []string{"row", "key", "cost", "on", "counts", "tags"}

func report() []odata.Row {
	return []odata.Row{
		{"row": json.Number("1"), "key": "arena", "cost": json.Number("10.10"), "on": "2026-01-31",
			"counts": odata.Row{"assets": json.Number("3")}, "tags": []any{"ice"}},
		{"row": json.Number("2"), "key": "Été", "cost": json.Number("9.9"), "on": "2025-12-31T10:00:00Z", "counts": odata.Row{}, "tags": []any{}},
		{"row": json.Number("3"), "key": nil, "cost": nil, "on": nil, "counts": nil, "tags": nil},
		{"row": json.Number("4"), "key": "depot", "cost": json.Number("100"), "on": "2026-02-01", "counts": odata.Row{"assets": json.Number("1")},
			"tags": []any{"ice", "snow"}},
	}
}

func rowsOf(t *testing.T, options ...string) []int {
	t.Helper()
	return rowsIn(t, report(), options...)
}

// rowsIn are the numbers of the rows of a report that options show.
func rowsIn(t *testing.T, report []odata.Row, options ...string) []int {
	t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(options); i += 2 {
		values.Set(options[i], options[i+1])
	}
	o, _, err := odata.Parse(values, nil)
	if err != nil {
		t.Fatalf("%v: %v", options, err)
	}
	rows, _, _, err := odata.Rows(t.Context(), report, names, o)
	if err != nil {
		t.Fatalf("%v: %v", options, err)
	}
	found := []int{}
	for _, row := range rows {
		var n int
		if _, err := fmt.Sscan(fmt.Sprint(row["row"]), &n); err != nil {
			t.Fatal(err)
		}
		found = append(found, n)
	}
	return found
}

func TestRowsOfAReportAreFilteredSortedAndCut(t *testing.T) {
	for _, test := range []struct {
		options []string
		want    []int
	}{
		{[]string{"$filter", "cost gt 9.95"}, []int{1, 4}},
		{[]string{"$filter", "cost eq 10.1"}, []int{1}},
		{[]string{"$filter", "not (cost gt 9.95)"}, []int{2, 3}},
		{[]string{"$filter", "not contains(key,'a')"}, []int{2, 4}},
		{[]string{"$filter", "not (contains(key,'a') and cost gt 1000)"}, []int{1, 2, 3, 4}},
		{[]string{"$filter", "not (startswith(key,'zoo') or cost gt 1000)"}, []int{1, 2, 4}},
		{[]string{"$filter", "not (endswith(key,'a') eq true)"}, []int{2, 3, 4}},
		{[]string{"$filter", "contains(key,'a') eq false"}, []int{2, 4}},
		{[]string{"$filter", "not not contains(tolower(key),'É')"}, []int{}},
		{[]string{"$filter", "counts/assets ge 3 or key eq null"}, []int{1, 3}},
		{[]string{"$filter", "tags/any(x:x eq 'ice') and year(on) eq 2026"}, []int{1, 4}},
		{[]string{"$filter", "tolower(key) eq 'été'"}, []int{2}},
		{[]string{"$filter", "date(on) in ('2025-12-31')"}, []int{2}},
		{[]string{"$filter", "month(on) eq 1 and day(on) eq 31 and length(key) eq 5"}, []int{1}},
		{[]string{"$orderby", "cost desc"}, []int{4, 1, 2, 3}},
		{[]string{"$orderby", "key,row desc"}, []int{1, 4, 2, 3}},
		{[]string{"$orderby", "cost", "$skip", "1", "$top", "2"}, []int{1, 4}},
		{[]string{"$skip", "9"}, []int{}},
	} {
		if got := rowsOf(t, test.options...); !slices.Equal(got, test.want) {
			t.Errorf("%v: rows %v, want %v", test.options, got, test.want)
		}
	}
}

// Times are compared as moments, not as texts: of which 10:00:00Z comes behind 10:00:00.5Z.
func TestTimesOfAReportAreMoments(t *testing.T) {
	var report []odata.Row
	for i, on := range []any{"2026-01-31T10:00:00Z", "2026-01-31T10:00:00.5Z", "2026-01-31T10:00:00.25Z", "2026-01-31T23:30:00-05:00", nil} {
		report = append(report, odata.Row{"row": json.Number(strconv.Itoa(i + 1)), "on": on})
	}
	for _, test := range []struct {
		option, value string
		want          []int
	}{
		{"$filter", "on eq 2026-01-31T11:00:00+01:00", []int{1}},
		{"$filter", "on eq 2026-01-31T10:00Z", []int{1}},
		{"$filter", "on in (2026-01-31T10:00:00.500Z, 2026-02-01T04:30:00Z)", []int{2, 4}},
		{"$filter", "on gt 2026-01-31T10:00:00.3Z", []int{2, 4}},
		{"$filter", "on le 2026-01-31T10:00:00.25Z", []int{1, 3}},
		{"$filter", "on ge 2026-02-01", []int{4}},
		{"$filter", "date(on) eq 2026-02-01 and day(on) eq 1", []int{4}},
		{"$orderby", "on", []int{1, 3, 2, 4, 5}},
	} {
		if got := rowsIn(t, report, test.option, test.value); !slices.Equal(got, test.want) {
			t.Errorf("%s=%s: rows %v, want %v", test.option, test.value, got, test.want)
		}
	}
}

// A filter over many rows ends with the request.
func TestNothingIsCalculatedForACallerWhoHasLeft(t *testing.T) {
	o, _, err := odata.Parse(url.Values{"$filter": {"cost gt 1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if rows, _, _, err := odata.Rows(ctx, report(), names, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for _, number := range []string{"1e401", "1e-401", "-1E+999999", "1e99999999999999999999"} {
		if _, _, err := odata.Parse(url.Values{"$filter": {"cost gt " + number}}, nil); err == nil ||
			!strings.Contains(fmt.Sprintf("%+v", err), "$filter") {
			t.Errorf("%s is calculated with: %v", number, err)
		}
	}
}

func TestContextAndLinksAreThoseOfWhatWasAsked(t *testing.T) {
	for asked, want := range map[string]string{
		"assets":              "https://h/odata/v4/$metadata#assets",
		"assets(1)":           "https://h/odata/v4/$metadata#assets/$entity",
		"assets(1)/site":      "https://h/odata/v4/$metadata#assets/$entity",
		"los_scorecard(id=1)": "https://h/odata/v4/$metadata#Collection(AMS.LosScorecard)",
	} {
		a := odata.From(http.Header{odata.Header: {"https://h/odata/v4/" + asked}})
		if got := a.Context(nil); got != want {
			t.Errorf("the context of %s is %s, want %s", asked, got, want)
		}
	}
	site := odata.From(http.Header{odata.Header: {"https://h/odata/v4/assets(1)/site?region=x"}})
	if got := site.To("sites").Context(nil); site.Navigation != "site" || got != "https://h/odata/v4/$metadata#sites/$entity" {
		t.Errorf("the context of what %q leads to is %s", site.Navigation, got)
	}
	if odata.From(http.Header{}) != nil {
		t.Error("a request without the header is one in OData")
	}
	a := odata.From(http.Header{odata.Header: {"https://h/odata/v4/assets?forceFunctionRegion=x"}})
	next := a.Next(url.Values{"$top": {"5"}, "$skip": {"2"}, "$filter": {"a eq 1"}}, &odata.Options{Top: 5}, "token", 3)
	if want := "https://h/odata/v4/assets?%24filter=a+eq+1&%24skiptoken=token&%24top=2&forceFunctionRegion=x"; next != want {
		t.Errorf("the next page is %s, want %s", next, want)
	}
}

// What a stranger writes must not bring the service down, however it is nested.
func FuzzAnOptionIsReadOrRefused(f *testing.F) {
	for _, text := range []string{"a eq 'x' and not (b gt 3)", "tags/any(t:t eq 'x')", "groupby((a),aggregate($count as n))", "a in (1,2)",
		"((((", "'", "filter(a)/", "a($select=b;c),d", "a(,", "json;="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, option := range []string{"$filter", "$orderby", "$select", "$apply", "$expand", "$format"} {
			o, _, err := odata.Parse(url.Values{option: {text}}, nil)
			if err == nil && option == "$filter" {
				if _, _, _, err := odata.Rows(t.Context(), report(), names, o); err == nil && o.Filter == nil {
					t.Errorf("%q is no filter", text)
				}
			}
		}
	})
}
