package assets

import (
	"fmt"
	"net/http"
	"testing"

	"ams.internal/libs/postgres/postgrestest"
)

func TestStatementsCostNoRoundTripForEachRecord(t *testing.T) {
	database := postgrestest.New(t, "assets", migrations)
	through, asked := postgrestest.CountRoundTrips(t, database.URL)
	database.URL = through
	client, _ := serveFrom(t, database)
	client = client.Other()
	rows := func(n, rating int) fields {
		var data []fields
		for i := range n {
			data = append(data, fields{"name": "Porte", "external_id": fmt.Sprint("P", i), "condition_rating": rating,
				"replacement_cost": 10 * rating})
		}
		return fields{"data": data}
	}
	number := 0
	for _, c := range []struct {
		name string
		call func()
		want int64
	}{
		{"a create without a rating", func() { client.Create(t, "/v1/assets", fields{"name": "Porte", "replacement_cost": 5}) }, 2},
		{"a create with one", func() { client.Create(t, "/v1/assets", fields{"name": "Porte", "condition_rating": 2}) }, 2},
		{"a bulk call with other ratings and costs", func() {
			number++
			client.Must(t, http.StatusOK, "POST", "/v1/assets/bulk?on_conflict=update", rows(50, 1+number%5))
		}, 4},
		{"the same bulk call again", func() {
			client.Must(t, http.StatusOK, "POST", "/v1/assets/bulk?on_conflict=update", rows(50, 1+number%5))
		}, 2},
	} {
		for range 3 { // the first time, statements are prepared, and records made
			asked.Store(0)
			c.call()
		}
		if got := asked.Load(); got != c.want {
			t.Errorf("%s: the database is asked %d times, want %d", c.name, got, c.want)
		}
	}
}
