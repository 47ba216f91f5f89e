package resource_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// Numbers are taken with the positions: while creates, bulk calls and calls that are undone run side by side, the order of numbers is that
// of the records, none is given twice, and what is undone leaves no gap.
func TestNumbersHaveTheOrderOfTheRecordsAndWhatIsUndoneLeavesNoGap(t *testing.T) {
	client, _ := serve(t)
	client.Create(t, "/v1/books", map[string]any{"title": "taken", "external_id": "taken"})
	const writers, each = 6, 8
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			for n := range each {
				switch (writer + n) % 4 {
				case 0: // undone by its last row
					client.Must(t, http.StatusConflict, "POST", "/v1/books/bulk", map[string]any{"data": []any{
						map[string]any{"title": "x"}, map[string]any{"title": "x"}, map[string]any{"title": "x", "external_id": "taken"}}})
				case 1:
					client.Must(t, http.StatusConflict, "POST", "/v1/books", map[string]any{"title": "x", "external_id": "TAKEN"})
				case 2:
					client.Must(t, http.StatusOK, "POST", "/v1/books/bulk", map[string]any{"data": []any{
						map[string]any{"title": "a"}, map[string]any{"title": "by hand", "number": fmt.Sprintf("H-%d-%d", writer, n)},
						map[string]any{"title": "b"}}})
				default:
					client.Create(t, "/v1/books", map[string]any{"title": "c"})
				}
			}
		})
	}
	group.Wait()
	list, _ := client.List(t, "/v1/books?per_page=1000&fields=number,title")
	next := 1
	for _, record := range list {
		if record["title"] == "by hand" {
			continue
		}
		if want := fmt.Sprintf("B-%04d", next); record["number"] != want {
			t.Fatalf("record %v, want the number %s", record, want)
		}
		next++
	}
	if want := 1 + writers*each/4*2 + writers*each/4; next-1 != want {
		t.Errorf("%d records took numbers, want %d", next-1, want)
	}
}

// One call may give some numbers itself and leave out the others, which are taken in the order of the rows.
func TestABulkCallMixesNumbers(t *testing.T) {
	client, _ := serve(t)
	answer := client.Must(t, http.StatusOK, "POST", "/v1/books/bulk", map[string]any{"data": []any{
		map[string]any{"title": "a"}, map[string]any{"title": "b", "number": "X-1"}, map[string]any{"title": "c"}, map[string]any{"title": "d"}}})
	var got []any
	for _, record := range answer.JSON["data"].([]any) {
		got = append(got, record.(map[string]any)["number"])
	}
	if want := "[B-0001 X-1 B-0002 B-0003]"; fmt.Sprint(got) != want {
		t.Errorf("the numbers are %v, want %s", got, want)
	}
	last := client.Must(t, http.StatusOK, "POST", "/v1/books/bulk", map[string]any{"data": []any{map[string]any{"title": "alone"}}})
	if number := last.JSON["data"].([]any)[0].(map[string]any)["number"]; number != "B-0004" {
		t.Errorf("the next call took %v", number)
	}
}
