package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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

// reportRows answers a request in OData for the rows of a report. It reads all its pages, as large as they can be (perPage, "" of one without), so
// that all rows are filtered and sorted.
func reportRows(ctx context.Context, asked *odata.Asked, r *Request, row *huma.Schema, perPage string, report func() (any, error)) (*Response, error) {
	query := r.Query
	o, own, err := odata.Parse(query, r.Header["Prefer"])
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
	rows, err := allRows(r, own, report)
	if err != nil {
		return nil, err
	}
	for _, each := range rows {
		odata.FillLists(each, row)
	}
	shown, total, behind, err := odata.Rows(ctx, rows, namesIn(row), o)
	if err != nil {
		return nil, err
	}
	if asked.Count {
		return CountOf(total), nil
	}
	next := ""
	if behind {
		next = asked.Next(query, o, strconv.FormatInt(o.Skip+int64(len(shown)), 10), len(shown))
	}
	body, err := asked.Response(shown, o, total, next)
	return &Response{Status: http.StatusOK, Body: body, ContentType: odata.ContentType}, err
}

// streamedRows answers a request in OData for the rows of a report that is a stream, which do gives as lines.
func streamedRows(ctx context.Context, asked *odata.Asked, r *Request, row *huma.Schema, do func(ctx context.Context, accept []string) (*Response, error)) (*Response, error) {
	o, own, err := odata.Parse(r.Query, nil)
	if err != nil {
		return nil, err
	}
	rows, err := odata.NewStream(asked, namesIn(row), o)
	if err != nil {
		return nil, err
	}
	if odata.LacksLists(row) {
		rows.Filled = row
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
	if asked.Count {
		err := write(ctx, rows)
		return CountOf(rows.Total), err
	}
	response := &Response{ContentType: odata.ContentType}
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

// allRows gives the rows of all pages of a report.
func allRows(r *Request, own url.Values, report func() (any, error)) (rows []odata.Row, err error) {
	err = eachPage(r, own, report, func(output any) error {
		more, err := rowsOf(output)
		for _, row := range more {
			rows = append(rows, row)
			row[odata.RowNumber] = json.Number(strconv.Itoa(len(rows)))
		}
		return cmp.Or(err, checkWhole(len(rows)))
	})
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
