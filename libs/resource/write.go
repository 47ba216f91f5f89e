package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// How a write goes, for one record and for a thousand alike: the changes are checked together, the rows of all of
// them are written by one statement that takes them as one JSON document, and what was written is kept as history and
// as events. A change that cannot be made says so on itself; the caller decides whether the others stand.

// create writes new records.
func (c *collection[T]) create(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	for _, change := range changes {
		if change.id == "" {
			change.id = newID()
		}
		c.number(change)
	}
	if err := c.prepare(ctx, tx, changes); err != nil {
		return err
	}
	good := sound(changes)
	if err := c.reserveNumbers(ctx, tx, good); err != nil {
		return err
	}
	return c.write(ctx, tx, "created", good, c.insert)
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// update writes changed records, whose Before was read with a lock in this transaction.
func (c *collection[T]) update(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	if err := c.prepare(ctx, tx, changes); err != nil {
		return err
	}
	var changed []*Change[T]
	for _, change := range sound(changes) {
		if reflect.DeepEqual(change.Before, change.After) {
			change.after = change.before // nothing to write, and no new version
			continue
		}
		changed = append(changed, change)
	}
	return c.write(ctx, tx, "updated", changed, c.replace)
}

// remove deletes records, whose Before was read with a lock in this transaction.
func (c *collection[T]) remove(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	if c.SoftDelete != nil {
		for _, change := range changes {
			after := *change.Before
			c.SoftDelete(&after)
			change.After = &after
		}
		return c.update(ctx, tx, changes)
	}
	if c.BeforeWrite != nil {
		if err := c.BeforeWrite(ctx, tx, changes); err != nil {
			return err
		}
	}
	if err := c.refuseDependents(ctx, tx, sound(changes), false); err != nil {
		return err
	}
	return c.write(ctx, tx, "deleted", sound(changes), c.erase)
}

// prepare checks what holds for every resource, then what the resource itself asks for.
func (c *collection[T]) prepare(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	for _, change := range changes {
		c.checkTransition(change)
	}
	if err := c.checkReferences(ctx, tx, c.refuseFeatures(ctx, changes)); err != nil {
		return err
	}
	if c.BeforeWrite == nil {
		return nil
	}
	return c.BeforeWrite(ctx, tx, changes)
}

// sound gives the changes that nothing speaks against.
func sound[T any](changes []*Change[T]) []*Change[T] {
	var good []*Change[T]
	for _, change := range changes {
		if change.err() == nil {
			good = append(good, change)
		}
	}
	return good
}

// write runs statement for all changes. When a unique value is taken, it runs once more for each change alone, so
// that every change that clashes is named. Then come history, events, and what the resource does afterwards.
func (c *collection[T]) write(ctx context.Context, tx pgx.Tx, action string, changes []*Change[T],
	statement func(context.Context, pgx.Tx, []*Change[T]) error) error {
	if len(changes) == 0 {
		return nil
	}
	err := postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error { return statement(ctx, tx, changes) })
	if clash(err) != nil {
		for _, change := range changes {
			if err := c.writeAlone(ctx, tx, change, statement); err != nil {
				return err
			}
		}
	} else if err != nil {
		return c.explain(err)
	}
	written := sound(changes)
	if err := c.record(ctx, tx, action, written); err != nil {
		return err
	}
	if c.AfterWrite == nil || len(written) == 0 {
		return nil
	}
	return c.AfterWrite(ctx, tx, written)
}

func (c *collection[T]) writeAlone(ctx context.Context, tx pgx.Tx, change *Change[T],
	statement func(context.Context, pgx.Tx, []*Change[T]) error) error {
	for attempt := 0; ; attempt++ {
		err := postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error { return statement(ctx, tx, []*Change[T]{change}) })
		violation := clash(err)
		if violation == nil {
			return c.explain(err)
		}
		field := c.fieldOfConstraint(postgres.Constraint(violation))
		if change.numbered[field] && attempt < 3 { // somebody gave that number by hand: go on behind the highest
			if err := c.skipNumbers(ctx, tx, field); err != nil {
				return err
			}
			if err := c.reserveNumbers(ctx, tx, []*Change[T]{change}); err != nil {
				return err
			}
			continue
		}
		refusal, err := c.refusal(ctx, tx, violation, field, change)
		if err != nil {
			return err
		}
		change.Reject(refusal)
		return nil
	}
}

// clash gives the violated unique or foreign key, or nil.
func clash(err error) *pgconn.PgError {
	var violation *pgconn.PgError
	if errors.As(err, &violation) && (violation.Code == "23505" || violation.Code == "23503") {
		return violation
	}
	return nil
}

