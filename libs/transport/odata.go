package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/fault"
	"ams.internal/libs/odata"
)

// rowIn describes the rows of a report: those of data where it has that list, else itself, since it is one row.
func rowIn(response any) *huma.Schema {
	described, ok := response.(*huma.Schema)
	if !ok {
		return &huma.Schema{}
	}
	if data := described.Properties["data"]; data != nil && data.Items != nil {
		return data.Items
	}
	return described
}

// namesIn are those of the members of rows.
func namesIn(row *huma.Schema) []string {
	return append([]string{odata.RowNumber}, slices.Sorted(maps.Keys(row.Properties))...)
}

// reportRows answers a request in OData for the rows of a report. It reads all its pages, as large as they can be (perPage, "" of one
// without), so that all rows are filtered, sorted and counted. Where nothing of this is asked for, it reads to the last row that is
// shown, and holds no others.
func reportRows(ctx context.Context, request *odata.Request, r *Request, row *huma.Schema, perPage string,
	report func() (any, error)) (*Response, error) {
	query := r.Query
	o, own, err := odata.Parse(query, r.Header)
	if err != nil {
		return nil, err
	}
	if o.Token != "" {
		if o.Skip, err = strconv.ParseInt(o.Token, 10, 64); err != nil || o.Skip < 0 {
			return nil, odata.ErrToken
		}
	}
	for _, name := range []string{"page", "per_page"} {
		if own.Has(name) {
			return nil, fault.InvalidFields(fault.Field{Field: name, Message: "is for pages of the API; in OData use $top and $skip"})
		}
	}
	if perPage != "" {
		own.Set("per_page", perPage)
	}
	whole := needsWhole(request, o)
	before, limit := int64(0), maxWholeRows+1
	if whole == "" {
		before, limit = o.Skip, o.PageSize+1
		o.Skip = 0
	}
	rows, err := rowsBehind(r, own, report, before, limit)
	if err != nil {
		return nil, err
	}
	if whole != "" && len(rows) > maxWholeRows {
		return nil, fault.InvalidFields(fault.Field{Field: whole,
			Message: fmt.Sprintf("cannot be had of a report with more than %d rows, which are held in memory for it: "+
				"read them as they come, without $filter, $orderby and $count, or as CSV or Parquet from the API", maxWholeRows)})
	}
	for _, each := range rows {
		odata.FillLists(each, row)
	}
	shown, total, behind, err := odata.Rows(ctx, rows, namesIn(row), o)
	if err != nil {
		return nil, err
	}
	if request.Count {
		return CountOf(total), nil
	}
	next := ""
	if behind {
		next = request.Next(query, o, strconv.FormatInt(before+o.Skip+int64(len(shown)), 10), len(shown))
	}
	if o.TextNumbers {
		for _, each := range shown {
			odata.TextNumbers(each, row)
		}
	}
	body, err := request.Response(shown, o, total, next)
	return &Response{Status: http.StatusOK, Body: body, ContentType: o.ContentType()}, err
}

// needsWhole names the option for which all rows of a report must be there; it is empty where they can be shown as they come.
func needsWhole(request *odata.Request, o *odata.Options) string {
	switch {
	case o.Filter != nil:
		return "$filter"
	case o.OrderBy != nil:
		return "$orderby"
	case o.Count || request.Count:
		return "$count"
	}
	return ""
}

// streamedRows answers a request in OData for the rows of a report that is a stream, which do gives as lines.
func streamedRows(ctx context.Context, request *odata.Request, r *Request, row *huma.Schema,
	do func(ctx context.Context, accept []string) (*Response, error)) (*Response, error) {
	o, own, err := odata.Parse(r.Query, r.Header)
	if err != nil {
		return nil, err
	}
	rows, err := odata.NewStream(request, namesIn(row), o)
	if err != nil {
		return nil, err
	}
	if odata.LacksLists(row) {
		rows.Filled = row
	}
	if o.TextNumbers && odata.HasTextNumbers(row) {
		rows.Texts = row
	}
	r.Query = own
	lines, err := do(ctx, []string{NDJSON})
	if err != nil {
		return nil, err
	}
	write := lines.Stream
	if lines.Spooled != nil {
		defer lines.Spooled.Close()
		write = func(_ context.Context, w io.Writer) error {
			_, err := io.Copy(w, lines.Spooled)
			return err
		}
	}
	if request.Count {
		err := write(ctx, rows)
		return CountOf(rows.Total), err
	}
	response := &Response{ContentType: o.ContentType()}
	respond := func(ctx context.Context, w io.Writer) error {
		return rows.Respond(w, func(w io.Writer) error { return write(ctx, w) })
	}
	if lines.Spooled != nil { // so is the response: nothing of it begins before all is there
		return response.spool(ctx, func(w io.Writer) error { return respond(ctx, w) })
	}
	response.Stream = respond
	return response, nil
}

// CountOf answers a request for the number of records alone.
func CountOf(total int64) *Response {
	return &Response{Body: strconv.AppendInt(nil, total, 10), ContentType: "text/plain;charset=utf-8"}
}

// errEnough ends the reading of pages.
var errEnough = errors.New("these rows are enough")

// rowsBehind gives the rows of a report behind the first ones: as many as are wanted or those of some pages more.
func rowsBehind(r *Request, own url.Values, report func() (any, error), before int64, wanted int) (rows []odata.Row, err error) {
	number := int64(0)
	err = eachPage(r, own, report, func(output any) error {
		more, err := rowsOf(output)
		for _, row := range more {
			if number++; number > before {
				row[odata.RowNumber] = json.Number(strconv.FormatInt(number, 10))
				rows = append(rows, row)
			}
		}
		if err == nil && len(rows) >= wanted {
			return errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return rows, err
}

func rowsOf(output any) ([]odata.Row, error) {
	encoded, err := json.Marshal(output)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var whole odata.Row
	if err := decoder.Decode(&whole); err != nil {
		return nil, err
	}
	list, isList := whole["data"].([]any)
	if !isList {
		return []odata.Row{whole}, nil
	}
	var rows []odata.Row
	for _, entry := range list {
		if row, ok := entry.(odata.Row); ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}
