package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/search"
)

// span are terms that stand together: from start on, before end.
type span struct{ start, end string }

var everything = span{"", "\U0010FFFF"}

func (s span) has(term string) bool { return s.start <= term && term < s.end }

// exactly is the span of one term.
func exactly(term string) span { return span{term, term + "\x01"} }

// beginning is the span of the terms that begin so.
func beginning(start string) span { return span{start, start + "\U0010FFFF"} }

// stored is the span of the terms that are looked up: for a short beginning, of the one that stands for them.
func (s span) stored() span {
	if s.end != s.start+"\U0010FFFF" {
		return s
	}
	if n := utf8.RuneCountInString(s.start) - 1; n < shortest || n > short {
		return s
	}
	return exactly(shortTerm(s.start))
}

// lookup gives which records have terms, as a transaction with one snapshot sees them.
type lookup struct {
	tx                pgx.Tx
	organization      string
	table             *table.Table
	runs              map[int64]*roaring.Bitmap // positions of each
	pending           []record                  // those that are not folded, as their rows are
	unfolded          *roaring.Bitmap           // the pending positions, of deleted records too
	known             map[span]*roaring.Bitmap
	parts             map[part][]*roaring.Bitmap // of spans that are not known yet
	spans             []span                     // that are queried first
	count, maxPending int                        // of pending records, and how many may be
}

// part is what a run has of a span.
type part struct {
	span span
	run  int64
}

// record is a pending record with its terms.
type record struct {
	position uint64
	terms    []string
}

// newLookup makes a lookup of some spans that reads at most so many pending records. Its queries are in the batch; when that was
// sent, ready is to be called.
func newLookup(ctx context.Context, tx pgx.Tx, t *table.Table, maxPending int, spans []span, batch *pgx.Batch) *lookup {
	l := &lookup{tx: tx, organization: principal.From(ctx).OrganizationID, table: t, runs: map[int64]*roaring.Bitmap{},
		unfolded: roaring.New(), known: map[span]*roaring.Bitmap{}, parts: map[part][]*roaring.Bitmap{}, spans: spans, maxPending: maxPending}
	batch.Queue(`SELECT run, positions FROM term_run WHERE organization_id = $1 AND collection = $2`, l.organization, t.Row.Name).Query(
		func(rows pgx.Rows) error {
			for rows.Next() {
				var number int64
				var positions []byte
				err := rows.Scan(&number, &positions)
				if err == nil {
					l.runs[number], err = readBitmap(positions)
				}
				if err != nil {
					return err
				}
			}
			return rows.Err()
		})
	reader := newReader(t)
	// One row at least, which has the number; the rows of pending records only where these are not too many.
	batch.Queue(`WITH pending AS (SELECT positions FROM facet_pending WHERE organization_id = $1 AND collection = $2)
		SELECT c.pending, p.position, r.* FROM (SELECT coalesce(sum(cardinality(positions)), 0)::bigint AS pending FROM pending) c
		LEFT JOIN LATERAL (SELECT DISTINCT unnest(positions) AS position FROM pending WHERE c.pending <= $3) p ON true
		LEFT JOIN LATERAL (SELECT t.position AS there`+reader.selection()+` FROM `+t.Name+` t
			WHERE t.organization_id = $1 AND t.position = p.position LIMIT 1) r ON true`,
		l.organization, t.Row.Name, maxPending).Query(func(rows pgx.Rows) (err error) {
		for rows.Next() && err == nil {
			err = l.addPending(rows.RawValues(), reader)
		}
		return errors.Join(err, rows.Err())
	})
	l.queue(batch, spans)
	return l
}

// addPending takes the number of pending records, the position of one and, where it is there, this position again and its values.
func (l *lookup) addPending(values table.Values, reader reader) (err error) {
	if l.count, err = strconv.Atoi(string(values[0])); err != nil || values[1] == nil {
		return err
	}
	position, err := strconv.ParseUint(string(values[1]), 10, 64)
	if err != nil {
		return err
	}
	l.unfolded.Add(position)
	if values[2] != nil {
		l.pending = append(l.pending, record{position, reader.terms(values[3:])})
	}
	return nil
}

// ready completes what was read. Where too many records are pending it says no.
func (l *lookup) ready() bool {
	if l.count > l.maxPending {
		return false
	}
	l.complete(l.spans)
	return true
}

// find looks further spans up.
func (l *lookup) find(ctx context.Context, spans []span) error {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s span) bool { return l.known[s] != nil })
	if len(spans) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	l.queue(batch, spans)
	if err := l.tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	l.complete(spans)
	return nil
}

