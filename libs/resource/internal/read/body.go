package read

import (
	"context"
	"slices"

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
	Advice        string // of a page that is too large: what else makes it smaller
	page, perPage int
	columns       int // of a record
	records       int
	buffer        []byte
	spooled       *spool.Spool // of a large page
	before        int          // bytes in the spool
}

// NewBody begins the body of a page of records with so many columns.
func NewBody(ctx context.Context, page, perPage, columns int) *Body {
	return &Body{page: page, perPage: perPage, columns: columns, buffer: []byte(`{"data":[`), spooled: spool.New(ctx)}
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
	b.buffer = append(appendPagination(append(b.buffer, `],"pagination":`...), b.page, b.perPage, total), '}')
	if b.before == 0 {
		return &transport.Response{Body: b.buffer}, nil
	}
	err := b.spool()
	b.spooled.End(nil)
	return &transport.Response{Spooled: b.spooled}, err
}
