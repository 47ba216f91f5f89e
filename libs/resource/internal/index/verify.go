package index

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

// longStatement lets the statements of a transaction take as long as those of an export.
const longStatement = "SET LOCAL statement_timeout = '5min'"

// Problem is the error of what is kept where it cannot be read, or differs from the rows. Rebuild makes it anew.
type Problem struct{ sentence string }

func (p *Problem) Error() string { return "index: " + p.sentence }

func problem(format string, args ...any) error { return &Problem{fmt.Sprintf(format, args...)} }

// Verify compares facets and terms with rows, in one snapshot: of each record that is not pending, its values and its terms. It also
// judges what readers and folds rely on: that a record is of one run, and that blocks are in order and say which records they have. The
// error is a *Problem that names the first difference. Verify needs 8 bytes for each record, and the facets' bitmaps twice.
func Verify(ctx context.Context, t *table.Table) error {
	return t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, longStatement); err != nil {
			return err
		}
		v := verification{tx: tx, organization: principal.From(ctx).OrganizationID, table: t, reader: newReader(t), fields: Fields(t),
			pending: roaring.New(), seed: maphash.MakeSeed(), sums: sums{}}
		for _, step := range []func(context.Context) error{v.readPending, v.readRuns, v.readRows, v.compareTerms, v.compareFacets} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// verification is a Verify under way. Records that are pending are passed by: readers take them from the rows.
type verification struct {
	tx           pgx.Tx
	organization string
	table        *table.Table
	reader       reader
	fields       []*table.Column
	pending      *roaring.Bitmap
	runs         []*run
	values       []map[string]*roaring.Bitmap // of each field, the records by value, as the rows have them
	seed         maphash.Seed
	sums         sums // of each record the hashes of its terms: those of the row added, those of the runs taken away
}

// sums are numbers by position, in parts of partSize.
type sums map[uint64]*[partSize]uint64

func (s sums) add(position, number uint64) {
	part := s[position/partSize]
	if part == nil {
		part = new([partSize]uint64)
		s[position/partSize] = part
	}
	part[position%partSize] += number
}

// first gives the least position whose number is not 0.
func (s sums) first() (position uint64, found bool) {
	for number, part := range s {
		i := slices.IndexFunc(part[:], func(sum uint64) bool { return sum != 0 })
		if at := number*partSize + uint64(i); i >= 0 && (!found || at < position) {
			position, found = at, true
		}
	}
	return position, found
}

func (v *verification) query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return v.tx.Query(ctx, sql, append([]any{v.organization, v.table.Row.Name}, args...)...)
}

func (v *verification) readPending(ctx context.Context) error {
	rows, err := v.query(ctx, "SELECT unnest(positions) FROM facet_pending WHERE organization_id = $1 AND collection = $2")
	if err != nil {
		return err
	}
	var position uint64
	_, err = pgx.ForEachRow(rows, []any{&position}, func() error {
		v.pending.Add(position)
		return nil
	})
	return err
}

// readRuns reads the runs. A record may be of one only, and each block is of a run.
func (v *verification) readRuns(ctx context.Context) (err error) {
	f := termFold{organization: v.organization, table: v.table}
	if v.runs, err = f.runs(ctx, v.tx); err != nil {
		return err
	}
	all := roaring.New()
	for _, r := range v.runs {
		if both := roaring.And(all, r.positions); !both.IsEmpty() {
			return problem("the record at position %d of %s is of run %d and of a later one", both.Minimum(), v.table.Row.Name, r.number)
		}
		all.Or(r.positions)
	}
	rows, err := v.query(ctx, `SELECT DISTINCT run FROM term_block WHERE organization_id = $1 AND collection = $2
		AND run NOT IN (SELECT run FROM term_run WHERE organization_id = $1 AND collection = $2)`)
	if err != nil {
		return err
	}
	orphans, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(orphans) == 0 {
		return err
	}
	return problem("%s has blocks of run %d, which there is not", v.table.Row.Name, slices.Min(orphans))
}