// document is the JSON array of the records that a statement writes, and the columns that have a value in any of
// them. What is null is left out: it would cost Postgres as much as a value.
func (c *collection[T]) document(changes []*Change[T]) ([]byte, []*column, error) {
	used := make([]bool, len(c.columns))
	dst := make([]byte, 0, 512*len(changes))
	dst = append(dst, '[')
	for n, change := range changes {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"id":"`...), change.id...), '"')
		record := reflect.ValueOf(change.After).Elem()
		for i, column := range c.columns {
			if !column.stored {
				continue
			}
			value := column.Get(record)
			if value == nil {
				continue
			}
			used[i] = true
			dst = append(append(append(dst, `,"`...), column.Column...), `":`...)
			var err error
			if dst, err = appendJSON(dst, value); err != nil {
				return nil, nil, err
			}
		}
		dst = append(dst, '}')
	}
	var columns []*column
	for i, column := range c.columns {
		if used[i] {
			columns = append(columns, column)
		}
	}
	return append(dst, ']'), columns, nil
}

func appendJSON(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return jsontext.AppendQuote(dst, v)
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64), nil
	}
	encoded, err := json.Marshal(value)
	return append(dst, encoded...), err
}

func (c *collection[T]) insert(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	records, columns, err := c.document(changes)
	if err != nil {
		return err
	}
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	return c.run(ctx, tx, changes, c.insertSQL(columns), p.OrganizationID, c.Collection, len(changes), actor, records)
}

// insertSQL takes organization, collection, number of records, actor, and the records as JSON.
func (c *collection[T]) insertSQL(columns []*column) string {
	names, values, types := "", "", ""
	for _, column := range columns {
		names += ", " + column.Column
		values += ", r." + column.Column
		types += ", " + column.Column + " " + sqlType(column.Field)
	}
	ledger := ""
	if c.parent == "" {
		ledger = `, counted AS (INSERT INTO ledger (organization_id, collection, block, live)
			SELECT $1, $2, t.position / ` + strconv.Itoa(blockSize) + `, count(*) FROM written t GROUP BY 3)`
	}
	return `WITH stamp AS MATERIALIZED (SELECT * FROM reserve_positions($2, $3)),
		input AS (SELECT row_number() OVER () AS place, r.* FROM json_to_recordset($5::json) r (id uuid` + types + `)),
		written AS (INSERT INTO ` + c.name + ` AS t (organization_id, id, position, version, created_at, updated_at, created_by, updated_by` + names + `)
			SELECT $1, r.id, stamp.first_position + r.place - 1, 1, stamp.at, stamp.at, $4::jsonb, $4::jsonb` + values + `
			FROM stamp, input r ORDER BY r.place
			RETURNING t.*)` + ledger + `
		SELECT ` + selection(c.columns) + ` FROM written t ORDER BY t.position`
}

func (c *collection[T]) replace(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	records, _, err := c.document(changes)
	if err != nil {
		return err
	}
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	sql := `WITH input AS (SELECT row_number() OVER () AS place, r.* FROM json_populate_recordset(NULL::` + c.name + `, $3::json) r),
		written AS (UPDATE ` + c.name + ` AS t SET version = t.version + 1, updated_at = clock_timestamp(), updated_by = $2::jsonb,
			(` + c.storedNames("") + `) = ROW(` + c.storedNames("r.") + `)
			FROM input r WHERE t.organization_id = $1 AND t.id = r.id RETURNING r.place, t.*)
		SELECT ` + selection(c.columns) + ` FROM written t ORDER BY t.place`
	return c.run(ctx, tx, changes, sql, p.OrganizationID, actor, records)
}

func (c *collection[T]) erase(ctx context.Context, tx pgx.Tx, changes []*Change[T]) error {
	ids := make([]string, len(changes))
	for i, change := range changes {
		ids[i] = change.id
	}
	sql := `DELETE FROM ` + c.name + ` WHERE organization_id = $1 AND id = ANY($2::uuid[])`
	args := []any{principal.From(ctx).OrganizationID, ids}
	if c.parent == "" {
		sql = `WITH gone AS (` + sql + ` RETURNING position)
			INSERT INTO ledger (organization_id, collection, block, live) SELECT $1, $3, position / 1024, -count(*) FROM gone GROUP BY 3`
		args = append(args, c.Collection)
	}
	_, err := tx.Exec(ctx, sql, args...)
	return err
}

// run keeps the rows that a statement gives back, in the order of the changes.
func (c *collection[T]) run(ctx context.Context, tx pgx.Tx, changes []*Change[T], sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		if n < len(changes) {
			changes[n].after = copyRow(rows.RawValues())
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if n != len(changes) {
		return fmt.Errorf("%s: %d records written, %d expected", c.Collection, n, len(changes))
	}
	return nil
}
