// Package persons finds and erases a person's names in every table of a schema that has them: in created_by and similar columns, in
// history, the audit trail and events. The person's id stays. The database lists the columns (person_columns), and changes what no
// service may change (erase_person).
package persons

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

const (
	// batchRows is how many rows one transaction reads.
	batchRows = 2000
	// callTime is after how long a call begins no further transaction.
	callTime = 2 * time.Second
)

// Mount serves the gateway, which erases and exports for the operator.
func Mount(api *transport.API, db *postgres.DB) {
	transport.Internal(api, ErasePerson, func(ctx context.Context, in Query) (Part, error) {
		if err := ServicesOnly(ctx); err != nil {
			return Part{}, err
		}
		return Erase(ctx, db, in)
	})
	transport.Internal(api, ExportPerson, func(ctx context.Context, in Query) (Part, error) {
		if err := ServicesOnly(ctx); err != nil {
			return Part{}, err
		}
		return Export(ctx, db, in)
	})
}

// ServicesOnly refuses callers that are none of our own services.
func ServicesOnly(ctx context.Context) error {
	if principal.From(ctx).Actor.Type != "service" {
		return fault.Forbidden("services_only", "Only the product's own services may ask for this.")
	}
	return nil
}

// Erase erases the names of a person in the next rows. Each transaction stands for itself, and what was erased already is left alone:
// whoever is interrupted goes on from Next, or begins again.
func Erase(ctx context.Context, db *postgres.DB, in Query) (Part, error) {
	part := Part{Rows: map[string]int64{}}
	err := walk(ctx, db.Write, in, &part, func(ctx context.Context, tx pgx.Tx, at place) (reached []string, rows int64, err error) {
		var erased int64
		err = tx.QueryRow(ctx, `SELECT reached, rows_read, erased FROM erase_person($1, $2, $3, $4)`, in.ID, at.Table, at.Key, batchRows).
			Scan(&reached, &rows, &erased)
		if erased > 0 {
			part.Rows[at.Table] += erased
		}
		return reached, rows, err
	})
	return part, err
}

// Export gives the next rows that name a person, or are about the person's own record: their keys, when and from where, and the columns
// that have the id.
func Export(ctx context.Context, db *postgres.DB, in Query) (Part, error) {
	part := Part{Rows: map[string]int64{}, Records: map[string][]json.RawMessage{}}
	err := walk(ctx, db.Read, in, &part, func(ctx context.Context, tx pgx.Tx, at place) (reached []string, rows int64, err error) {
		query, err := exportOf(ctx, tx, at)
		if err != nil {
			return nil, 0, err
		}
		var found []json.RawMessage
		if err := tx.QueryRow(ctx, query, in.ID, at.Key).Scan(&rows, &reached, &found); err != nil {
			return nil, 0, err
		}
		if len(found) > 0 {
			part.Rows[at.Table] += int64(len(found))
			part.Records[at.Table] = append(part.Records[at.Table], found...)
		}
		return reached, rows, nil
	})
	return part, err
}

// place is up to where the tables of a schema were read.
type place struct {
	Table string   `json:"table"`
	Key   []string `json:"key,omitempty"` // of the last row; nil: none of the table was read
}

type transact func(ctx context.Context, fn func(ctx context.Context, tx pgx.Tx) error) error

// walk goes through the tables, a transaction for each batch of rows, and notes in part where the next call goes on.
func walk(ctx context.Context, run transact, in Query, part *Part,
	batch func(ctx context.Context, tx pgx.Tx, at place) (reached []string, rows int64, err error)) error {
	var at place
	if in.After != "" && json.Unmarshal([]byte(in.After), &at) != nil {
		return fault.InvalidFields(fault.Field{Field: "after", Message: "must be the next of the call before"})
	}
	for begin := time.Now(); ; {
		finished := false
		err := run(ctx, func(ctx context.Context, tx pgx.Tx) error {
			tables, err := tablesOf(ctx, tx)
			if err != nil {
				return err
			}
			n, found := slices.BinarySearch(tables, at.Table)
			if !found { // the first one, or what came with another release
				at.Key = nil
			}
			if finished = n == len(tables); finished {
				return nil
			}
			at.Table = tables[n]
			reached, rows, err := batch(ctx, tx, at)
			if err != nil || rows >= batchRows {
				at.Key = reached
				return err
			}
			if finished = n+1 == len(tables); !finished {
				at = place{Table: tables[n+1]}
			}
			return nil
		})
		if err != nil || finished {
			return postgres.Fault(err, nil)
		}
		if time.Since(begin) >= callTime {
			next, err := json.Marshal(at)
			part.Next = string(next)
			return err
		}
	}
}

