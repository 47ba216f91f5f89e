package index

import (
	"context"
	"slices"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/search"
)

// findWords gives the records that a query finds.
func findWords(ctx context.Context, tx pgx.Tx, t *table.Table, q Query) (Found, error) {
	batch := &pgx.Batch{}
	l := newLookup(ctx, tx, t, q.MaxPending, spansOf(*q.Words, q.Ranked), batch)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return Found{}, err
	}
	return l.words(ctx, q)
}

// FindEach gives for each of several tables what a query of words alone finds there, for all of them in one round trip.
func FindEach(ctx context.Context, tx pgx.Tx, tables []*table.Table, q Query) ([]Found, error) {
	batch := &pgx.Batch{}
	lookups := make([]*lookup, len(tables))
	for i, t := range tables {
		lookups[i] = newLookup(ctx, tx, t, q.MaxPending, spansOf(*q.Words, q.Ranked), batch)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	found := make([]Found, len(tables))
	for i, l := range lookups {
		var err error
		if found[i], err = l.words(ctx, q); err != nil {
			return nil, err
		}
		recordPending(ctx, l.table, l.count)
	}
	return found, nil
}

// words gives what a query finds. Where no record has all of its words, unless it is literal, they are those that mean the same, and then
// those that a word which no record has may be meant for.
func (l *lookup) words(ctx context.Context, q Query) (Found, error) {
	if !l.ready() {
		return Found{Pending: l.count}, nil
	}
	words, positions := *q.Words, l.matching(*q.Words)
	if !positions.IsEmpty() || q.Literal {
		return Found{positions, l.count, words, l}, nil
	}
	meant, err := l.synonyms(ctx, words, q.Ranked)
	if err != nil {
		return Found{}, err
	}
	if positions = l.matching(meant); positions.IsEmpty() {
		if meant, err = l.correct(ctx, meant, q.Ranked); err != nil {
			return Found{}, err
		}
		positions = l.matching(meant)
	}
	if !positions.IsEmpty() { // what finds nothing either is nothing that was meant
		words = meant
	}
	return Found{positions, l.count, words, l}, nil
}

// synonyms replaces words by those that mean the same, as far as records have them.
func (l *lookup) synonyms(ctx context.Context, q search.Query, ranked bool) (search.Query, error) {
	exact := func(word string) []span { return wordSpans(search.Word{Corrected: []string{word}}, anywhere) }
	var spans []span
	for _, w := range q.Words {
		if others := search.Synonyms(w.Typed); others != nil {
			for _, word := range append(others, w.Typed) {
				spans = append(spans, exact(word)...)
			}
		}
	}
	if spans == nil {
		return q, nil
	}
	if err := l.find(ctx, unique(spans)); err != nil {
		return q, err
	}
	meant, is := q.Mean(func(word string) int { return int(l.any(exact(word)...).GetCardinality()) })
	if !is || !ranked {
		return meant, nil
	}
	name, begun := nameSpans(meant)
	return meant, l.find(ctx, unique(append(name, begun...)))
}

// ofName and anywhere are where a word may stand.
var (
	ofName   = []search.Class{search.WordOfName}
	anywhere = []search.Class{search.WordOfName, search.WordOfText, search.PartOfCode, search.WholeCode}
)

// wordSpans are where a word of a query is found, in terms of some classes.
func wordSpans(w search.Word, in []search.Class) []span {
	var spans []span
	for _, class := range in {
		switch {
		case w.Corrected != nil:
			for _, meant := range w.Corrected {
				spans = append(spans, exactly(class.Term(meant)))
			}
		case w.Prefix:
			spans = append(spans, beginning(class.Term(w.Typed)))
		default:
			spans = append(spans, exactly(class.Term(w.Typed)))
		}
	}
	return spans
}

// codeSpans are where the query as a whole is found as a code, and numberSpans where it is one of the numbers in a code.
func codeSpans(q search.Query) (whole, begun, number []span) {
	whole = []span{exactly(search.WholeCode.Term(q.Code))}
	if begun = whole; len([]rune(q.Code)) > 1 {
		begun = []span{beginning(search.WholeCode.Term(q.Code))}
	}
	if n, is := q.Number(); is {
		number = []span{exactly(search.WholeCode.Term(n)), exactly(search.PartOfCode.Term(n))}
	}
	return whole, begun, number
}

// maxNames is how many names a corrected query is taken for.
const maxNames = 25

// nameSpans are where the name is the query, and where it begins with it.
func nameSpans(q search.Query) (whole, begun []span) {
	names := []string{search.WholeName.Term("")}
	for i, w := range q.Words {
		meant := w.Corrected
		if meant == nil {
			meant = []string{w.Typed}
		}
		var longer []string
		for _, name := range names {
			for _, word := range meant {
				if i > 0 {
					word = " " + word
				}
				longer = append(longer, name+word)
			}
		}
		names = longer[:min(len(longer), maxNames)]
	}
	for _, name := range names {
		whole = append(whole, exactly(name))
	}
	last := q.Words[len(q.Words)-1]
	if len(q.Words) == 1 { // what many names begin with is one word, or a few, that come first
		return whole, wordSpans(last, []search.Class{search.FirstWord})
	}
	for _, name := range names {
		if last.Prefix && last.Corrected == nil {
			begun = append(begun, beginning(name))
		} else {
			begun = append(begun, exactly(name), beginning(name+" "))
		}
	}
	return whole, begun
}

// spansOf are all that a query looks up, and for the best of what it finds.
func spansOf(q search.Query, ranked bool) []span {
	var spans []span
	for _, w := range q.Words {
		spans = append(spans, wordSpans(w, anywhere)...)
	}
	whole, begun, number := codeSpans(q)
	spans = append(spans, begun...)
	if ranked {
		spans = append(append(append(spans, whole...), number...), exactly(search.Ended))
		whole, begun = nameSpans(q)
		spans = append(append(spans, whole...), begun...)
	}
	return unique(spans)
}

// unique leaves each span in once.
func unique(spans []span) []span {
	seen := map[span]bool{}
	return slices.DeleteFunc(spans, func(s span) bool {
		twice := seen[s]
		seen[s] = true
		return twice
	})
}

// matching gives the records that have all words, or the code.
func (l *lookup) matching(q search.Query) *roaring.Bitmap {
	found := l.all(q, anywhere)
	if q.Corrected() == nil {
		_, code, _ := codeSpans(q)
		found.Or(l.any(code...))
	}
	return found
}

// all gives the records that have all words in terms of some classes.
func (l *lookup) all(q search.Query, in []search.Class) *roaring.Bitmap {
	var sets []*roaring.Bitmap
	for _, w := range q.Words {
		sets = append(sets, l.any(wordSpans(w, in)...))
	}
	return roaring.FastAnd(sets...)
}

// fit is which records fit so, and may fit better.
type fit struct {
	match     search.Match
	positions func() *roaring.Bitmap
}

// fits gives the records by how well they fit, the best first.
func (l *lookup) fits(q search.Query) []fit {
	any := func(spans []span) func() *roaring.Bitmap { return func() *roaring.Bitmap { return l.any(spans...) } }
	all := func(in []search.Class) func() *roaring.Bitmap { return func() *roaring.Bitmap { return l.all(q, in) } }
	name, begunName := nameSpans(q)
	if q.Corrected() != nil {
		return []fit{{search.Similar, any(name)}, {search.Similar, any(begunName)}, {search.Similar, all(ofName)},
			{search.Similar, all(anywhere)}}
	}
	code, begun, number := codeSpans(q)
	return []fit{
		{search.ByCode, any(append(code, number...))}, {search.ByCodePrefix, any(begun)}, {search.ByName, any(name)},
		{search.ByNamePrefix, any(begunName)}, {search.ByWords, all(ofName)}, {search.Anywhere, all(anywhere)},
	}
}

// correct replaces the words that no record has by those that they may be meant for. Where one of them may be meant for none, the query
// stays as it is.
func (l *lookup) correct(ctx context.Context, q search.Query, ranked bool) (search.Query, error) {
	var wrong []string
	for _, w := range q.Corrigible() {
		if l.any(wordSpans(w, anywhere)...).IsEmpty() {
			wrong = append(wrong, w.Typed)
		}
	}
	if wrong == nil {
		return q, nil
	}
	near, err := l.vocabulary(ctx, wrong)
	if err != nil {
		return q, err
	}
	word := func(meant string) search.Word { return search.Word{Corrected: []string{meant}} }
	var spans []span
	for _, typed := range wrong {
		for _, meant := range near[typed] {
			spans = append(spans, wordSpans(word(meant), anywhere)...)
		}
	}
	if err := l.find(ctx, spans); err != nil {
		return q, err
	}
	var candidates []search.Candidate
	for _, typed := range wrong {
		candidates = append(candidates, search.Candidate{Typed: typed})
		for _, meant := range near[typed] {
			records := l.any(wordSpans(word(meant), anywhere)...).GetCardinality()
			candidates = append(candidates, search.Candidate{Typed: typed, Word: meant, Records: int(records)})
		}
	}
	corrected, is := q.Correct(candidates)
	if !is || !ranked {
		return corrected, nil
	}
	name, begun := nameSpans(corrected)
	return corrected, l.find(ctx, append(name, begun...))
}

// Hit is one of the best records.
type Hit struct {
	Position int64
	Match    search.Match
	Ended    bool
}

// Best gives the best of the records that a ranked query has found, at most so many: in the order of their match, those that have not ended
// first, and then the newest first.
func (f Found) Best(limit int) []Hit {
	var hits []Hit
	left := f.Positions.Clone()
	take := func(positions *roaring.Bitmap, match search.Match, ended bool) {
		for newest := positions.ReverseIterator(); newest.HasNext() && len(hits) < limit; {
			hits = append(hits, Hit{int64(newest.Next()), match, ended})
		}
	}
	ended := f.lookup.any(exactly(search.Ended))
	for _, fit := range f.lookup.fits(f.Words) {
		if len(hits) < limit {
			best := fit.positions()
			best.And(left)
			left.AndNot(best)
			take(roaring.AndNot(best, ended), fit.match, false)
			take(roaring.And(best, ended), fit.match, true)
		}
	}
	return hits
}
