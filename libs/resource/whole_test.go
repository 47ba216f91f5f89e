package resource_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// Records are shown as they were on a day: in pages, streams and one by one, with and without names. What is not of the day stays.
func TestRecordsAreShownAsOfADay(t *testing.T) {
	dated, asked := books, 0
	dated.AsOf = &resource.AsOf{Doc: "Prices of this day.", Fields: []string{"price_per_page"},
		Read: func(_ context.Context, day string, ids []string) (map[string]map[string]*string, error) {
			asked++
			if day < "2020-01-01" {
				return nil, fault.InvalidFields(fault.Field{Field: "as_of", Message: "must be 2020-01-01 or later"})
			}
			found := map[string]map[string]*string{}
			for i, id := range slices.Sorted(slices.Values(ids)) {
				price := "1234.50"
				if found[id] = map[string]*string{"price_per_page": &price}; i == 1 {
					found[id]["price_per_page"] = nil
				}
			}
			return found, nil
		}}
	client, _ := serveWith(t, dated)
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "A"})["id"]
	var ids []string
	for i := range 3 {
		ids = append(ids, client.Create(t, "/v1/books",
			map[string]any{"title": fmt.Sprint("Livre ", i), "shelf_id": shelf, "price": 10, "pages": 100})["id"].(string))
	}
	for _, query := range []string{"?as_of=2020-06-30", "?as_of=2020-06-30&expand=shelf",
		"?as_of=2020-06-30&fields=title,price_per_page&sort=title", "?as_of=2020-06-30&q=Livre"} {
		asked = 0
		listed, _ := client.List(t, "/v1/books"+query)
		if len(listed) != 3 || listed[0]["price_per_page"] != 1234.5 || listed[1]["price_per_page"] != nil ||
			listed[2]["title"] != "Livre 2" || asked != 2 {
			t.Errorf("%s: %v, asked %d times", query, listed, asked)
		}
	}
	one := client.Must(t, http.StatusOK, "GET", "/v1/books/"+ids[0]+"?as_of=2020-06-30&expand=shelf", nil)
	if one.JSON["price_per_page"] != 1234.5 || one.JSON["shelf"].(map[string]any)["name"] != "A" || one.Header.Get("ETag") != "" {
		t.Errorf("%v %s", one.Header, one.Body)
	}
	for _, accept := range []string{"text/csv", "application/x-ndjson"} {
		body := client.Must(t, http.StatusOK, "GET", "/v1/books?as_of=2020-06-30", nil, "Accept", accept).Body
		if bytes.Count(body, []byte("1234.50")) != 2 || bytes.Count(body, []byte("Livre")) != 3 {
			t.Errorf("%s: %s", accept, body)
		}
	}
	asked = 0
	client.Must(t, http.StatusOK, "GET", "/v1/books?fields=title", nil)
	if client.Must(t, http.StatusOK, "GET", "/v1/books?fields=title&as_of=2020-06-30", nil); asked != 1 { // for the day alone
		t.Errorf("asked %d times for what is not shown", asked)
	}
	for query, field := range map[string]string{"?as_of=2019-06-30": "as_of", "?as_of=x": "as_of", "/" + ids[0] + "?as_of=2019-06-30": "as_of",
		"?totals=true": "totals"} {
		if got := client.Must(t, http.StatusBadRequest, "GET", "/v1/books"+query, nil).Fields(); !slices.Equal(got, []string{field}) {
			t.Errorf("%s: %v", query, got)
		}
	}
	client.Must(t, http.StatusBadRequest, "GET", "/v1/books?as_of=2019-06-30", nil, "Accept", "text/csv") // before the first byte
}

