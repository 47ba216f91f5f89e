package consistency

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// PartialWrites looks, in the database itself, for a write of which a part is missing: a version of a record without its one
// history row, a history row without its record, a history row without its one event, an event without its history row.
func PartialWrites(ctx context.Context, db *pgx.Conn) (found []string, err error) {
	for _, schema := range schemas {
		tables, err := resources(ctx, db, schema)
		if err != nil {
			return nil, err
		}
		for _, check := range checks(schema, tables) {
			rows, err := db.Query(ctx, check.sql)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", schema, check.means, err)
			}
			wrong, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", schema, check.means, err)
			}
			for _, each := range wrong {
				found = append(found, fmt.Sprintf("%s: %s: %s", schema, check.means, each))
			}
		}
	}
	return found, nil
}

// resources are the tables of records: those with a version.
func resources(ctx context.Context, db *pgx.Conn, schema string) ([]string, error) {
	rows, err := db.Query(ctx, `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.columns
		WHERE table_schema = $1 AND column_name IN ('organization_id', 'id', 'position', 'version', 'updated_by')
		GROUP BY 1 HAVING count(*) = 5 ORDER BY 1`, schema)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// check is a statement that gives what is wrong.
type check struct{ means, sql string }

func checks(schema string, tables []string) []check {
	var parts []string
	for _, table := range tables {
		parts = append(parts, "SELECT organization_id, id, version FROM "+table)
	}
	with := fmt.Sprintf(`WITH record AS (%s),
		history AS (SELECT * FROM %[2]s.history WHERE action IN ('created', 'updated', 'deleted')),
		kept AS (SELECT organization_id, record_id, count(*) FILTER (WHERE action <> 'deleted') AS versions,
			max(version) FILTER (WHERE action <> 'deleted') AS last, bool_or(action = 'deleted') AS deleted FROM history GROUP BY 1, 2),
		event AS (SELECT organization_id, collection, record_id, version, split_part(type, '.', 2) AS action FROM %[2]s.outbox
			UNION ALL SELECT organization_id, collection, record_id, version, split_part(type, '.', 2)
				FROM webhooks.event WHERE sequence IS NOT NULL)
		`, strings.Join(parts, " UNION ALL "), schema)
	return []check{
		{"a record whose versions are not those of its history", with +
			`SELECT format('%s version %s, history %s up to %s', record.id, record.version, kept.versions, kept.last)
			FROM record LEFT JOIN kept ON kept.organization_id = record.organization_id AND kept.record_id = record.id
			WHERE kept.versions IS DISTINCT FROM record.version OR kept.last IS DISTINCT FROM record.version OR kept.deleted LIMIT 5`},
		{"a history whose record is not there", with + `SELECT format('%s', kept.record_id) FROM kept
			WHERE NOT kept.deleted AND NOT EXISTS
				(SELECT FROM record WHERE record.organization_id = kept.organization_id AND record.id = kept.record_id) LIMIT 5`},
		{"a history row without its one event", with +
			`SELECT format('%s version %s %s: %s events', history.record_id, history.version, history.action, count(event.record_id))
			FROM history LEFT JOIN event USING (organization_id, record_id, version, action)
			GROUP BY history.organization_id, history.record_id, history.version, history.action HAVING count(event.record_id) <> 1 LIMIT 5`},
		{"an event without its history row", with + `SELECT format('%s version %s %s', event.record_id, event.version, event.action) FROM event
			WHERE event.action IN ('created', 'updated', 'deleted') AND event.collection IN (SELECT DISTINCT collection FROM history)
			AND NOT EXISTS (SELECT FROM history WHERE history.organization_id = event.organization_id AND history.record_id = event.record_id
				AND history.version = event.version AND history.action = event.action) LIMIT 5`},
	}
}
