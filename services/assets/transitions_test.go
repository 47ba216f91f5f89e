package assets

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

func TestTransitions(t *testing.T) {
	t.Parallel()
	client := serve(t)
	site := client.Create(t, "/v1/sites", fields{"name": "Site"})["id"]
	for _, c := range []struct {
		path  string
		moves map[string][]string // from → to; nothing else is allowed
	}{
		{"/v1/sites", map[string][]string{
			"planned": {"active", "disposed"}, "active": {"inactive", "disposed"}, "inactive": {"active", "disposed"}, "disposed": {"active"},
		}},
		{"/v1/buildings", map[string][]string{
			"planned": {"active"}, "active": {"vacant", "closed"}, "vacant": {"active", "closed", "demolished"},
			"closed": {"active", "demolished"}, "demolished": nil,
		}},
		{"/v1/systems", map[string][]string{
			"planned": {"in_service", "decommissioned"}, "in_service": {"out_of_service", "decommissioned"},
			"out_of_service": {"in_service", "decommissioned"}, "decommissioned": {"in_service"},
		}},
		{"/v1/assets", map[string][]string{
			"planned": {"in_service", "disposed"}, "in_service": {"out_of_service", "decommissioned"},
			"out_of_service": {"in_service", "decommissioned"}, "decommissioned": {"disposed", "in_service"}, "disposed": nil,
		}},
	} {
		for from, allowed := range c.moves {
			for to := range c.moves {
				t.Run(fmt.Sprintf("%s %s to %s", c.path, from, to), func(t *testing.T) {
					body := fields{"name": from + to, "status": from}
					if c.path == "/v1/buildings" {
						body["site_id"] = site
					}
					move := fields{"status": to}
					if ofAssets := c.path == "/v1/assets"; ofAssets && from == "disposed" {
						body["disposed_on"] = "2020-01-01"
					} else if ofAssets && to == "disposed" {
						move["disposed_on"] = "2020-01-01"
					}
					record := client.Create(t, c.path, body)
					response := client.Do(t, "PATCH", fmt.Sprint(c.path, "/", record["id"]), move)
					switch {
					case from == to:
						if response.Status != http.StatusOK || response.JSON["version"] != 1.0 {
							t.Errorf("staying is %d, version %v", response.Status, response.JSON["version"])
						}
					case slices.Contains(allowed, to):
						if response.Status != http.StatusOK || response.JSON["status"] != to {
							t.Errorf("allowed, but %d: %s", response.Status, response.Body)
						}
					default:
						if response.Status != http.StatusConflict || response.JSON["field"] != "status" || response.JSON["value"] != to {
							t.Errorf("not allowed, but %d: %s", response.Status, response.Body)
						}
						if list, _ := response.JSON["allowed"].([]any); len(list) != len(allowed) {
							t.Errorf("allowed is %v, want %v", list, allowed)
						}
					}
				})
			}
		}
	}
}

func TestDisposingNeedsADay(t *testing.T) {
	t.Parallel()
	client := serve(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Pompe", "status": "decommissioned"})
	path := fmt.Sprint("/v1/assets/", asset["id"])
	if response := client.Must(t, http.StatusBadRequest, "PATCH", path,
		fields{"status": "disposed"}); !slices.Contains(response.Fields(), "disposed_on") {
		t.Errorf("refused %v", response.Fields())
	}
	client.Must(t, http.StatusOK, "PATCH", path, fields{"status": "disposed", "disposed_on": "2026-01-31"})
	client.Must(t, http.StatusBadRequest, "PATCH", path, fields{"disposed_on": nil})
	client.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "in_service"})
}
