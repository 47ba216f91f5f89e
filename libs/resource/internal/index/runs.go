package index

import (
	"context"
	"slices"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/table"
)

// run is a row of term_run.
type run struct {
	number    int64
	positions *roaring.Bitmap // of the records whose terms are in no later run
}

// termFold is the part of a fold that brings terms up to date.
type termFold struct {
	organization string
	table        *table.Table
	reader       reader
	terms        map[string][]uint64 // of the records that are folded
	records      *roaring.Bitmap     // those of them that are there
}

func (f *termFold) add(position uint64, values table.Values) {
	f.records.Add(position)
	add := func(term string) {
		positions := f.terms[term]
		if n := len(positions); n == 0 || positions[n-1] != position {
			f.terms[term] = append(positions, position)
		}
	}
	for _, term := range f.reader.terms(values) {
		add(term)
		shortTerms(term, add)
	}
}

// write takes the folded positions from the runs that had them, and writes a new run with their terms; the last runs become part of it,
// as long as they have not more records.
func (f *termFold) write(ctx context.Context, tx pgx.Tx, folded *roaring.Bitmap) error {
	runs, err := f.runs(ctx, tx)
	if err != nil {
		return err
	}
	var changed []*run
	for _, r := range runs {
		if r.positions.Intersects(folded) {
			r.positions.AndNot(folded)
			changed = append(changed, r)
		}
	}
	var number int64 = 1
	if len(runs) > 0 {
		number = runs[0].number + 1
	}
	together, records := 0, f.records.GetCardinality()
	for together < len(runs) && runs[together].positions.GetCardinality() <= records {
		records += runs[together].positions.GetCardinality()
		together++
	}
	merged := runs[:together]
	if err := f.merge(ctx, tx, number, merged); err != nil {
		return err
	}
	return f.replace(ctx, tx, number, merged, changed)
}

// runs gives the runs of the collection, the latest first.
func (f *termFold) runs(ctx context.Context, tx pgx.Tx) ([]*run, error) {
	rows, err := tx.Query(ctx, `SELECT run, positions FROM term_run WHERE organization_id = $1 AND collection = $2 ORDER BY run DESC`,
		f.organization, f.table.Row.Name)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*run, error) {
		r := &run{}
		var positions []byte
		if err := row.Scan(&r.number, &positions); err != nil {
			return nil, err
		}
		r.positions, err = readBitmap(positions)
		return r, err
	})
}

// merge writes the blocks of the new run: the terms of the folded records, and of those of the merged runs that were not folded.
func (f *termFold) merge(ctx context.Context, tx pgx.Tx, number int64, merged []*run) error {
	sources := []*source{{postings: sorted(f.terms)}}
	f.terms = nil
	for _, r := range merged {
		if !r.positions.IsEmpty() {
			sources = append(sources, &source{of: f, run: r, more: true})
		}
	}
	out := blockWriter{of: f, number: number}
	blocks := builder{done: func(b block) error { return out.add(ctx, tx, b) }}
	for {
		next, err := nextPosting(ctx, tx, sources)
		if err != nil {
			return err
		}
		if next == nil {
			break
		}
		if err := blocks.add(*next); err != nil {
			return err
		}
	}
	if err := blocks.end(); err != nil {
		return err
	}
	return out.flush(ctx, tx)
}

// replace deletes the merged runs, and writes the new one and those that have lost records.
func (f *termFold) replace(ctx context.Context, tx pgx.Tx, number int64, merged, changed []*run) error {
	live := f.records
	var deleted, numbers []int64
	var positions [][]byte
	keep := func(number int64, bitmap *roaring.Bitmap) error {
		encoded, err := encode(bitmap)
		numbers, positions = append(numbers, number), append(positions, encoded)
		return err
	}
	for _, r := range merged {
		deleted = append(deleted, r.number)
		live = roaring.Or(live, r.positions)
	}
	for _, r := range changed {
		if slices.Contains(merged, r) {
			continue
		}
		if r.positions.IsEmpty() {
			deleted = append(deleted, r.number)
		} else if err := keep(r.number, r.positions); err != nil {
			return err
		}
	}
	if !live.IsEmpty() {
		if err := keep(number, live); err != nil {
			return err
		}
	}
	batch := &pgx.Batch{}
	batch.Queue("DELETE FROM term_block WHERE organization_id = $1 AND collection = $2 AND run = ANY($3)", f.organization,
		f.table.Row.Name, deleted)
	batch.Queue("DELETE FROM term_run WHERE organization_id = $1 AND collection = $2 AND run = ANY($3)", f.organization,
		f.table.Row.Name, deleted)
	batch.Queue(`INSERT INTO term_run (organization_id, collection, run, positions) SELECT $1, $2, * FROM unnest($3::bigint[], $4::bytea[])
		ON CONFLICT (organization_id, collection, run) DO UPDATE SET positions = excluded.positions`,
		f.organization, f.table.Row.Name, numbers, positions)
	return tx.SendBatch(ctx, batch).Close()
}

