package assets

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestSummariesCountOpenWork(t *testing.T) {
	client, _, peers := serveAlone(t)
	site := client.Create(t, "/v1/sites", fields{"name": "Site"})["id"]
	building := client.Create(t, "/v1/buildings", fields{"name": "Pavillon", "site_id": site})["id"]
	system := client.Create(t, "/v1/systems", fields{"name": "Chauffage", "building_id": building})["id"]
	client.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": system, "replacement_cost": 100})
	summaries := func(want fields) {
		t.Helper()
		for path, id := range map[string]any{"/v1/sites": site, "/v1/buildings": building, "/v1/systems": system} {
			got := summary(t, client, path, id, "")
			request := peers.LastRequest("/internal/work-orders/counts")
			if by := path[len("/v1/"):len(path)-1] + "_id"; want["open_work_orders"] != nil &&
				(request["by"] != by || !reflect.DeepEqual(request["ids"], []any{id})) {
				t.Errorf("the request is %v, want the counts of %s %v", request, by, id)
			}
			resourcetest.Expect(t, got, want)
			resourcetest.Expect(t, got, map[string]any{"replacement_cost": 100, "counts.assets": 1})
		}
	}
	summaries(fields{"open_work_orders": 0, "overdue_work_orders": 0})
	peers.Respond("/internal/work-orders/counts", fields{"data": []fields{{"id": site, "open": 7, "overdue": 2}}})
	summaries(fields{"open_work_orders": 7, "overdue_work_orders": 2})

	requests := peers.Requests("/internal/work-orders/counts")
	client.Must(t, http.StatusNotFound, "GET", fmt.Sprintf("/v1/buildings/%v/summary", site), nil)
	if again := peers.Requests("/internal/work-orders/counts"); again != requests {
		t.Error("work orders of a building that is not there were counted")
	}
	peers.Leave()
	summaries(fields{"open_work_orders": nil, "overdue_work_orders": nil}) // and the rest as before
}
