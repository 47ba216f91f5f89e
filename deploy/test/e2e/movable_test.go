package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
)

// ofOurs names the schemas of our programs in what follows.
const ofOurs = `WITH ours AS (SELECT n.oid, n.nspname AS schema FROM pg_namespace n
	WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = 'ams_' || n.nspname))
`

// What docs/scale.md says of a database for each service: no role sees another's schema, so no statement of a service can need two;
// and nothing that the owner made crosses either, neither a foreign key nor a view nor a function.
func TestNothingInTheDatabaseNeedsTwoSchemas(t *testing.T) {
	if own := catalog(t, `SELECT r.rolname || ' ' || n.nspname FROM pg_roles r, pg_namespace n
		WHERE r.rolname IN (SELECT 'ams_' || schema FROM ours) AND has_schema_privilege(r.oid, n.oid, 'USAGE')
			AND n.nspname = substr(r.rolname, 5)`); len(own) < 10 {
		t.Fatalf("only these roles see their schema: %v", own)
	}
	for what, query := range map[string]string{
		"a role that sees another schema": `SELECT r.rolname || ' sees ' || n.schema FROM pg_roles r, ours n
			WHERE r.rolname IN (SELECT 'ams_' || schema FROM ours) AND has_schema_privilege(r.oid, n.oid, 'USAGE')
				AND n.schema <> substr(r.rolname, 5)`,
		"a foreign key between schemas": `SELECT k.conname::text FROM pg_constraint k JOIN pg_class a ON a.oid = k.conrelid
			JOIN pg_class b ON b.oid = k.confrelid
			WHERE k.contype = 'f' AND a.relnamespace <> b.relnamespace`,
		"a view": `SELECT c.oid::regclass::text FROM pg_class c JOIN ours ON ours.oid = c.relnamespace WHERE c.relkind IN ('v', 'm')`,
		"a function that looks elsewhere": `SELECT p.oid::regprocedure::text FROM pg_proc p JOIN ours ON ours.oid = p.pronamespace, ours other
			WHERE other.oid <> ours.oid AND p.prosrc ~ ('\m' || other.schema || '\.\w')
			UNION ALL SELECT p.oid::regprocedure::text FROM pg_proc p JOIN ours ON ours.oid = p.pronamespace
			WHERE p.prosecdef AND NOT coalesce(p.proconfig::text ~ ('search_path=\W*' || ours.schema || '\W+pg_temp'), false)`,
	} {
		if found := catalog(t, query); len(found) > 0 {
			t.Errorf("%s: %v", what, found)
		}
	}
}

// What docs/scale.md says of distribution by organization_id (Citus): every key and every foreign key of a table that has it
// begins with it. Its exceptions, and the functions and sequences that belong to no organization, are those that the document
// tells in the section "What stands against it", none more and none less.
func TestWhatStandsAgainstDistributionIsWhatTheDocumentSays(t *testing.T) {
	exceptions := map[string]string{
		"keys that do not begin with it": `SELECT ours.schema || '.' || i.relname
			FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid JOIN ours ON ours.oid = c.relnamespace
			JOIN pg_attribute o ON o.attrelid = c.oid AND o.attname = 'organization_id'
			WHERE (x.indisunique OR x.indisexclusion) AND x.indkey[0] <> o.attnum`,
		"tables without it": `SELECT CASE WHEN c.relname IN ('migration', 'migration_base', 'migration_pending', 'backfill', 'organization_move',
			'moved_row', 'partitioned_table') THEN c.relname ELSE ours.schema || '.' || c.relname END
			FROM pg_class c JOIN ours ON ours.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p') AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'organization_id')`,
		"foreign keys without it": `SELECT ours.schema || '.' || k.conname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
			JOIN ours ON ours.oid = c.relnamespace
			JOIN pg_attribute o ON o.attrelid = c.oid AND o.attname = 'organization_id'
			WHERE k.contype = 'f' AND k.conkey[1] <> o.attnum`,
		"functions with the owner's rights": `SELECT CASE WHEN p.proname IN ('reserve_positions', 'fold_ledger', 'outbox_take',
			'outbox_done', 'outbox_waiting', 'effects_take', 'effects_later', 'effects_waiting', 'empty_sandbox', 'note_moved_row', 'backfill_batch',
			'erase_person', 'keep_partitions', 'sweep_idempotency') THEN p.proname ELSE ours.schema || '.' || p.proname END
			FROM pg_proc p JOIN ours ON ours.oid = p.pronamespace WHERE p.prosecdef`,
		"sequences": `SELECT CASE WHEN c.relname ~ '^(position_of|time_of)_' THEN split_part(c.relname, '_of_', 1) || '_of_…'
				WHEN c.relname IN ('ledger_id_seq', 'ledger_total_id_seq',
					'outbox_position_seq', 'effect_instruction_sequence_seq', 'custom_field_id_seq', 'moved_row_number_seq', 'facet_pending_id_seq')
					OR c.relname ~ '^migration' THEN regexp_replace(c.relname, '_base', '') ELSE ours.schema || '.' || c.relname END
			FROM pg_class c JOIN ours ON ours.oid = c.relnamespace WHERE c.relkind = 'S'`,
		"triggers": `SELECT ours.schema || '.' || t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
			JOIN ours ON ours.oid = c.relnamespace WHERE NOT t.tgisinternal`,
	}
	text, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "What stands against it")
	if !found {
		t.Fatal("docs/scale.md has no section “What stands against it”")
	}
	for what, query := range exceptions {
		documented := documented(t, section, what)
		have := catalog(t, query)
		for _, name := range have {
			if !slices.Contains(documented, name) {
				t.Errorf("%s: docs/scale.md does not tell of %s", what, name)
			}
		}
		for _, name := range documented {
			if !slices.Contains(have, name) {
				t.Errorf("%s: docs/scale.md tells of %s, which is none", what, name)
			}
		}
	}
}