// source gives postings in the order of their terms: of the folded records, or of a run that is merged.
type source struct {
	postings []posting // the next ones
	of       *termFold
	run      *run   // nil for the folded records
	last     string // of the blocks that were read
	more     bool   // blocks may follow
}

// blocksAtOnce is how many blocks are read or written by a statement.
const blocksAtOnce = 64

// next gives the next posting without taking it; nil at the end.
func (s *source) next(ctx context.Context, tx pgx.Tx) (*posting, error) {
	for len(s.postings) == 0 && s.more {
		rows, err := tx.Query(ctx, `SELECT first, last, positions, contents FROM term_block
			WHERE organization_id = $1 AND collection = $2 AND run = $3 AND last > $4 ORDER BY last LIMIT $5`,
			s.of.organization, s.of.table.Row.Name, s.run.number, s.last, blocksAtOnce)
		if err != nil {
			return nil, err
		}
		blocks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b block, err error) {
			return b, row.Scan(&b.first, &b.last, &b.positions, &b.contents)
		})
		if err != nil {
			return nil, err
		}
		s.more = len(blocks) == blocksAtOnce
		s.postings = nil
		for _, b := range blocks {
			s.last = b.last
			if err := b.decode(everything, s.keep); err != nil {
				return nil, err
			}
		}
	}
	if len(s.postings) == 0 {
		return nil, nil
	}
	return &s.postings[0], nil
}

// keep keeps what a posting has of records that are still the run's.
func (s *source) keep(p posting) {
	if p.many != nil {
		p.many.And(s.run.positions)
		if p.many.GetCardinality() <= ofItsOwn {
			p.positions, p.many = p.many.ToArray(), nil
		}
	} else {
		p.positions = slices.DeleteFunc(p.positions, func(position uint64) bool { return !s.run.positions.Contains(position) })
	}
	if p.many != nil || len(p.positions) > 0 {
		s.postings = append(s.postings, p)
	}
}

// nextPosting takes the posting of the first term in order from the sources, with what all of them have of it; nil at the end.
func nextPosting(ctx context.Context, tx pgx.Tx, sources []*source) (*posting, error) {
	var found []*source
	term := ""
	for _, s := range sources {
		next, err := s.next(ctx, tx)
		switch {
		case err != nil:
			return nil, err
		case next == nil:
		case found == nil || next.term < term:
			found, term = append(found[:0], s), next.term
		case next.term == term:
			found = append(found, s)
		}
	}
	if found == nil {
		return nil, nil
	}
	taken := found[0].postings[0]
	for _, s := range found[1:] {
		taken = union(taken, s.postings[0])
	}
	for _, s := range found {
		s.postings = s.postings[1:]
	}
	return &taken, nil
}

// union gives the positions of two postings of a term.
func union(a, b posting) posting {
	if a.many == nil && b.many == nil {
		positions := append(slices.Clone(a.positions), b.positions...)
		slices.Sort(positions)
		return posted(a.term, positions)
	}
	if a.many == nil {
		a, b = b, a
	}
	if b.many != nil {
		a.many.Or(b.many)
	} else {
		a.many.AddMany(b.positions)
	}
	return a
}

// blockWriter writes the blocks of a run.
type blockWriter struct {
	of                  *termFold
	number              int64
	firsts, lasts       []string
	positions, contents [][]byte
}

func (w *blockWriter) add(ctx context.Context, tx pgx.Tx, b block) error {
	w.firsts, w.lasts = append(w.firsts, b.first), append(w.lasts, b.last)
	w.positions, w.contents = append(w.positions, b.positions), append(w.contents, b.contents)
	if len(w.lasts) < blocksAtOnce {
		return nil
	}
	return w.flush(ctx, tx)
}

func (w *blockWriter) flush(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `INSERT INTO term_block (organization_id, collection, run, first, last, positions, contents)
		SELECT $1, $2, $3, * FROM unnest($4::text[], $5::text[], $6::bytea[], $7::bytea[])`,
		w.of.organization, w.of.table.Row.Name, w.number, w.firsts, w.lasts, w.positions, w.contents)
	w.firsts, w.lasts, w.positions, w.contents = nil, nil, nil, nil
	return err
}
