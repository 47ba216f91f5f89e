// Package tables tests that the documents describe every table of every schema: what bounds it (docs/scale.md), and whose names and
// addresses it has (docs/privacy.md).
package tables

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
)

const root = "../../.."

// ofPeople is how columns are called that may have what a person is known by.
const ofPeople = `(^|_)(name|email|phone|address|contact|requester|actor|actors|subject|ip|user_agent|person|author|by)(_|$)`

// A table without a bound grows until the disk is full.
func TestEveryTableHasABoundInTheDocument(t *testing.T) {
	t.Parallel()
	documented := firstCells(t, "docs/scale.md", "## What every table is bounded by")
	compare(t, "docs/scale.md", "table", documented, catalog(t, `SELECT current_schema() || '.' || c.relname, c.relname FROM pg_class c
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`))
}

// A person who wants to see or to erase what is stored is told all of it.
func TestEveryColumnThatMayNameAPersonIsInTheDocument(t *testing.T) {
	t.Parallel()
	documented := firstCells(t, "docs/privacy.md", "## What is stored about whom")
	documented = append(documented, firstCells(t, "docs/privacy.md", "## What names things")...)
	compare(t, "docs/privacy.md", "column", documented, catalog(t, `SELECT current_schema() || '.' || c.relname || '.' || a.attname,
			c.relname || '.' || a.attname, a.attname
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			AND a.attnum > 0 AND NOT a.attisdropped
			AND a.attgenerated = ''
			AND a.atttypid::regtype::text IN ('text', 'character varying', 'json', 'jsonb', 'inet', 'bytea')
			AND (a.attname ~ '`+ofPeople+`' OR (c.relname, a.attname) IN (SELECT of_table, of_column FROM person_columns()))`))
}

// What erase_person covers is what the document says of it, and everything else is erased otherwise or has a reason to stay.
func TestEveryPersonalColumnIsErasedOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, names := range catalog(t, `SELECT of_table || '.' || of_column, of_column FROM person_columns()`) {
		for _, name := range names {
			covered[name] = true
		}
	}
	rows := 0
	for line := range strings.Lines(section(t, "docs/privacy.md", "## What is stored about whom")) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.Contains(cells[1], "`") {
			continue
		}
		rows++
		how := strings.TrimSpace(cells[4])
		for _, name := range columnNames(cells[1]) {
			switch {
			case strings.HasPrefix(how, "erased by id") && !covered[name]:
				t.Errorf("docs/privacy.md says that %s is erased by id, and erase_person does not know it", name)
			case !strings.HasPrefix(how, "erased by id") && covered[name] && strings.Contains(name, "."):
				t.Errorf("erase_person erases %s, and docs/privacy.md says: %s", name, how)
			case !strings.HasPrefix(how, "erased ") && (!strings.HasPrefix(how, "stays: ") || len(how) < len("stays: it is the id")):
				t.Errorf("docs/privacy.md does not say how %s is erased, or why it stays: %s", name, how)
			}
		}
	}
	if rows < 10 {
		t.Errorf("docs/privacy.md has only %d rows", rows)
	}
}

// Each table has the key that its rows are gone through by.
func TestEveryTableOfPersonsCanBeErased(t *testing.T) {
	t.Parallel()
	erased := catalog(t, `WITH organization AS MATERIALIZED (SELECT set_config('ams.organization_id', gen_random_uuid()::text, false) AS id)
		SELECT current_schema() || '.' || p.of_table, (erase_person(gen_random_uuid(), p.of_table, NULL, 10)).rows_read::text
		FROM organization o, (SELECT DISTINCT of_table FROM person_columns()) p WHERE o.id <> ''`)
	if len(erased) < 60 {
		t.Errorf("only %d tables have persons", len(erased))
	}
}

// compare wants each row of the catalogue by one of its names, of which the first is the whole one, and each name of the document in the
// catalogue.
func compare(t *testing.T, page, kind string, documented []string, catalog [][]string) {
	t.Helper()
	if len(catalog) < 100 {
		t.Fatalf("the schemas have only %d of them", len(catalog))
	}
	for _, names := range catalog {
		if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(documented, name) }) {
			t.Errorf("%s has no row for the %s %s", page, kind, names[0])
		}
	}
	for _, name := range documented {
		if !slices.ContainsFunc(catalog, func(names []string) bool { return slices.Contains(names, name) }) {
			t.Errorf("%s has a row for %s, which no schema has", page, name)
		}
	}
}

// firstCells gives the names in the first column of the tables of a section.
func firstCells(t *testing.T, page, heading string) (names []string) {
	t.Helper()
	for line := range strings.Lines(section(t, page, heading)) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			names = append(names, columnNames(cells[1])...)
		}
	}
	return names
}

// columnNames are the names in a cell.
func columnNames(cell string) (names []string) {
	for _, name := range regexp.MustCompile("`([a-z0-9_.]+)`").FindAllStringSubmatch(cell, -1) {
		names = append(names, name[1])
	}
	return names
}

// section is the text below a heading.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	_, found, has := strings.Cut(string(text), "\n"+heading+"\n")
	if !has {
		t.Fatalf("%s has no section %q", page, heading)
	}
	found, _, _ = strings.Cut(found, "\n## ")
	return found
}

// catalog gives the rows of a query over every schema.
func catalog(t *testing.T, query string) (all [][]string) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "services", "*", "migrations"))
	if err != nil {
		t.Fatal(err)
	}
	var both sync.Mutex
	t.Run("schemas", func(t *testing.T) {
		for _, folder := range append(folders, filepath.Join(root, "gateway", "migrations")) {
			schema := filepath.Base(filepath.Dir(folder))
			t.Run(schema, func(t *testing.T) {
				t.Parallel()
				rows := read(t, postgrestest.New(t, schema, os.DirFS(folder)).OwnerURL, query)
				both.Lock()
				defer both.Unlock()
				all = append(all, rows...)
			})
		}
	})
	return all
}

func read(t *testing.T, address, query string) [][]string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	rows, err := db.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (names []string, err error) {
		values, err := row.Values()
		for _, value := range values {
			names = append(names, value.(string))
		}
		return names, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