// Every table that has an organization keeps organizations apart, wherever it is moved to.
func TestEveryTableWithAnOrganizationIsIsolated(t *testing.T) {
	query := func(secured string) []string {
		return catalog(t, `SELECT ours.schema || '.' || c.relname FROM pg_class c JOIN ours ON ours.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p') AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'organization_id') AND `+secured)
	}
	if open := query("NOT (c.relrowsecurity AND c.relforcerowsecurity)"); len(open) > 0 {
		t.Errorf("row-level security is not forced on %v", open)
	}
	if isolated := query("c.relforcerowsecurity"); len(isolated) < 50 {
		t.Errorf("only these are isolated: %v", isolated)
	}
}

// While an organization moves to another database its rows are in both. What works for all organizations by itself, and what looks for
// somebody in all, leaves out those that live elsewhere, but for what does no harm.
func TestWhatIsDoneForAllOrganizationsLeavesOutThoseThatLiveElsewhere(t *testing.T) {
	harmless := []string{
		// Whoever calls these leaves them out (postgres.LivesHere).
		"blobs_due", "retention_due", "trash_due", "keys_of_uploads", "jobs_due", "closes_due",
		"scan_again",                   // marks what is found again
		"outbox_done", "effects_later", // of rows that outbox_take and effects_take have given
		"outbox_waiting", "effects_waiting", "blocked_endpoints", "blobs_waiting", // figures
		"reserve_positions", "fold_ledger", "empty_sandbox", "note_moved_row", // of one organization
		"erase_person", "erase_user_history", // of the transaction's organization
		"keep_partitions", // drops what is old in either; nothing that moves is ever dropped yet
		"backfill_batch",  // of each row by itself; organizations are moved when all have finished
	}
	const ofServices = `FROM pg_proc p JOIN ours ON ours.oid = p.pronamespace
		WHERE p.prosecdef AND ours.schema NOT IN ('gateway', 'console', 'mcp')`
	for _, name := range catalog(t, `SELECT p.proname::text `+ofServices+` AND p.prosrc !~ 'organization_move'`) {
		if !slices.Contains(harmless, name) {
			t.Errorf("%s does not look at organization_move", name)
		}
	}
	if all := catalog(t, `SELECT ours.schema || '.' || p.proname `+ofServices+` AND p.prosrc ~ 'organization_move'`); len(all) < 20 {
		t.Errorf("only these do: %v", all)
	}
}

// documented gives the names in the row of the document's table.
func documented(t *testing.T, section, row string) (names []string) {
	t.Helper()
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) > 2 && strings.TrimSpace(cells[1]) == row {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
				names = append(names, name[1])
			}
			return names
		}
	}
	t.Fatalf("docs/scale.md has no row %q", row)
	return nil
}

// catalog gives the distinct results of a query over the stack's database.
func catalog(t *testing.T, query string) []string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), devstack.ForTest(t).Description().PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	rows, err := db.Query(t.Context(), ofOurs+query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
