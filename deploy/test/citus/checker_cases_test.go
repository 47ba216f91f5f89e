package citus

import (
	"slices"
	"testing"
)

// TestTheCheckerFinds shows that the checker can fail, and what it lets pass.
func TestTheCheckerFinds(t *testing.T) {
	c := &checker{
		isolated: map[string]bool{"asset": true, "site": true, "ledger": true},
		functions: map[string]string{"clock_timestamp": volatile, "statement_timestamp": stable, "current_setting": stable, "lower": immutable,
			"reserve_positions": volatile, "to_char": stable},
	}
	for _, test := range []struct {
		name, statement string
		want            []string
	}{
		{"an argument", "SELECT name FROM asset WHERE organization_id = $1 AND id = $2", nil},
		{"with a cast and a name", "SELECT a.name FROM asset a WHERE a.organization_id = $1::uuid", nil},
		{"a function in its place", "SELECT name FROM asset WHERE organization_id = current_organization()", []string{"no organization"}},
		{"nothing", "SELECT name FROM asset WHERE id = $1", []string{"no organization"}},
		{"only where something else is", "SELECT name FROM asset WHERE organization_id = $1 OR id = $2", []string{"no organization"}},
		{"a join with one that has it",
			"SELECT FROM asset a JOIN site s ON s.organization_id = a.organization_id AND s.id = a.site_id WHERE s.organization_id = $1", nil},
		{"by rows",
			"SELECT FROM asset a JOIN site s ON (s.organization_id, s.id) = (a.organization_id, a.site_id) WHERE a.organization_id = $1", nil},
		{"USING", "SELECT FROM asset a JOIN site s USING (organization_id) WHERE a.organization_id = $1", nil},
		{"a join without it", "SELECT FROM asset a JOIN site s ON s.id = a.site_id WHERE a.organization_id = $1", []string{"no organization"}},
		{"a subquery without it", "SELECT FROM asset a WHERE a.organization_id = $1 AND EXISTS (SELECT FROM site s WHERE s.id = a.site_id)",
			[]string{"no organization"}},
		{"a union, of which one part lacks it", "SELECT id FROM asset WHERE organization_id = $1 UNION ALL SELECT id FROM site",
			[]string{"no organization"}},
		{"a name of the statement's own", "WITH asset AS (SELECT 1 AS id) SELECT id FROM asset", nil},
		{"an insert", "INSERT INTO site (organization_id, id) VALUES ($1, $2)", nil},
		{"an insert of what was selected",
			"INSERT INTO site (organization_id, id) SELECT organization_id, id FROM asset WHERE organization_id = $1", nil},
		{"an insert without it", "INSERT INTO site (id) VALUES ($1)", []string{"no organization"}},
		{"an insert with a function for it", "INSERT INTO site (organization_id, id) VALUES (current_organization(), $1)",
			[]string{"no organization"}},
		{"a subquery in an insert's values", "INSERT INTO site (organization_id, id) VALUES ($1, (SELECT 1))", []string{"a subquery in VALUES"}},
		{"a volatile function in values, which are worked out before",
			"INSERT INTO site (organization_id, at) VALUES ($1, clock_timestamp())", nil},
		{"a volatile function in an insert of what is selected", "INSERT INTO site (organization_id, position) SELECT $1, s.first_position " +
			"FROM reserve_positions('sites', 1) s", []string{"a volatile function"}},
		{"a volatile function in a table expression of its own, which is worked out before",
			"WITH stamp AS MATERIALIZED (SELECT s.first_position FROM reserve_positions('sites', 1) s) " +
				"INSERT INTO site (organization_id, position) SELECT $1, stamp.first_position FROM stamp", nil},
		{"a volatile function in an update", "UPDATE asset SET at = clock_timestamp() WHERE organization_id = $1",
			[]string{"a volatile function"}},
		{"one that keeps to the statement", "UPDATE asset SET at = statement_timestamp() WHERE organization_id = $1", nil},
		{"a volatile function in a delete", "DELETE FROM asset WHERE organization_id = $1 AND at < clock_timestamp()",
			[]string{"a volatile function"}},
		{"inside a common table expression", "WITH gone AS (UPDATE asset SET at = clock_timestamp() WHERE organization_id = $1 RETURNING id) " +
			"SELECT FROM gone", []string{"a volatile function"}},
		{"a function in DO UPDATE", "INSERT INTO site (organization_id, at) VALUES ($1, $2) ON CONFLICT (organization_id) DO " +
			"UPDATE SET at = statement_timestamp()", []string{"a function in DO UPDATE that is not immutable"}},
		{"a function in CASE", "UPDATE asset SET at = CASE WHEN $2 THEN statement_timestamp() END WHERE organization_id = $1",
			[]string{"a function in CASE or COALESCE that is not immutable"}},
		{"a date in COALESCE", "UPDATE asset SET at = coalesce(at, current_date) WHERE organization_id = $1",
			[]string{"a function in CASE or COALESCE that is not immutable"}},
		{"a stable function of a column", "UPDATE asset SET name = to_char(at, 'YYYY') WHERE organization_id = $1",
			[]string{"a stable function of a column"}},
		{"a stable function in RETURNING", "DELETE FROM asset WHERE organization_id = $1 RETURNING to_char(at, 'YYYY')",
			[]string{"a function in RETURNING that is not immutable"}},
		{"an immutable one", "DELETE FROM asset WHERE organization_id = $1 RETURNING lower(name)", nil},
		{"another organization", "UPDATE asset SET organization_id = $2 WHERE organization_id = $1",
			[]string{"a row is given to another organization"}},
		{"a table that is not distributed", "UPDATE migration SET at = clock_timestamp()", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, err := c.check(test.statement)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.what)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s: found %v, want %q", test.statement, found, test.want)
			}
		})
	}
}