// readRows reads values and terms of all records.
func (v *verification) readRows(ctx context.Context) error {
	sql := "SELECT t.position"
	v.values = make([]map[string]*roaring.Bitmap, len(v.fields))
	for i, field := range v.fields {
		sql += ", " + field.SQL + "::text"
		v.values[i] = map[string]*roaring.Bitmap{}
	}
	rows, err := v.tx.Query(ctx, sql+v.reader.selection()+" FROM "+v.table.Name+" t WHERE t.organization_id = $1", v.organization)
	if err != nil {
		return err
	}
	defer rows.Close()
	var hashes []uint64
	for rows.Next() {
		position, values, err := positionOf(rows)
		if err != nil {
			return err
		}
		if v.pending.Contains(position) {
			continue
		}
		for i, value := range values[:len(v.fields)] {
			v.recordsOf(i, value).Add(position)
		}
		if len(v.reader.columns) == 0 {
			continue
		}
		hashes = hashes[:0]
		eachTerm(v.reader.terms(values[len(v.fields):]), func(term string) { hashes = append(hashes, maphash.String(v.seed, term)) })
		slices.Sort(hashes)
		for _, hash := range slices.Compact(hashes) { // several terms may have the same short one
			v.sums.add(position, hash)
		}
	}
	return rows.Err()
}

// recordsOf are the records of a value, which is new when no record has had it yet.
func (v *verification) recordsOf(field int, text []byte) *roaring.Bitmap {
	var records *roaring.Bitmap
	if text == nil {
		records = v.values[field][""]
	} else {
		key := make([]byte, 0, 64)
		records = v.values[field][string(append(append(key, '='), text...))]
	}
	if records == nil {
		records = roaring.New()
		v.values[field][valueOf(text)] = records
	}
	return records
}

// eachTerm calls each with terms and the short terms that stand for them.
func eachTerm(terms []string, each func(string)) {
	for _, term := range terms {
		each(term)
		shortTerms(term, each)
	}
}

// compareTerms compares the terms of each record by the sums of their hashes. Where those differ, it looks at the record again.
func (v *verification) compareTerms(ctx context.Context) error {
	err := v.readBlocks(ctx, func(r *run, p posting) {
		hash := maphash.String(v.seed, p.term)
		take := func(position uint64) {
			if r.positions.Contains(position) && !v.pending.Contains(position) {
				v.sums.add(position, -hash)
			}
		}
		if p.many == nil {
			for _, position := range p.positions {
				take(position)
			}
			return
		}
		for walk := roaring.And(p.many, r.positions).Iterator(); walk.HasNext(); {
			take(walk.Next())
		}
	})
	if err != nil {
		return err
	}
	if position, differs := v.sums.first(); differs {
		return v.explain(ctx, position)
	}
	return nil
}

