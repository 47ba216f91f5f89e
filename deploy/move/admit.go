package move

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/cmd/amsctl/importer"
)

// admit refuses what cannot be moved, before anything is written.
func (m *Move) admit(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if err := m.sameTables(ctx); err != nil {
		return err
	}
	if err := m.noImports(ctx); err != nil {
		return err
	}
	if err := m.requireEmptyTarget(ctx); err != nil {
		return err
	}
	return m.enoughRoom(ctx)
}

// sameTables refuses a cell whose schemas are of another release.
func (m *Move) sameTables(ctx context.Context) error {
	source, err := m.source.migrations(ctx, m.source.schemas())
	if err != nil {
		return err
	}
	target, err := m.target.migrations(ctx, m.target.schemas())
	if err != nil {
		return err
	}
	for _, schema := range m.Services {
		if source[schema] == "" {
			return fmt.Errorf("the database of the cell %s has no schema %s: only organizations whose services share one database can be moved",
				m.source.name, schema)
		}
	}
	for _, schema := range m.source.schemas() {
		if source[schema] != target[schema] {
			return fmt.Errorf("the schema %s of the cell %s has other migrations (%s) than that of the cell %s (%s): run the programs' "+
				"migrations in both cells, then move", schema, m.target.name, orNone(target[schema]), m.source.name, orNone(source[schema]))
		}
	}
	inTarget := map[string]table{}
	for _, t := range m.target.tables {
		inTarget[t.String()] = t
	}
	tables := make([]table, len(m.source.tables))
	for i, t := range m.source.tables {
		if tables[i] = inTarget[t.String()]; tables[i].types != t.types {
			return fmt.Errorf("the table %s of the cell %s has other columns than that of the cell %s, or in another order: "+
				"make them alike, then move", t, m.target.name, m.source.name)
		}
	}
	m.target.tables = tables // in the order of the source's
	return nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// migrations says for each schema how far it is.
func (p *place) migrations(ctx context.Context, schemas []string) (map[string]string, error) {
	found := map[string]string{}
	for _, schema := range schemas {
		var reached string
		if err := p.work.QueryRow(ctx,
			fmt.Sprintf("SELECT (SELECT max(version_id) FROM %s)::text || '/' || (SELECT max(version_id) FROM %s)::text",
				pgx.Identifier{schema, "migration_base"}.Sanitize(), pgx.Identifier{schema, "migration"}.Sanitize())).Scan(&reached); err != nil {
			return nil, fmt.Errorf("read the migrations of %s in the cell %s: %w", schema, p.name, err)
		}
		found[schema] = reached
	}
	return found, nil
}

// importPause is how long after its last call an import that has not said that it is complete is taken to be running.
const importPause = "2 minutes"

// noImports refuses an organization with a running import: its importer would send for minutes what has to be caught up. Its calls are
// known by their Idempotency-Keys.
func (m *Move) noImports(ctx context.Context) error {
	var each []string
	for _, schema := range m.source.schemas() {
		each = append(each,
			fmt.Sprintf(`SELECT FROM %[1]s i WHERE i.organization_id IN (%[2]s) AND i.created_at > clock_timestamp() - interval '%[3]s'
			AND i.key ~ '%[4]s' AND NOT EXISTS (SELECT FROM %[1]s e WHERE e.organization_id = i.organization_id AND e.actor_id = i.actor_id
				AND e.key = split_part(i.key, '-', 1) || '%[5]s')`,
				pgx.Identifier{schema, "idempotency"}.Sanitize(), list(m.Organizations), importPause, importer.CallKey, importer.CompleteSuffix))
	}
	var running bool
	if err := m.source.work.QueryRow(ctx, "SELECT EXISTS ("+strings.Join(each, " UNION ALL ")+")").Scan(&running); err != nil {
		return fmt.Errorf("look for imports: %w", err)
	}
	if running {
		return fmt.Errorf("an import of the organization is running, or was interrupted less than %s ago: wait until it is complete, then move",
			importPause)
	}
	return nil
}

// requireEmptyTarget refuses a cell with rows of the organization that no move has left.
func (m *Move) requireEmptyTarget(ctx context.Context) error {
	marked, err := m.target.marked(ctx, m.Organizations)
	if err != nil || marked {
		return err
	}
	found, err := m.hasRows(ctx, m.target)
	if err == nil && found {
		err = fmt.Errorf("the cell %s has rows of the organization, and no move has left them: find out whose they are before anything is "+
			"moved there", m.target.name)
	}
	return err
}

func (m *Move) hasRows(ctx context.Context, p *place) (bool, error) {
	filled, err := p.filled(ctx, p.work, m.Organizations)
	return len(filled) > 0, err
}

// enoughRoom compares what the database would have with what it may have. How much disk is left, a database cannot say.
func (m *Move) enoughRoom(ctx context.Context) error {
	if m.Room == 0 {
		return nil
	}
	var each []string
	for _, t := range m.source.tables { // its part of the table, with indexes
		each = append(each, fmt.Sprintf(`SELECT max(s.size) * max(o.n) / greatest(max(o.n), max(s.rows), 1) AS part
			FROM (SELECT count(*) AS n FROM %[2]s WHERE organization_id IN (%[3]s)) o,
				(SELECT sum(pg_total_relation_size(c.oid))::float8 AS size, sum(greatest(c.reltuples, 0)) FILTER (WHERE c.relkind = 'r') AS rows
					FROM pg_class c WHERE c.oid = %[1]s::regclass OR c.oid IN (SELECT p.relid FROM pg_partition_tree(%[1]s) p)) s`,
			literal(t.String()), t, list(m.Organizations)))
	}
	var needed, used int64
	if err := m.source.work.QueryRow(ctx,
		"SELECT sum(part)::bigint FROM ("+strings.Join(each, " UNION ALL ")+") p").Scan(&needed); err != nil {
		return fmt.Errorf("measure the organization: %w", err)
	}
	if err := m.target.work.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&used); err != nil {
		return fmt.Errorf("measure the cell %s: %w", m.target.name, err)
	}
	if needed+used > m.Room {
		return fmt.Errorf("the cell %s lacks room: its database has %d MB, the organization some %d MB, and %d MB are allowed; "+
			"allow more, or choose another cell", m.target.name, used>>20, needed>>20, m.Room>>20)
	}
	return nil
}
