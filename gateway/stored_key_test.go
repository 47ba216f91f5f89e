package gateway

import (
	"strings"
	"testing"

	"ams.internal/gateway/keys"
)

// Whoever reads the whole database, its backups or its logs finds no key to use.
func TestAKeysValueIsNowhereInTheDatabase(t *testing.T) {
	o := newPeopleFixture(t)
	made := o.created(t, `{"name":"a","scopes":["assets:read"]}`)
	value := made["value"].(string)
	random := value[len(keys.Display(value))-len("…"):] // what people are not shown
	o.expect(t, value, 200, "")
	o.edge.WriteUsage(t.Context())
	var tables []string
	if err := o.owner.QueryRow(t.Context(), `SELECT array_agg(table_name::text)
		FROM information_schema.tables WHERE table_schema = 'gateway'`).Scan(&tables); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, table := range tables {
		var all string
		if err := o.owner.QueryRow(t.Context(), `SELECT coalesce(string_agg(t::text, ' '), '') FROM `+table+` t`).Scan(&all); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		found = found || strings.Contains(all, made["id"].(string)) && strings.Contains(all, made["display"].(string))
		if strings.Contains(all, random) {
			t.Errorf("%s holds the value of the key", table)
		}
	}
	if !found {
		t.Error("the key itself was not found, so its value was looked for in the wrong place")
	}
}
