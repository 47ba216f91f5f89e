package resource_test

import (
	"fmt"
	"slices"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// What is below a record, and below that, goes before it: an event and an entry in the history for each.
func TestWhatIsBelowARecordGoesBeforeIt(t *testing.T) {
	both := newNotes(t, true)
	client := both.owner
	site := client.Create(t, "/v1/sites", row{"name": "Quai"})["id"].(string)
	other := client.Create(t, "/v1/sites", row{"name": "Gare"})["id"].(string)
	var rooms []any
	for i := range 1100 { // more than one page
		rooms = append(rooms, row{"name": fmt.Sprint("Salle ", i)})
	}
	for some := range slices.Chunk(rooms, 1000) {
		client.Must(t, 200, "POST", "/v1/sites/"+site+"/rooms/bulk", row{"data": some})
	}
	list, _ := client.List(t, "/v1/sites/"+site+"/rooms?per_page=1")
	room := list[0]["id"].(string)
	corner := client.Create(t, "/v1/rooms/"+room+"/corners", row{"name": "Nord"})["id"].(string)
	client.Create(t, "/v1/sites/"+other+"/rooms", row{"name": "Reste"})
	before := len(client.Events(t, both.ownerDatabase))
	client.Must(t, 204, "DELETE", "/v1/sites/"+site, nil)
	events := client.Events(t, both.ownerDatabase)[before:]
	counts := map[string]int{}
	for i, e := range events {
		counts[e.Type]++
		if e.Type == "corner.deleted" && (e.RecordID != corner || slices.ContainsFunc(events[:i],
			func(b resourcetest.Event) bool { return b.RecordID == room })) {
			t.Errorf("the event of the corner is %v, behind that of its room", e)
		}
	}
	if last := events[len(events)-1]; fmt.Sprint(counts) != "map[corner.deleted:1 room.deleted:1100 site.deleted:1]" ||
		last.Type != "site.deleted" {
		t.Errorf("events: %v, the last %s", counts, last.Type)
	}
	for path, id := range map[string]string{"/v1/sites/" + site + "/rooms/" + room: room, "/v1/rooms/" + room + "/corners/" + corner: corner} {
		client.Must(t, 404, "GET", path, nil)
		if entries, _ := client.List(t, path+"/history"); len(entries) != 2 || entries[1]["action"] != "deleted" ||
			entries[1]["record_id"] != id {
			t.Errorf("the history of %s: %v", path, entries)
		}
	}
	if left, _ := client.List(t, "/v1/sites/"+other+"/rooms"); len(left) != 1 {
		t.Errorf("of another site %d rooms are left", len(left))
	}
}