// readBlocks gives the postings of all blocks, of records as well that are no longer the run's.
func (v *verification) readBlocks(ctx context.Context, each func(*run, posting)) error {
	for _, r := range v.runs {
		rows, err := v.query(ctx, `SELECT first, last, positions, contents FROM term_block
			WHERE organization_id = $1 AND collection = $2 AND run = $3 ORDER BY last`, r.number)
		if err != nil {
			return err
		}
		before := ""
		var b block
		_, err = pgx.ForEachRow(rows, []any{&b.first, &b.last, &b.positions, &b.contents}, func() error {
			err := b.check(before, func(p posting) { each(r, p) })
			before, b.positions, b.contents = b.last, nil, nil
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// check gives the postings of a block. Its terms must follow each other and the last one before it, be from first to last, and have the
// positions that the block declares.
func (b *block) check(before string, each func(posting)) error {
	first, last, ascending := "", before, true
	var found []uint64
	err := b.decode(everything, func(p posting) {
		if first == "" {
			first = p.term
		}
		ascending = ascending && p.term > last && isAscending(p.positions)
		last = p.term
		found = append(found, p.positions...)
		each(p)
	})
	switch {
	case err != nil:
		return err
	case !ascending || first != b.first || last != b.last:
		return problem("the block from %q to %q is not in order", b.first, b.last)
	case b.contents == nil:
		return nil
	}
	declared, err := readBitmap(b.positions)
	if err != nil {
		return err
	}
	slices.Sort(found)
	together := roaring.New()
	together.AddMany(found)
	if differs := roaring.Xor(declared, together); !differs.IsEmpty() {
		return problem("the block from %q to %q is wrong about the record at position %d", b.first, b.last, differs.Minimum())
	}
	return nil
}

func isAscending(positions []uint64) bool {
	for i := 1; i < len(positions); i++ {
		if positions[i-1] >= positions[i] {
			return false
		}
	}
	return true
}

// explain says which of its terms a record is found by and does not have, or has and is not found by: the first one.
func (v *verification) explain(ctx context.Context, position uint64) error {
	counts := map[string]int{}
	sql := "SELECT t.position" + v.reader.selection() + " FROM " + v.table.Name + " t WHERE t.organization_id = $1 AND t.position = $2"
	rows, err := v.tx.Query(ctx, sql, v.organization, position)
	if err != nil {
		return err
	}
	for rows.Next() {
		_, values, err := positionOf(rows)
		if err != nil {
			return err
		}
		eachTerm(v.reader.terms(values), func(term string) { counts[term] = 1 })
	}
	if err := rows.Err(); err != nil {
		return err
	}
	err = v.readBlocks(ctx, func(r *run, p posting) {
		has := slices.Contains(p.positions, position) || p.many != nil && p.many.Contains(position)
		if has && r.positions.Contains(position) {
			counts[p.term]--
		}
	})
	if err != nil {
		return err
	}
	missing, more := "", ""
	for term, count := range counts {
		if count > 0 && (missing == "" || term < missing) {
			missing = term
		}
		if count < 0 && (more == "" || term < more) {
			more = term
		}
	}
	if missing != "" {
		return problem("the record at position %d of %s has %q and is not found by it", position, v.table.Row.Name, missing)
	}
	return problem("the record at position %d of %s is found by %q, which it does not have", position, v.table.Row.Name, more)
}

// compareFacets compares the bitmaps with the records by value.
func (v *verification) compareFacets(ctx context.Context) error {
	stored := make([]map[string]*roaring.Bitmap, len(v.fields))
	for i := range stored {
		stored[i] = map[string]*roaring.Bitmap{}
	}
	rows, err := v.query(ctx, "SELECT field, value, part, bits FROM facet WHERE organization_id = $1 AND collection = $2")
	if err != nil {
		return err
	}
	var k key
	var bits []byte
	_, err = pgx.ForEachRow(rows, []any{&k.field, &k.value, &k.part, &bits}, func() error {
		i := slices.IndexFunc(v.fields, func(field *table.Column) bool { return field.Name == k.field })
		if i < 0 {
			return nil
		}
		bitmap, err := readBitmap(bits)
		if bits = nil; err != nil {
			return err
		}
		if !bitmap.IsEmpty() && (bitmap.Minimum()/partSize != uint64(k.part) || bitmap.Maximum()/partSize != uint64(k.part)) {
			return problem("%s %q of %s has positions in part %d that are of another part", k.field, k.value, v.table.Row.Name, k.part)
		}
		if bitmap.AndNot(v.pending); stored[i][k.value] != nil {
			bitmap.Or(stored[i][k.value])
		}
		stored[i][k.value] = bitmap
		return nil
	})
	if err != nil {
		return err
	}
	for i, field := range v.fields {
		if err := compareValues(v.table.Row.Name, field.Name, stored[i], v.values[i]); err != nil {
			return err
		}
	}
	return nil
}

// compareValues compares what is stored of the values of a field with what the records have.
func compareValues(collection, field string, stored, have map[string]*roaring.Bitmap) error {
	for value := range have {
		if stored[value] == nil {
			stored[value] = roaring.New()
		}
	}
	for value, counted := range stored {
		records := have[value]
		if records == nil {
			records = roaring.New()
		}
		if differs := roaring.Xor(counted, records); !differs.IsEmpty() {
			return problem("%s %q of %s is counted %d times, %d records have it; the record at position %d is one of the difference",
				field, value, collection, counted.GetCardinality(), records.GetCardinality(), differs.Minimum())
		}
	}
	return nil
}
