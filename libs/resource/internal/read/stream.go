package read

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/parquet"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/spool"
	"ams.internal/libs/transport"
)

// streamTimeout is how long the database may take for the rows of a stream. The caller's speed does not count.
const streamTimeout = "5min"

// format is what a stream may be written as.
type format struct {
	contentType string
	extension   string // of a file of it
	open        func(w io.Writer, q *query) file
}

// file writes the rows of a stream. Without end it is not whole.
type file interface {
	row(values table.Values, names []map[string]string) error
	end() error
}

// formats are those of transport.StreamTypes.
var formats = map[string]*format{
	transport.NDJSON: {
		contentType: transport.NDJSON, extension: "ndjson",
		open: text{
			header: func(dst []byte, _ *query) []byte { return dst },
			row: func(dst []byte, q *query, values table.Values, names []map[string]string) []byte {
				return append(q.appendOne(dst, values, names), '\n')
			},
		}.open,
	},
	transport.CSV:     exactCSV.format(),
	transport.GeoJSON: features,
	transport.Parquet: {contentType: transport.Parquet, extension: "parquet", open: openParquet},
}

// StreamTypes are the media types that the whole collection can be had in.
func StreamTypes(t *table.Table) []string {
	types := []string{transport.CSV, transport.NDJSON, transport.Parquet}
	if t.Geometry != "" {
		types = append(types, transport.GeoJSON)
	}
	return types
}

// formatOf gives the stream format that an Accept header prefers, or nil for pages of JSON.
func (t list) formatOf(accept []string) *format {
	return formats[transport.Negotiate(accept, StreamTypes(t.Table)...)]
}

// stream answers the whole filtered collection, with constant memory and in one snapshot. page and per_page do not
// apply. A standby may answer (postgres.DB.FromReplica); until the first piece is written the primary may begin again.
func (t list) stream(ctx context.Context, q *query, f *format) *transport.Response {
	if f == features {
		q.showFeatures(t)
	}
	response := &transport.Response{ContentType: f.contentType}
	response.Attach(ctx, t.Row.Name, f.extension)
	begin := func(ctx context.Context, w io.Writer) error {
		tracked := writing(func(piece []byte) (int, error) {
			postgres.Sent(ctx)
			return w.Write(piece)
		})
		out := f.open(tracked, q)
		if err := t.rowsOf(ctx, q, out.row); err != nil {
			return err
		}
		return out.end()
	}
	response.Stream = func(ctx context.Context, w io.Writer) error {
		whole := func() error { return t.DB.FromReplica(ctx, func(ctx context.Context) error { return begin(ctx, w) }) }
		if f.contentType == transport.Parquet {
			return parquet.InTurn(ctx, whole)
		}
		return whole()
	}
	return response
}

// text is a format whose rows are texts.
type text struct {
	header  func(dst []byte, q *query) []byte
	row     func(dst []byte, q *query, values table.Values, names []map[string]string) []byte
	between string // rows
	footer  string
}

func (f text) open(w io.Writer, q *query) file {
	return &textFile{text: f, q: q, out: pieces{w, f.header(make([]byte, 0, 64<<10), q)}}
}

// textFile is a file of a text format.
type textFile struct {
	text
	q   *query
	n   int // rows
	out pieces
}

func (f *textFile) row(values table.Values, names []map[string]string) error {
	if f.n++; f.n > 1 {
		f.out.buffer = append(f.out.buffer, f.between...)
	}
	f.out.buffer = f.text.row(f.out.buffer, f.q, values, names)
	return f.out.write(piece)
}

func (f *textFile) end() error {
	f.out.buffer = append(f.out.buffer, f.footer...)
	return f.out.write(0)
}

// writing is a function as a writer.
type writing func(piece []byte) (int, error)

func (w writing) Write(piece []byte) (int, error) { return w(piece) }

// errEnough ends a stream of which enough was read.
var errEnough = errors.New("enough was read")

// IDs gives the ids of the first records of a list, in its order, by its parameters: filters, q and sort. One more than limit means that
// there are more.
func IDs(ctx context.Context, tbl *table.Table, r *transport.Request, limit int) (ids []string, err error) {
	t := list{tbl.For(ctx)}
	for _, name := range t.shownOnly() {
		if r.Query.Has(name) {
			return nil,
				fault.InvalidFields(fault.Field{Field: name, Message: "is not a parameter of this path, which has all that the filters find"})
		}
	}
	q, err := t.parseList(ctx, r)
	if err != nil {
		return nil, err
	}
	if q.relevance {
		return nil,
			fault.InvalidFields(fault.Field{Field: "sort", Message: "relevance has the best records only; sort by a field, or leave sort out"})
	}
	q.columns = []*table.Column{t.Column("id")}
	err = t.readAll(ctx, q, func(values table.Values) error {
		if ids = append(ids, string(values[0])); len(ids) > limit {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, t.Explain(err)
	}
	return ids, nil
}

// piece is how many bytes are worth a write.
const piece = 48 << 10

// pieces are what is written of a buffer that grows.
type pieces struct {
	w      io.Writer
	buffer []byte
}

// write writes the buffer when it has so many bytes.
func (p *pieces) write(minBytes int) error {
	if len(p.buffer) < minBytes {
		return nil
	}
	_, err := p.w.Write(p.buffer)
	p.buffer = p.buffer[:0]
	return err
}

// rowsOf gives each row of the filtered collection, with the names of what it refers to where they are asked for. Names are looked up
// when the rows are out of the database: who is asked may be another service, which may be waiting for this one.
func (t list) rowsOf(ctx context.Context, q *query, each func(values table.Values, names []map[string]string) error) error {
	if !q.completed() {
		return t.readAll(ctx, q, func(values table.Values) error { return each(values, nil) })
	}
	spooled := spool.Run(ctx, func(ctx context.Context, w io.Writer) error {
		out := pieces{w: w}
		err := t.readAll(ctx, q, func(values table.Values) error {
			out.buffer = appendRow(out.buffer, values)
			return out.write(piece)
		})
		if err != nil {
			return err
		}
		return out.write(0)
	})
	defer spooled.Close()
	return t.withNames(ctx, q, spooled, each)
}

// readAll gives each row of the filtered collection, in one snapshot. The values are those of the row only until each returns.
func (t list) readAll(ctx context.Context, q *query, each func(table.Values) error) error {
	return t.DB.Read(ctx, func(reading context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(reading, "SET LOCAL statement_timeout = '"+streamTimeout+"'"); err != nil {
			return err
		}
		conditions, err := t.conditionsOfAll(ctx, reading, tx, q)
		if err != nil {
			return err
		}
		rows, err := tx.Query(reading, "SELECT "+table.Selection(q.selected())+" FROM "+t.Name+" t WHERE "+conditions.SQL()+q.order(),
			conditions.Arguments(ctx)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows.RawValues()); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// conditionsOfAll are the conditions of all records that the query finds, with what the index knows of them. ctx outlives the transaction.
func (t list) conditionsOfAll(ctx, reading context.Context, tx pgx.Tx, q *query) (table.Conditions, error) {
	if !q.byIndex() {
		return q.Conditions, nil
	}
	maxPending := index.MaxPending
	if q.search != nil {
		maxPending = math.MaxInt
	}
	found, err := t.findPositions(reading, tx, q, maxPending)
	if err != nil {
		return q.Conditions, err
	}
	index.FoldWhenNeeded(ctx, t.Table, found.Pending)
	if found.Positions != nil && (q.search != nil || found.Positions.GetCardinality() <= maxListed) {
		return q.among(found), nil
	}
	return q.Conditions, nil
}