// blocksSQL reads the blocks that have terms of spans, with the number of the span and of the run: of each run those whose last term is in
// the span, and the one behind, which may begin in it. %s is what is read of a block.
const blocksSQL = `SELECT s.n - 1, r.run, b.first, b.last, %s
	FROM term_run r CROSS JOIN unnest($3::text[], $4::text[]) WITH ORDINALITY s (start, ends, n) CROSS JOIN LATERAL (
		(SELECT * FROM term_block b WHERE b.organization_id = $1 AND b.collection = $2 AND b.run = r.run AND b.last >= s.start COLLATE "C"
			AND b.last < s.ends COLLATE "C")
		UNION ALL
		(SELECT * FROM term_block b WHERE b.organization_id = $1 AND b.collection = $2 AND b.run = r.run AND b.last >= s.ends COLLATE "C"
			ORDER BY b.last LIMIT 1)) b
	WHERE r.organization_id = $1 AND r.collection = $2 AND b.first < s.ends COLLATE "C"`

// Of blocks that are in a span as a whole, contents are not read; of others, positions are not, but where they are the contents.
var (
	blocksOfSpans = fmt.Sprintf(blocksSQL, `CASE WHEN b.first >= s.start AND b.last < s.ends OR b.contents IS NULL THEN b.positions END,
		CASE WHEN b.first < s.start OR b.last >= s.ends THEN b.contents END`)
	blocksOfWords = fmt.Sprintf(blocksSQL, "b.contents")
)

// queue asks for the spans in the runs.
func (l *lookup) queue(batch *pgx.Batch, spans []span) {
	stored := make([]span, len(spans))
	for i, s := range spans {
		stored[i] = s.stored()
	}
	l.queueQuery(batch, blocksOfSpans, stored, func(rows pgx.Rows) error {
		for rows.Next() {
			var i int
			var p part
			var b block
			if err := rows.Scan(&i, &p.run, &b.first, &b.last, &b.positions, &b.contents); err != nil {
				return err
			}
			p.span = spans[i]
			var found *roaring.Bitmap
			var err error
			if b.contents == nil { // all of it is in the span
				found, err = readBitmap(b.positions)
			} else {
				found = roaring.New()
				err = b.decode(stored[i], func(p posting) { found.AddMany(p.positions) })
			}
			if err != nil {
				return err
			}
			l.parts[p] = append(l.parts[p], found)
		}
		return rows.Err()
	})
}

func (l *lookup) queueQuery(batch *pgx.Batch, sql string, spans []span, read func(pgx.Rows) error) {
	starts, ends := make([]string, len(spans)), make([]string, len(spans))
	for i, s := range spans {
		starts[i], ends[i] = s.start, s.end
	}
	batch.Queue(sql, l.organization, l.table.Row.Name, starts, ends).Query(read)
}

// complete makes the spans known: what the runs have of them, but of pending records what their rows have.
func (l *lookup) complete(spans []span) {
	for _, s := range spans {
		known := roaring.New()
		for number, live := range l.runs {
			p := part{s, number}
			if len(l.parts[p]) == 0 {
				continue
			}
			found := l.parts[p][0]
			for _, more := range l.parts[p][1:] {
				found.Or(more)
			}
			found.And(live)
			if known.IsEmpty() {
				known = found
			} else {
				known.Or(found)
			}
			delete(l.parts, p)
		}
		known.AndNot(l.unfolded)
		for _, r := range l.pending {
			if slices.ContainsFunc(r.terms, s.has) {
				known.Add(r.position)
			}
		}
		l.known[s] = known
	}
}

// any gives the records that have a term of any span.
func (l *lookup) any(spans ...span) *roaring.Bitmap {
	found := roaring.New()
	for _, s := range spans {
		found.Or(l.known[s])
	}
	return found
}

// vocabulary gives the words of names and texts that are at distance 1 from any of those, each with them. Digits stand before letters,
// so what begins with them is passed by.
func (l *lookup) vocabulary(ctx context.Context, typed []string) (near map[string][]string, err error) {
	near = map[string][]string{}
	seen := map[string]bool{}
	add := func(term string) {
		word := term[1:]
		if seen[word] || !search.Corrects(word) {
			return
		}
		seen[word] = true
		for _, meant := range typed {
			if search.Near(meant, word) {
				near[meant] = append(near[meant], word)
			}
		}
	}
	var spans []span
	for _, class := range []search.Class{search.WordOfName, search.WordOfText} {
		spans = append(spans, span{class.Term(":"), class.Term("\U0010FFFF")})
	}
	batch := &pgx.Batch{}
	l.queueQuery(batch, blocksOfWords, spans, func(rows pgx.Rows) error {
		for rows.Next() {
			var i int
			var run int64
			var b block
			if err := rows.Scan(&i, &run, &b.first, &b.last, &b.contents); err != nil {
				return err
			}
			if b.contents == nil {
				add(b.last)
			} else if err := b.decode(spans[i], func(p posting) { add(p.term) }); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err := l.tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	for _, r := range l.pending {
		for _, term := range r.terms {
			if slices.ContainsFunc(spans, func(s span) bool { return s.has(term) }) {
				add(term)
			}
		}
	}
	return near, nil
}
