package transport

import (
	"cmp"
	"maps"
	"net/url"
	"reflect"
	"strconv"
)

// largestPage is what per_page may be at most; "" where there is no such parameter.
func (b *binding) largestPage() string {
	f := b.query.Field("per_page")
	if f == nil || f.JSON.Maximum == nil {
		return ""
	}
	return strconv.Itoa(int(*f.JSON.Maximum))
}

// checkPages panics for a report with pages that do not say what comes behind them: nobody could have it whole.
func (b *binding) checkPages(op *Operation, out reflect.Type) {
	if b.largestPage() != "" && !out.Implements(reflect.TypeFor[Paged]()) {
		panic("transport: " + op.Path + " is a table in pages, and " + out.Name() + " is not Paged")
	}
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
