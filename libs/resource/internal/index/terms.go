package index

import (
	"encoding/binary"
	"slices"
	"strings"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/search"
)

// Terms of records are kept as sorted runs, as in a log-structured merge tree (P. O'Neil et al., The log-structured merge-tree, Acta
// Informatica 33, 1996): a fold writes the terms of the records that it folds as a new run, and merges it with the last runs that have not
// more records than it has. A record's terms are those of the run whose positions have it; in older ones, what stands of it counts for
// nothing. So there are as many runs as the number of records has binary digits at most, and each term is written as often at most.

const (
	// blockTerms and blockSize bound a block of several terms, by their number and the bytes of its contents.
	blockTerms = 256
	blockSize  = 4 << 10
	// ofItsOwn is how many records have a term that stands in a block of its own.
	ofItsOwn = 256
)

// posting is a term, and the positions of the records that have it.
type posting struct {
	term      string
	positions []uint64        // ascending; nil where they are a bitmap
	many      *roaring.Bitmap // of more than ofItsOwn positions
}

// posted gives a term's posting, of ascending positions.
func posted(term string, positions []uint64) posting {
	if len(positions) <= ofItsOwn {
		return posting{term: term, positions: positions}
	}
	many := roaring.New()
	many.AddMany(positions)
	return posting{term: term, many: many}
}

// block is a row of term_block.
type block struct {
	first, last string
	positions   []byte
	contents    []byte
}

// decode gives the postings of a block that are in a span.
func (b *block) decode(in span, each func(posting)) error {
	if b.contents == nil {
		many, err := readBitmap(b.positions)
		if err == nil && in.has(b.last) {
			each(posting{term: b.last, many: many})
		}
		return err
	}
	rest, term := b.contents, []byte(nil)
	number := func() uint64 {
		value, n := binary.Uvarint(rest)
		if n <= 0 {
			n, value = len(rest), 0
		}
		rest = rest[n:]
		return value
	}
	for len(rest) > 0 {
		shared, added := number(), number()
		if shared > uint64(len(term)) || added > uint64(len(rest)) {
			return problem("the block from %q to %q cannot be read", b.first, b.last)
		}
		term = append(term[:shared], rest[:added]...)
		rest = rest[added:]
		n := number()
		if n == 0 || n > ofItsOwn {
			return problem("the block from %q to %q cannot be read", b.first, b.last)
		}
		p := posting{positions: make([]uint64, n)}
		var position uint64
		for i := range p.positions {
			position += number()
			p.positions[i] = position
		}
		if p.term = string(term); p.term >= in.end {
			return nil
		}
		if in.has(p.term) {
			each(p)
		}
	}
	return nil
}

// builder makes blocks of postings that come in the order of their terms.
type builder struct {
	first, last string
	contents    []byte
	positions   []uint64
	terms       int
	done        func(block) error // takes a block that is full
}

func (b *builder) add(p posting) error {
	if p.many != nil {
		if err := b.end(); err != nil {
			return err
		}
		encoded, err := encode(p.many)
		if err != nil {
			return err
		}
		return b.done(block{first: p.term, last: p.term, positions: encoded})
	}
	shared := 0
	if b.terms == 0 {
		b.first = p.term
	} else {
		for limit := min(len(b.last), len(p.term)); shared < limit && b.last[shared] == p.term[shared]; {
			shared++
		}
	}
	b.contents = binary.AppendUvarint(b.contents, uint64(shared))
	b.contents = binary.AppendUvarint(b.contents, uint64(len(p.term)-shared))
	b.contents = append(b.contents, p.term[shared:]...)
	b.contents = binary.AppendUvarint(b.contents, uint64(len(p.positions)))
	var before uint64
	for _, position := range p.positions {
		b.contents = binary.AppendUvarint(b.contents, position-before)
		before = position
	}
	b.positions = append(b.positions, p.positions...)
	b.last, b.terms = p.term, b.terms+1
	if b.terms == blockTerms || len(b.contents) >= blockSize {
		return b.end()
	}
	return nil
}

// end ends the block in the making.
func (b *builder) end() error {
	if b.terms == 0 {
		return nil
	}
	slices.Sort(b.positions)
	positions := roaring.New()
	positions.AddMany(b.positions)
	encoded, err := encode(positions)
	if err != nil {
		return err
	}
	made := block{first: b.first, last: b.last, positions: encoded, contents: slices.Clone(b.contents)}
	b.contents, b.positions, b.terms = b.contents[:0], b.positions[:0], 0
	return b.done(made)
}

// encode gives a bitmap as it is kept.
func encode(positions *roaring.Bitmap) ([]byte, error) {
	positions.RunOptimize()
	return positions.MarshalBinary()
}

// sorted gives postings in the order of their terms.
func sorted(of map[string][]uint64) []posting {
	all := make([]posting, 0, len(of))
	for term, positions := range of {
		slices.Sort(positions)
		all = append(all, posted(term, positions))
	}
	slices.SortFunc(all, func(a, b posting) int { return strings.Compare(a.term, b.term) })
	return all
}

// reader makes the terms of records from their rows.
type reader struct {
	columns []*table.Column // that are searched and, behind them, the state
	state   bool            // the last of them is the state
	ended   []string
	words   map[string]map[string]string
}

// newReader is for the records of a table. It has no columns where they are not searched.
func newReader(t *table.Table) reader {
	r := reader{columns: slices.Clone(t.Searched), ended: t.Ended, words: t.Words}
	if len(r.columns) > 0 && len(t.Ended) > 0 {
		r.columns, r.state = append(r.columns, t.Column(t.State)), true
	}
	return r
}

// selection is what comes behind other columns in a SELECT.
func (r reader) selection() string {
	var sql strings.Builder
	for _, c := range r.columns {
		sql.WriteString(", " + c.SQL + "::text")
	}
	return sql.String()
}

// shortest and short are how many characters a beginning has that stands as a term of its own: with many codes, it begins so many that
// even their blocks are too many to read.
const shortest, short = 2, 3

// shortTerm is the term that stands for all that begin with a class and some characters.
func shortTerm(start string) string { return start[:1] + "\x02" + start[1:] }

// shortTerms calls each with the short terms that stand for a term.
func shortTerms(term string, each func(string)) {
	characters := 0
	for i := range term[1:] {
		if characters++; characters > short {
			each(shortTerm(term[:1+i]))
			return
		}
		if characters > shortest {
			each(shortTerm(term[:1+i]))
		}
	}
	if characters >= shortest {
		each(shortTerm(term))
	}
}

// terms gives those of a row, of which it has the values of the columns.
func (r reader) terms(values table.Values) []string {
	var terms search.Terms
	for i, c := range r.columns {
		if r.state && i == len(r.columns)-1 {
			terms.Ended = slices.Contains(r.ended, string(values[i]))
		} else {
			terms.Add(search.Kind(c.Search), string(values[i]))
			if words := r.words[c.Name][string(values[i])]; words != "" {
				terms.AddKind(words)
			}
		}
	}
	return terms.All()
}
