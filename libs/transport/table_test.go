package transport_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"ams.internal/libs/transport"
)

func TestATableHasTheNamesAndOrderOfTheJSON(t *testing.T) {
	type share struct {
		Count int     `json:"count"`
		Cost  float64 `json:"cost"`
	}
	type common struct {
		Currency string `json:"currency"`
	}
	type latest struct {
		Value *float64 `json:"value"`
		On    string   `json:"on"`
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
	got := transport.TableOf([]row{
		{Key: &key, common: common{"CAD"}, Shares: map[string]share{"poor": {1, 1e15}}, Latest: &latest{&value, "2026-01-31"}, Labels: []string{"x", "y"},
			Stale: &stale, hidden: 1, Left: 1},
		{Shares: map[string]share{"fair": {2, 0.1}}},
	})
	want := [][]string{
		{"key", "currency", "shares_fair_count", "shares_fair_cost", "shares_poor_count", "shares_poor_cost", "latest_value", "latest_on", "labels", "stale"},
		{"a", "CAD", "", "", "1", "1000000000000000", "12345678.25", "2026-01-31", `["x","y"]`, "false"},
		{"", "", "2", "0.1", "", "", "", "", "null", ""},
	}
	if !reflect.DeepEqual(got, want) {
		shown, _ := json.Marshal(got)
		t.Errorf("got %s", shown)
	}
	if none := transport.TableOf([]row{}); len(none) != 1 || len(none[0]) != 6 {
		t.Errorf("without rows: %v", none)
	}
}