// Totals are of all records that are found, whatever finds them: conditions, facets, words.
func TestTotalsAreOfAllRecordsThatAreFound(t *testing.T) {
	summed := books
	summed.Totals = &resource.Totals{Doc: "Adds up.", Join: "LEFT JOIN LATERAL (SELECT count(*) AS sequels " +
		"FROM book s WHERE s.organization_id = t.organization_id AND s.sequel_to_id = t.id) s ON true",
		Sums:   []resource.Sum{{Name: "price", SQL: "t.price", Doc: "What all cost."}, {Name: "sequels", SQL: "s.sequels", Doc: "How many."}},
		Groups: []string{"genre", "shelf_id", "pages"}}
	client, _ := serveWith(t, summed)
	first := client.Create(t, "/v1/books", map[string]any{"title": "Premier", "price": 0.1})["id"]
	for i := range 4 {
		client.Create(t, "/v1/books",
			map[string]any{"title": fmt.Sprint("Suite ", i), "price": 0.2, "genre": []string{"novel", "poetry"}[i%2], "sequel_to_id": first})
	}
	other := client.Other()
	other.Create(t, "/v1/books", map[string]any{"title": "Premier", "price": 5})
	for query, want := range map[string]string{
		"":                             `{"count":5,"price":0.90,"sequels":4}`,
		"&per_page=1&page=2":           `{"count":5,"price":0.90,"sequels":4}`,
		"&genre=novel":                 `{"count":2,"price":0.40,"sequels":0}`,
		"&q=Suite&sort=relevance":      `{"count":4,"price":0.80,"sequels":0}`,
		"&q=Premier&expand=shelf":      `{"count":1,"price":0.10,"sequels":4}`,
		"&price_min=0.15&genre=poetry": `{"count":2,"price":0.40,"sequels":0}`,
		"&title=Nul":                   `{"count":0,"price":0,"sequels":0}`,
	} {
		if body := client.Must(t, http.StatusOK, "GET",
			"/v1/books?totals=true"+query, nil).Body; !bytes.Contains(body, []byte(`,"totals":`+want)) {
			t.Errorf("%s: want %s, got %s", query, want, body)
		}
	}
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "A"})["id"]
	client.Create(t, "/v1/books", map[string]any{"title": "Rangé", "price": 1, "shelf_id": shelf, "genre": "poetry", "pages": 7})
	for query, want := range map[string]string{
		"group_by=genre&q=Suite": `{"count":4,"price":0.80,"sequels":0,"number_of_groups":2,"groups":[` +
			`{"key":"novel","name":null,"count":2,"price":0.40,"sequels":0},{"key":"poetry","name":null,"count":2,"price":0.40,"sequels":0}]}`,
		"group_by=shelf_id&genre=poetry": `{"count":3,"price":1.40,"sequels":0,"number_of_groups":2,"groups":[` +
			`{"key":null,"name":"No shelf","count":2,"price":0.40,"sequels":0},{"key":"` + shelf.(string) +
			`","name":"A","count":1,"price":1.00,"sequels":0}]}`,
		"group_by=pages&title=Rang%C3%A9":        `"groups":[{"key":"7","name":null,"count":1,"price":1.00,"sequels":0}]}`,
		"group_by=genre&q=Suite&group_sort=-key": `"groups":[{"key":"poetry","name":null,"count":2,"price":0.40,"sequels":0},{"key":"novel",`,
		"group_by=genre&group_sort=-price":       `"groups":[{"key":"poetry","name":null,"count":3,"price":1.40,"sequels":0},{"key":"novel",`,
		"group_by=genre&group_sort=price":        `"groups":[{"key":null,"name":"No genre","count":1,"price":0.10,"sequels":4},{"key":"novel",`,
		"group_by=genre&group_sort=-sequels":     `"groups":[{"key":null,"name":"No genre","count":1,"price":0.10,"sequels":4},{"key":"novel",`,
		"group_by=genre&group_sort=count":        `"groups":[{"key":null,"name":"No genre","count":1,"price":0.10,"sequels":4},{"key":"novel",`,
		"group_by=pages&group_sort=key":          `"groups":[{"key":"7","name":null,"count":1,"price":1.00,"sequels":0},{"key":null,`,
		// what has none comes last, either way
		"group_by=pages&group_sort=-key": `"groups":[{"key":"7","name":null,"count":1,"price":1.00,"sequels":0},{"key":null,`,
		"group_by=genre&title=Nul":       `{"count":0,"price":0,"sequels":0,"number_of_groups":0,"groups":[]}`,
	} {
		if body := client.Must(t, http.StatusOK, "GET", "/v1/books?per_page=1&"+query, nil).Body; !bytes.Contains(body, []byte(want)) {
			t.Errorf("%s: want %s, got %s", query, want, body)
		}
	}
	if refused := client.Must(t, http.StatusBadRequest, "GET", "/v1/books?group_by=gender", nil); !bytes.Contains(refused.Body,
		[]byte("must be one of genre, shelf_id, pages; did you mean genre?")) {
		t.Errorf("%s", refused.Body)
	}
	for query, says := range map[string]string{
		"group_by=genre&group_sort=pages": "must be one of count, -count, key, -key, price, -price, sequels, -sequels",
		"group_sort=count":                "give group_by"} {
		if refused := client.Must(t, http.StatusBadRequest, "GET", "/v1/books?"+query, nil); !bytes.Contains(refused.Body, []byte(says)) {
			t.Errorf("%s: %s", query, refused.Body)
		}
	}
	client.Must(t, http.StatusBadRequest, "GET", "/v1/books?group_by=genre", nil, "Accept", "text/csv")
	if body := client.Must(t, http.StatusOK, "GET", "/v1/books", nil).Body; bytes.Contains(body, []byte("totals")) {
		t.Errorf("nobody asked: %s", body)
	}
}
