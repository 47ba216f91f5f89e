package transport_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"ams.internal/libs/parquet"
	"ams.internal/libs/transport"
)

func TestATableHasTheNamesAndOrderOfTheJSON(t *testing.T) {
	t.Parallel()
	type share struct {
		Count int     `json:"count"`
		Cost  float64 `json:"cost" decimals:"2"`
	}
	type common struct {
		Currency string `json:"currency"`
	}
	type latest struct {
		Value *float64 `json:"value"`
		On    string   `json:"on" format:"date"`
	}
	type row struct {
		Key *string `json:"key"`
		common
		Shares map[string]share `json:"shares"`
		Latest *latest          `json:"latest"`
		Labels []string         `json:"labels"`
		Stale  *bool            `json:"stale"`
		hidden int
		Left   int `json:"-"`
	}
	key, value, stale := "a", 12345678.25, false
	table := transport.TableOf([]row{
		{Key: &key, common: common{"CAD"}, Shares: map[string]share{"poor": {1, 1e15}}, Latest: &latest{&value, "2026-01-31"},
			Labels: []string{"x", "y"}, Stale: &stale, hidden: 1, Left: 1},
		{Shares: map[string]share{"fair": {2, 0.1}}},
	})
	want := [][]string{
		{"key", "currency", "shares_fair_count", "shares_fair_cost", "shares_poor_count", "shares_poor_cost", "latest_value", "latest_on",
			"labels", "stale"},
		{"a", "CAD", "", "", "1", "1000000000000000", "12345678.25", "2026-01-31", `["x","y"]`, "false"},
		{"", "", "2", "0.1", "", "", "", "", "null", ""},
	}
	got := [][]string{{}}
	for _, c := range table.Columns {
		got[0] = append(got[0], c.Name)
	}
	for _, row := range table.Rows {
		var line []string
		for _, cell := range row {
			line = append(line, string(cell))
		}
		got = append(got, line)
	}
	if !reflect.DeepEqual(got, want) {
		shown, _ := json.Marshal(got)
		t.Errorf("got %s", shown)
	}
	columns := []parquet.Column{
		{Name: "key"}, {Name: "currency"}, {Name: "shares_fair_count", Type: parquet.Integer}, {Name: "shares_fair_cost", Type: parquet.Decimal,
			Decimals: 2}, {Name: "shares_poor_count", Type: parquet.Integer}, {Name: "shares_poor_cost", Type: parquet.Decimal, Decimals: 2},
		{Name: "latest_value", Type: parquet.Number}, {Name: "latest_on", Type: parquet.Date}, {Name: "labels", Type: parquet.Texts},
		{Name: "stale", Type: parquet.Boolean},
	}
	if !reflect.DeepEqual(table.Columns, columns) {
		t.Errorf("columns %v", table.Columns)
	}
	if missing := table.Rows[1][2] == nil || table.Rows[1][0] != nil || table.Rows[1][1] == nil; missing {
		t.Errorf("null is not what is empty: %q", table.Rows[1])
	}
	if none := transport.TableOf([]row{}); len(none.Rows) != 0 || len(none.Columns) != 6 {
		t.Errorf("without rows: %v", none)
	}
}
