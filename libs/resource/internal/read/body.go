package read

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"ams.internal/libs/fault"
	"ams.internal/libs/spool"
	"ams.internal/libs/transport"
)

// maxPage is how many bytes a page of a list may have.
const maxPage = 16 << 20

// inMemory is how many bytes of a page are kept in memory. A larger one goes to a spool.
const inMemory = 2 << 20

// bytesOfAColumn is what a field takes in JSON, name and value, in an ordinary record: the same number whoever asks, so that nobody's large
// records make the pages of others larger.
const bytesOfAColumn = 32

// Body is the page of a list in the making. A caller appends each record to what Next gives, and hands it to Add.
type Body struct {
	Advice string // of a page that is too large: what else makes it smaller
	// Corrected is, by the words that were looked for and that no record has, those that were found in their place.
	Corrected map[string][]string
	// Reachable is how many records there are pages of, where that is less than all; 0 for all.
	Reachable     int64
	totals        []byte // JSON, of a list that was asked for them
	request       *transport.Request
	page, perPage int
	cursors       bool   // of a list that has them
	byCursor      bool   // asked for by a cursor: nobody knows which page it is
	next          string // cursor of the next page; "" for none
	columns       int    // of a record
	records       int
	buffer        []byte
	spooled       *spool.Spool // of a large page
	before        int          // bytes in the spool
	odata         *inOData     // nil: a page of the API
}

// NewBody begins the body of a page of records with so many columns.
func NewBody(ctx context.Context, r *transport.Request, page, perPage, columns int) *Body {
	return &Body{request: r, page: page, perPage: perPage, columns: columns, buffer: []byte(`{"data":[`), spooled: spool.New(ctx)}
}

// Next is what the next record is appended to.
func (b *Body) Next() []byte {
	if b.records == 0 {
		b.buffer = slices.Grow(b.buffer, min(b.perPage*b.columns*bytesOfAColumn, inMemory))
		return b.buffer
	}
	if left := cap(b.buffer) - len(b.buffer); left < 4<<10 { // doubled: by little and little a large page would be copied often
		b.buffer = slices.Grow(b.buffer, cap(b.buffer))
	}
	b.buffer = append(b.buffer, ',')
	return b.buffer
}

// Add takes what Next gave, with a record behind it. It refuses the record with which the page becomes too large.
func (b *Body) Add(buffer []byte) error {
	b.buffer = buffer
	b.records++
	if err := b.fits(b.records, b.before+len(b.buffer)); err != nil {
		return err
	}
	if b.before == 0 && len(b.buffer) < inMemory || len(b.buffer) < piece {
		return nil
	}
	return b.spool()
}

// fits refuses a page that has so many bytes with so many records. One record is a page whatever its size.
func (b *Body) fits(records, size int) error {
	if size <= maxPage || records < 2 {
		return nil
	}
	whole := (float64(size) / float64(records)) * float64(b.perPage) / (1 << 20)
	if b.odata != nil {
		return fault.Invalid("page_too_large",
			"This page would take about %.0f MB; a page may take %d MB. Ask for fewer records with the header "+
				"Prefer: odata.maxpagesize=%d, or for fewer fields with $select.", max(whole, maxPage>>20+1), maxPage>>20, max(1, records*3/4))
	}
	return fault.Invalid("page_too_large", "This page would take about %.0f MB; a page may take %d MB. Ask for per_page=%d or fewer%s.",
		max(whole, maxPage>>20+1), maxPage>>20, max(1, records*3/4), b.Advice)
}

func (b *Body) spool() error {
	n, err := b.spooled.Write(b.buffer)
	b.before, b.buffer = b.before+n, b.buffer[:0]
	return err
}

// Drop frees what a page holds that is not sent.
func (b *Body) Drop() { b.spooled.Close() }

// Response ends the body, and gives the response that has it.
func (b *Body) Response(total int64) (*transport.Response, error) {
	if b.odata != nil {
		b.buffer = b.odata.end(b.buffer, total, b.next, b.records)
		return b.whole()
	}
	b.buffer = b.appendPagination(append(b.buffer, `],"pagination":`...), total)
	if b.totals != nil {
		b.buffer = append(append(b.buffer, `,"totals":`...), b.totals...)
	}
	if err := b.appendSearch(total); err != nil {
		return nil, err
	}
	b.buffer = append(b.buffer, '}')
	response, err := b.whole()
	around := transport.Pages{Page: b.page, Last: b.pages(total), Cursor: b.next}
	if b.byCursor {
		around.Page = 0
	}
	response.SetHeader("Link", around.Links(b.request))
	return response, err
}

// appendSearch says what of the search its asker would not expect, where there is something.
func (b *Body) appendSearch(total int64) error {
	var about struct {
		Corrected map[string][]string `json:"corrected,omitempty"`
		Best      int64               `json:"best,omitempty"`
	}
	if about.Corrected = b.Corrected; b.Reachable > 0 && total > b.Reachable {
		about.Best = b.Reachable
	}
	if about.Corrected == nil && about.Best == 0 {
		return nil
	}
	encoded, err := json.Marshal(about)
	b.buffer = append(append(b.buffer, `,"search":`...), encoded...)
	return err
}

// whole gives the response that has the body.
func (b *Body) whole() (response *transport.Response, err error) {
	response = &transport.Response{Body: b.buffer}
	if b.before > 0 {
		err = b.spool()
		b.spooled.End(nil)
		response = &transport.Response{Spooled: b.spooled}
	}
	if b.odata != nil {
		response.ContentType = b.odata.options.ContentType()
	}
	return response, err
}

// pages is how many a list of so many records has that can be reached.
func (b *Body) pages(total int64) int64 {
	if b.Reachable > 0 {
		total = min(total, b.Reachable)
	}
	return max(1, (total+int64(b.perPage)-1)/int64(b.perPage))
}

// appendPagination says where in the list the page is.
func (b *Body) appendPagination(dst []byte, total int64) []byte {
	page, next := strconv.Itoa(b.page), "null"
	if b.byCursor {
		page = "null"
	}
	if b.next != "" {
		next = `"` + b.next + `"` // base64
	}
	dst = fmt.Appendf(dst, `{"page":%s,"per_page":%d,"total":%d,"total_pages":%d`, page, b.perPage, total, b.pages(total))
	if b.cursors {
		dst = append(append(dst, `,"next_cursor":`...), next...)
	}
	return append(dst, '}')
}
