package citus

import "testing"

// inSQL are functions in SQL that take arguments and read tables of organizations, each with the reason why it stays one. Citus says of
// others: "could not create distributed plan … possibly this is caused by the use of parameters in SQL functions".
var inSQL = map[string]string{
	"custom_values": "is put into the calling statement, so that no parameter is left",
	"documents.blobs_due": "walks the organizations of an index by recursion, which no engine does over shards: " +
		"it is to be asked of each shard",
	"webhooks.blocked_endpoints": "of the webhooks service, which stays on one server: its work is to put the events of all " +
		"organizations in order",
}

// TestFunctionsThatTakeArgumentsAreInPLpgSQL looks at the functions of every service that has a conformance suite.
func TestFunctionsThatTakeArgumentsAreInPLpgSQL(t *testing.T) {
	used := map[string]bool{}
	for _, schema := range conforming(t) {
		for _, row := range catalog(t, schema, `SELECT p.proname::text, c.relname::text FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
			JOIN pg_class c ON c.relnamespace = p.pronamespace AND c.relkind IN ('r', 'p') AND c.relrowsecurity
			WHERE p.pronamespace = to_regnamespace($1) AND l.lanname = 'sql' AND p.pronargs > 0
				AND pg_get_functiondef(p.oid) ~ ('\m' || c.relname || '\M')`) {
			switch name := schema + "." + row[0]; {
			case inSQL[row[0]] != "":
				used[row[0]] = true
			case inSQL[name] != "":
				used[name] = true
			default:
				t.Errorf("%s is in SQL, takes arguments and reads %s: write it in PL/pgSQL", name, row[1])
			}
		}
	}
	for name := range inSQL {
		if !used[name] {
			t.Errorf("%s is an exception that is not needed any more", name)
		}
	}
}
