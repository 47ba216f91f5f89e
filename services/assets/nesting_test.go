package assets

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// chain makes n assets, each a part of the one before.
func chain(t testing.TB, client *resourcetest.Client, n int) []any {
	t.Helper()
	var ids []any
	var parent any
	for i := range n {
		parent = client.Create(t, "/v1/assets", fields{"name": fmt.Sprint("Niveau ", i+1), "parent_asset_id": parent})["id"]
		ids = append(ids, parent)
	}
	return ids
}

func nest(t testing.TB, client *resourcetest.Client, id, parent any) resourcetest.Response {
	t.Helper()
	response := client.Do(t, "PATCH", fmt.Sprint("/v1/assets/", id), fields{"parent_asset_id": parent})
	if response.Status == http.StatusBadRequest && !slices.Equal(response.Fields(), []string{"parent_asset_id"}) {
		t.Errorf("refused %v, want parent_asset_id", response.Fields())
	}
	return response
}

func TestAssetsNestTenLevels(t *testing.T) {
	t.Parallel()
	client := serve(t)
	ids := chain(t, client, maxNesting)
	client.Must(t, http.StatusBadRequest, "POST", "/v1/assets", fields{"name": "Niveau 11", "parent_asset_id": ids[9]})

	pair := chain(t, client, 2)
	if response := nest(t, client, pair[0], ids[8]); response.Status != http.StatusBadRequest {
		t.Errorf("two levels below the ninth: %d", response.Status)
	}
	if response := nest(t, client, pair[0], ids[7]); response.Status != http.StatusOK {
		t.Errorf("two levels below the eighth: %d %s", response.Status, response.Body)
	}
}

func TestNoAssetIsAPartOfItself(t *testing.T) {
	t.Parallel()
	client := serve(t)
	ids := chain(t, client, 4)
	for _, parent := range ids {
		if response := nest(t, client, ids[0], parent); response.Status != http.StatusBadRequest {
			t.Errorf("the first below %v: %d", parent, response.Status)
		}
	}
	if response := nest(t, client, ids[3], ids[0]); response.Status != http.StatusOK {
		t.Errorf("the last below the first: %d", response.Status)
	}
	if response := nest(t, client, ids[1], ids[3]); response.Status != http.StatusOK {
		t.Errorf("the second below what is no longer its part: %d %s", response.Status, response.Body)
	}
	client.Must(t, http.StatusConflict, "DELETE", fmt.Sprint("/v1/assets/", ids[0]), nil)
}

func TestRowsOfOneCallNestOnTopOfEachOther(t *testing.T) {
	t.Parallel()
	client := serve(t)
	a, b := client.Create(t, "/v1/assets", fields{"name": "A"})["id"], client.Create(t, "/v1/assets", fields{"name": "B"})["id"]
	circle := []fields{{"id": a, "parent_asset_id": b}, {"id": b, "parent_asset_id": a}}
	client.Must(t, http.StatusBadRequest, "PATCH", "/v1/assets/bulk", fields{"data": circle})
	response := client.Must(t, http.StatusOK, "PATCH", "/v1/assets/bulk?atomic=false", fields{"data": circle})
	resourcetest.Expect(t, response.JSON["summary"].(fields), fields{"updated": 1, "failed": 1})

	rows := []fields{}
	for i := range maxNesting + 1 {
		row := fields{"name": "N", "external_id": fmt.Sprint("n", i)}
		if i > 0 {
			row["parent_asset_external_id"] = fmt.Sprint("n", i-1)
		}
		rows = append(rows, row)
	}
	client.Must(t, http.StatusBadRequest, "POST", "/v1/assets/bulk", fields{"data": rows})
	client.Must(t, http.StatusOK, "POST", "/v1/assets/bulk", fields{"data": rows[:maxNesting]})
}

// Changes that are right alone must not make a circle together.
func TestConcurrentNestingMakesNoCircle(t *testing.T) {
	t.Parallel()
	client := serve(t)
	for range 10 {
		var ids []any
		for range 4 {
			ids = append(ids, client.Create(t, "/v1/assets", fields{"name": "A"})["id"])
		}
		var work sync.WaitGroup
		for i := range ids {
			work.Go(func() { nest(t, client, ids[i], ids[(i+1)%len(ids)]) })
		}
		work.Wait()
		roots := 0
		for _, id := range ids {
			if client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", id), nil).JSON["parent_asset_id"] == nil {
				roots++
			}
		}
		if roots == 0 {
			t.Fatal("four assets are parts of each other in a circle")
		}
	}
}
