package odata_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/odata"
)

// lines are the rows of the report as a service writes them, without their numbers, which is how a stream gets them.
func lines(t *testing.T) []byte {
	t.Helper()
	var all []byte
	for _, row := range report() {
		delete(row, "row")
		line, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, line...), '\n')
	}
	return all
}

// The same options select the same rows of a stream, whatever pieces it comes in, as of a report that is there whole.
func TestAStreamHasTheRowsOfAReport(t *testing.T) {
	for _, options := range []string{
		"", "$top=0", "$top=2", "$skip=1&$top=2", "$skip=9", "$count=true&$top=1", "$filter=cost gt 9.95",
		"$filter=cost gt 9.95&$skip=1&$count=true", "$filter=key eq null or counts/assets ge 3&$select=row,cost", "$select=key",
	} {
		values, err := url.ParseQuery(options)
		if err != nil {
			t.Fatal(err)
		}
		asked := odata.From(http.Header{odata.Header: {"https://h/odata/v4/costs(fiscal_year=2025)"}})
		o, _, err := odata.Parse(values, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, total, _, err := odata.Rows(t.Context(), report(), names, o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := asked.Response(rows, o, total, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 7, 1 << 16} {
			stream, err := odata.NewStream(asked, names, o)
			if err != nil {
				t.Fatal(err)
			}
			var body bytes.Buffer
			err = stream.Respond(&body, func(w io.Writer) error {
				_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{bytes.NewReader(lines(t))}, make([]byte, size))
				return err
			})
			if err != nil || !sameJSON(t, body.Bytes(), want) {
				t.Errorf("%s in pieces of %d: %v\n%s, want\n%s", options, size, err, body.Bytes(), want)
			}
		}
	}
}

// A list is never null in OData: what a service has as null is shown empty, also within an object.
func TestListsOfAStreamAreNeverNull(t *testing.T) {
	list := &huma.Schema{Type: huma.TypeArray, Nullable: true}
	row := &huma.Schema{Properties: map[string]*huma.Schema{"tags": list, "key": {Type: huma.TypeString, Nullable: true},
		"parts": {Type: huma.TypeArray, Items: &huma.Schema{Properties: map[string]*huma.Schema{"ids": list}}}}}
	stream, err := odata.NewStream(odata.From(http.Header{odata.Header: {"https://h/odata/v4/costs"}}), []string{"row", "tags", "key", "parts"},
		&odata.Options{Top: -1})
	if err != nil || !odata.LacksLists(row) || odata.LacksLists(row.Properties["key"]) {
		t.Fatal(err)
	}
	stream.Filled = row
	var body bytes.Buffer
	err = stream.Respond(&body, func(w io.Writer) error {
		_, err := io.WriteString(w, `{"tags":null,"key":null,"cost":1.10,"parts":[{"ids":null},{"ids":["a"]},{}]}`+"\n")
		return err
	})
	if want := `"value":[{"cost":1.10,"key":null,"parts":[{"ids":[]},{"ids":["a"]},{}],"row":1,"tags":[]}]}`; err != nil ||
		!strings.HasSuffix(body.String(), want) {
		t.Errorf("the rows are %s, %v, want %s", body.Bytes(), err, want)
	}
}

// Numbers of a stream are texts where that is asked for, once the filter has compared them.
func TestNumbersOfAStreamAreTextsWhereThatIsAskedFor(t *testing.T) {
	money := &huma.Schema{Type: huma.TypeNumber, Extensions: map[string]any{"x-decimals": 2}}
	small := 100.0
	row := &huma.Schema{Properties: map[string]*huma.Schema{"cost": money, "share": {Type: huma.TypeNumber}, "whole": {Type: huma.TypeInteger},
		"percent": {Type: huma.TypeInteger, Maximum: &small},
		"years":   {Type: huma.TypeArray, Items: &huma.Schema{Properties: map[string]*huma.Schema{"cost": money}}}}}
	o, _, err := odata.Parse(url.Values{"$filter": {"cost gt 9"}}, http.Header{"Accept": {"application/json;IEEE754Compatible=true"}})
	if err != nil || !o.TextNumbers || !odata.HasTextNumbers(row) {
		t.Fatal(err)
	}
	stream, err := odata.NewStream(odata.From(http.Header{odata.Header: {"https://h/odata/v4/costs"}}), []string{"row", "cost"}, o)
	if err != nil {
		t.Fatal(err)
	}
	stream.Texts = row
	var body bytes.Buffer
	err = stream.Respond(&body, func(w io.Writer) error {
		_, err := io.WriteString(w, `{"cost":1.10}`+"\n"+
			`{"cost":9.10,"share":0.5,"whole":3,"percent":7,"years":[{"cost":1.00},{"cost":null}]}`+"\n")
		return err
	})
	want := `"value":[{"cost":"9.10","percent":7,"row":2,"share":0.5,"whole":"3","years":[{"cost":"1.00"},{"cost":null}]}]}`
	if err != nil || !strings.HasSuffix(body.String(), want) {
		t.Errorf("the rows are %s, %v, want %s", body.Bytes(), err, want)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var left, right any
	if err := errors.Join(json.Unmarshal(a, &left), json.Unmarshal(b, &right)); err != nil {
		t.Errorf("%v: %s", err, a)
	}
	return reflect.DeepEqual(left, right)
}

func TestAStreamEndsWithWhatIsAskedForOrAsItsReportDoes(t *testing.T) {
	asked := odata.From(http.Header{odata.Header: {"https://h/odata/v4/costs"}})
	stream, err := odata.NewStream(asked, names, &odata.Options{Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	if err := stream.Respond(io.Discard, func(w io.Writer) error {
		for range 1000 {
			if _, err := w.Write(lines(t)); err != nil {
				return err
			}
			written++
		}
		return nil
	}); err != nil || written != 0 {
		t.Errorf("the first row of 4,000 was asked for, and %d times 4 were read: %v", written, err)
	}
	broken := errors.New("the database is away")
	if stream, err = odata.NewStream(asked, names, &odata.Options{Top: -1}); err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	err = stream.Respond(&body, func(w io.Writer) error {
		_, err := w.Write(lines(t))
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) || json.Valid(body.Bytes()) {
		t.Errorf("a report that broke off: %v, and looks whole: %s", err, body.Bytes())
	}
}

func TestWhatAStreamCannotBeAskedIsRefusedByName(t *testing.T) {
	for option, value := range map[string]string{"$orderby": "cost", "$skiptoken": "4", "$apply": "groupby((key))", "$filter": "coast gt 1",
		"$select": "coast"} {
		o, _, err := odata.Parse(url.Values{option: {value}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := odata.NewStream(nil, names, o); err == nil || !strings.Contains(fmt.Sprintf("%+v", err), option) {
			t.Errorf("%s=%s: %v", option, value, err)
		}
	}
}
