package transport

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"path"
	"reflect"
	"strconv"

	"ams.internal/libs/fault"
)

// largestPage is what per_page may be at most; "" where there is no such parameter.
func (b *binding) largestPage() string {
	f := b.query.Field("per_page")
	if f == nil || f.JSON.Maximum == nil {
		return ""
	}
	return strconv.Itoa(int(*f.JSON.Maximum))
}

// maxWholeRows is how many rows of a report in pages are had together: they are held in memory until the last is read.
const maxWholeRows = 50_000

// checkWhole refuses a report with more rows than are had together.
func checkWhole(rows int) error {
	if rows <= maxWholeRows {
		return nil
	}
	return fault.InvalidFields(fault.Field{Field: "per_page", Message: fmt.Sprintf("must be given, for the report has more than %d rows: "+
		"Link leads from page to page", maxWholeRows)})
}

// rowsField is what the rows of a report in pages are in.
const rowsField = "Data"

// checkPages panics for a report with pages that do not say what comes behind them, or have no rows: nobody could have it whole.
func (b *binding) checkPages(op *Operation, out reflect.Type) {
	if b.largestPage() == "" {
		return
	}
	if rows, has := out.FieldByName(rowsField); !out.Implements(reflect.TypeFor[Paged]()) || !has || rows.Type.Kind() != reflect.Slice {
		panic("transport: " + op.Path + " is a table in pages, and " + out.Name() + " is not Paged with a list " + rowsField)
	}
}

// table answers a request for the table of a report: of the page that is asked for, else of all pages.
func (b *binding) table(ctx context.Context, op *Operation, r *Request, mediaType string, report func() (any, error)) (*Response, error) {
	perPage := b.largestPage()
	if perPage == "" || r.Query.Has("page") || r.Query.Has("per_page") {
		output, err := report()
		if err != nil {
			return nil, err
		}
		response, err := output.(Tabular).Table().as(ctx, op.Status, mediaType, path.Base(op.Path))
		if page, ok := output.(Paged); ok && err == nil {
			response.SetHeader("Link", page.Pages().Links(r))
		}
		return response, err
	}
	own := maps.Clone(r.Query)
	own.Set("per_page", perPage)
	var whole reflect.Value // the first page, with the rows of all
	err := eachPage(r, own, report, func(output any) error {
		if !whole.IsValid() {
			whole = reflect.New(reflect.TypeOf(output)).Elem()
			whole.Set(reflect.ValueOf(output))
			return nil
		}
		rows := whole.FieldByName(rowsField)
		rows.Set(reflect.AppendSlice(rows, reflect.ValueOf(output).FieldByName(rowsField)))
		return checkWhole(rows.Len())
	})
	if err != nil {
		return nil, err
	}
	return whole.Interface().(Tabular).Table().as(ctx, op.Status, mediaType, path.Base(op.Path))
}

// eachPage carries out a report with parameters of its own, page by page to the last, and gives each.
func eachPage(r *Request, own url.Values, report func() (any, error), do func(output any) error) error {
	for page := int64(1); ; page++ {
		r.Query = own
		output, err := report()
		if err != nil {
			return err
		}
		if err := do(output); err != nil {
			return err
		}
		paged, ok := output.(Paged)
		if !ok {
			return nil
		}
		pages := paged.Pages()
		own = maps.Clone(own)
		switch {
		case pages.Cursor != "":
			own.Set(cmp.Or(pages.By, "cursor"), pages.Cursor)
		case page < pages.Last:
			own.Set("page", strconv.FormatInt(page+1, 10))
		default:
			return nil
		}
	}
}