func tablesOf(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT DISTINCT of_table COLLATE "C" FROM person_columns() ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// beside are the columns that are shown beside those that have the id, where a table has them.
var beside = []string{"id", "at", "created_at", "updated_at", "collection", "record_id", "version", "action", "type", "address",
	"last_address", "organization_name"}

// exportOf is the statement that gives the next rows of a table which have the id $1 of a person, behind the key $2.
func exportOf(ctx context.Context, tx pgx.Tx, at place) (string, error) {
	var key, types, named, all []string
	err := tx.QueryRow(ctx, `SELECT
			ARRAY(SELECT a.attname::text FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, n)
				JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
				WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.n),
			ARRAY(SELECT format_type(a.atttypid, a.atttypmod) FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, n)
				JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
				WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.n),
			ARRAY(SELECT of_column FROM person_columns() WHERE of_table = $1),
			ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
		FROM pg_class c WHERE c.oid = to_regclass(quote_ident($1))`, at.Table).Scan(&key, &types, &named, &all)
	if err != nil {
		return "", err
	}
	if len(key) == 0 || len(named) == 0 {
		return "", fmt.Errorf("export a person: %s has no column that names a person, or no key", at.Table)
	}
	quoted := func(names []string, form string) (out []string) {
		for _, name := range names {
			out = append(out, strings.ReplaceAll(form, "%", pgx.Identifier{name}.Sanitize()))
		}
		return out
	}
	after := "$2::text[] IS NULL"
	if at.Key != nil {
		values := make([]string, len(key))
		for i := range key {
			values[i] = fmt.Sprintf("($2::text[])[%d]::%s", i+1, types[i])
		}
		after = "(" + strings.Join(quoted(key, "%"), ", ") + ") > (" + strings.Join(values, ", ") + ")"
	}
	var shown, conditions []string
	for _, name := range all {
		switch {
		case slices.Contains(named, name):
			has := strings.ReplaceAll("strpos(t.%::text, $1::text) > 0", "%", pgx.Identifier{name}.Sanitize())
			if name == "user_name" {
				has = "t.user_id = $1::text::uuid"
			} else if slices.Contains(all, "collection") && slices.Contains(all, "record_id") {
				has = "(" + has + " OR t.collection = 'users' AND t.record_id = $1::text::uuid)"
			}
			conditions = append(conditions, has)
			shown = append(shown, fmt.Sprintf("'%s', CASE WHEN %s THEN t.%s END", name, has, pgx.Identifier{name}.Sanitize()))
		case slices.Contains(beside, name) || slices.Contains(key, name) && name != "organization_id":
			shown = append(shown, fmt.Sprintf("'%s', t.%s", name, pgx.Identifier{name}.Sanitize()))
		}
	}
	return `WITH batch AS MATERIALIZED (SELECT ` + strings.Join(quoted(key, "%"), ", ") + ` FROM ` + pgx.Identifier{at.Table}.Sanitize() +
		` WHERE organization_id = current_organization() AND ` + after +
		` ORDER BY ` + strings.Join(quoted(key, "%"), ", ") + fmt.Sprintf(` LIMIT %d`, batchRows) + `)
		SELECT (SELECT count(*) FROM batch), (SELECT ARRAY[` + strings.Join(quoted(key, "%::text"), ", ") + `] FROM batch ORDER BY ` +
		strings.Join(quoted(key, "% DESC"), ", ") + ` LIMIT 1),
			ARRAY(SELECT json_build_object(` + strings.Join(shown, ", ") + `) FROM batch b JOIN ` + pgx.Identifier{at.Table}.Sanitize() +
		` t ON t.organization_id = current_organization() AND ` + strings.Join(quoted(key, "t.% = b.%"), " AND ") +
		` WHERE ` + strings.Join(conditions, " OR ") + `)`, nil
}
