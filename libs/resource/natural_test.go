package resource_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/odata"
)

// readingOrder is how people read these names: numbers as numbers, then accents, then capitals.
var readingOrder = []string{"9", "10", "Edifice 2", "édifice 2", "Édifice 2", "Edifice 10", "Édifice 10", "room 1", "Room 01", "Room 1",
	"Room 02", "Room 2", "Room 10", "Salle A-1.9", "Salle A-1.10", "WO-9", "WO-000010", "WO-000100"}

// Each name is there twice, each code once, and more than half of the books have neither a code nor a room: whichever way the list is read,
// each record comes once, in the one order that there is.
func TestNamesAndCodesAreListedInTheOrderInWhichPeopleReadThem(t *testing.T) {
	client, _ := serve(t)
	declareCustom(t, client, "room", "text")
	names := slices.Concat(readingOrder, readingOrder)
	rand.New(rand.NewPCG(90, 2)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	type entry struct{ title, code, id string }
	var books []entry
	given := map[string]bool{}
	for i, name := range names {
		body, code := map[string]any{"title": name, "state": []string{"new", "lent"}[i%2]}, ""
		if folded := strings.ToLower(name); !given[folded] {
			given[folded], code = true, name
			body["barcode"], body["custom_fields"] = name, map[string]any{"room": name}
		}
		books = append(books, entry{name, code, client.Create(t, "/v1/books", body)["id"].(string)})
	}
	idsBy := func(of func(entry) string, descending bool) (ids []string) {
		slices.SortFunc(books, func(a, b entry) int {
			x, y := slices.Index(readingOrder, of(a)), slices.Index(readingOrder, of(b))
			switch {
			case x == y:
				return strings.Compare(a.id, b.id)
			case y < 0 || x >= 0 && x < y != descending:
				return -1
			}
			return 1
		})
		for _, b := range books {
			ids = append(ids, b.id)
		}
		return ids
	}
	for sort, of := range map[string]func(entry) string{
		"title": func(e entry) string { return e.title }, "barcode": func(e entry) string { return e.code },
		"custom_fields.room": func(e entry) string { return e.code },
	} {
		for _, direction := range []string{"", "-"} {
			want := idsBy(of, direction != "")
			for _, perPage := range []int{1, 5, len(want) - 1, len(want)} {
				path := fmt.Sprintf("/v1/books?fields=id&per_page=%d&sort=%s%s", perPage, direction, sort)
				var byNumber []string
				for page := 1; page <= (len(want)+perPage-1)/perPage; page++ {
					data, _ := client.List(t, fmt.Sprintf("%s&page=%d", path, page))
					byNumber = append(byNumber, idsOf(data)...)
				}
				if !slices.Equal(byNumber, want) {
					t.Errorf("%s by number: %d records of %d, or in another order", path, len(byNumber), len(want))
				}
				for _, filter := range []string{"", "&state=new,lent", "&signed=false"} {
					if byCursor := slices.Concat(walk(t, client, path+filter, nothing)...); !slices.Equal(byCursor, want) {
						t.Errorf("%s%s by cursor: %d records of %d, or in another order", path, filter, len(byCursor), len(want))
					}
				}
			}
			if got := streamed(t, client, "/v1/books?fields=id&sort="+direction+sort); !slices.Equal(got, want) {
				t.Errorf("sort=%s%s as a stream: %d records of %d, or in another order", direction, sort, len(got), len(want))
			}
		}
	}
}

// What is read by OData is in the same order, page after page.
func TestODataOrdersNamesAsTheListsDo(t *testing.T) {
	client, _ := serve(t)
	for _, name := range slices.Backward(readingOrder) {
		client.Create(t, "/v1/books", map[string]any{"title": name})
	}
	for _, direction := range []string{"asc", "desc"} {
		want := slices.Clone(readingOrder)
		if direction == "desc" {
			slices.Reverse(want)
		}
		var got []string
		for query := encoded([]string{"$orderby", "title " + direction}); query != ""; {
			answer := client.Do(t, "GET", "/v1/books?"+query, nil, odata.Header, "https://api.example.com/odata/v4/books", "Prefer", "odata.maxpagesize=4")
			got = append(got, titlesOf(t, answer)...)
			next, _ := answer.JSON["@odata.nextLink"].(string)
			_, query, _ = strings.Cut(next, "?")
		}
		if !slices.Equal(got, want) {
			t.Errorf("$orderby=title %s gives %q, want %q", direction, got, want)
		}
	}
}

// Groups in OData stand in this order, too.
func TestGroupsOfODataStandInTheOrderInWhichPeopleReadThem(t *testing.T) {
	client, _ := serve(t)
	for _, name := range slices.Backward(readingOrder) {
		client.Create(t, "/v1/books", map[string]any{"title": name})
	}
	answer := inOData(t, client, "books", "/v1/books", "$apply", "groupby((title))")
	if got := titlesOf(t, answer); !slices.Equal(got, readingOrder) {
		t.Errorf("the groups are %q, want %q", got, readingOrder)
	}
}
