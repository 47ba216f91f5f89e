package resource_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/resource"
)

// Notes hang on records of any collection, also of those below others.

type room struct {
	resource.Record
	Name   string `json:"name" required:"true" maxLength:"100"`
	SiteID string `json:"site_id" readOnly:"true" references:"sites"`
}

type corner struct {
	resource.Record
	Name   string `json:"name" required:"true" maxLength:"100"`
	RoomID string `json:"room_id" readOnly:"true" references:"rooms"`
}

type note struct {
	resource.Record
	Name       string `json:"name" required:"true" maxLength:"100" filter:"equals" search:"name" sort:"true"`
	Collection string `json:"collection" required:"true" enum:"sites,rooms,corners,shelves" facet:"true" filter:"equals"`
	RecordID   string `json:"record_id" required:"true" references:"@collection" filter:"equals"`
	State      string `json:"state" default:"kept" enum:"kept,trashed"`
}

var notes = resource.Definition[note]{Collection: "notes", Table: "note", Holds: "t.state <> 'trashed'",
	SoftDelete: func(n *note) { n.State = "trashed" }}

// newNotes is a service with sites, rooms and corners, and another one with notes on them. Rooms say who refers to them where roomsAsk.
func newNotes(t *testing.T, roomsAsk bool) *two {
	t.Helper()
	referrers := []string{"workorders"}
	asked := func(asks bool) []string {
		if asks {
			return referrers
		}
		return nil
	}
	return newTwoOf(t, catalogue.New(
		catalogue.Collection{Name: "sites", Singular: "site", Service: "assets", Path: "/v1/sites", Scope: "sites", ReferredBy: referrers},
		catalogue.Collection{Name: "shelves", Singular: "shelf", Service: "workorders", Path: "/v1/shelves", Scope: "notes"},
		catalogue.Collection{Name: "rooms", Singular: "room", Service: "assets", Path: "/v1/sites/{site_id}/rooms", Scope: "sites",
			ReferredBy: asked(roomsAsk)},
		catalogue.Collection{Name: "corners", Singular: "corner", Service: "assets", Path: "/v1/rooms/{room_id}/corners", Scope: "sites",
			ReferredBy: asked(roomsAsk)},
		catalogue.Collection{Name: "notes", Singular: "note", Service: "workorders", Path: "/v1/notes", Scope: "notes"},
	), func(owner *resource.Registry) {
		resource.Mount(owner, resource.Definition[site]{Collection: "sites", Table: "shelf"})
		resource.Mount(owner, resource.Definition[room]{Collection: "rooms", Table: "room", Parent: "site_id"})
		resource.Mount(owner, resource.Definition[corner]{Collection: "corners", Table: "corner", Parent: "room_id"})
	}, func(referrer *resource.Registry) {
		if roomsAsk {
			resource.Mount(referrer, shelves)
			resource.Mount(referrer, notes)
		}
	})
}

// places makes a site with a room with a corner, and gives the paths and ids of the three by their collections.
func (w *two) places(t *testing.T) (paths, ids map[string]string) {
	t.Helper()
	paths, ids = map[string]string{}, map[string]string{}
	make := func(collection, path string) {
		ids[collection] = w.owner.Create(t, path, map[string]any{"name": collection + uuid.NewString()})["id"].(string)
		paths[collection] = path + "/" + ids[collection]
	}
	make("sites", "/v1/sites")
	make("rooms", paths["sites"]+"/rooms")
	make("corners", "/v1/rooms/"+ids["rooms"]+"/corners")
	return paths, ids
}

func TestAReferenceNamesItsCollectionByItsName(t *testing.T) {
	w := newNotes(t, true)
	_, ids := w.places(t)
	ids["shelves"] = w.referrer.Create(t, "/v1/shelves", map[string]any{"name": "A"})["id"].(string)
	for collection, id := range ids {
		made := w.referrer.Create(t, "/v1/notes", map[string]any{"name": "a", "collection": collection, "record_id": id})
		if made["record_id"] != id {
			t.Errorf("%s: %v", collection, made)
		}
		other := "sites"
		if collection == "sites" {
			other = "rooms"
		}
		answer := w.referrer.Must(t, 404, "POST", "/v1/notes", map[string]any{"name": "a", "collection": other, "record_id": id})
		if text := string(answer.Body); !strings.Contains(text, id) || !strings.Contains(text, " in "+other+" of this organization") {
			t.Errorf("a record of another collection: %s", text)
		}
	}
	w.referrer.Must(t, 400, "GET", "/v1/notes?expand=record", nil)
	stranger := *w.referrer
	stranger.Principal.OrganizationID = uuid.NewString()
	stranger.Must(t, 404, "POST", "/v1/notes", map[string]any{"name": "a", "collection": "rooms", "record_id": ids["rooms"]})
}

func TestARecordThatOnlyThrownAwayOnesReferToGoes(t *testing.T) {
	w := newNotes(t, true)
	for _, collection := range []string{"corners", "rooms", "sites"} {
		paths, ids := w.places(t)
		path := "/v1/notes/" + w.referrer.Create(t, "/v1/notes",
			map[string]any{"name": "a", "collection": collection, "record_id": ids[collection]})["id"].(string)
		answer := w.owner.Must(t, 409, "DELETE", paths[collection], nil)
		if count := answer.JSON["dependents"].(map[string]any)["notes"]; count != 1.0 {
			t.Errorf("dependents: %s", answer.Body)
		}
		w.referrer.Must(t, 200, "PATCH", path, map[string]any{"state": "trashed"})
		w.owner.Must(t, 204, "DELETE", paths[collection], nil)
	}
}

// What is below a record goes with it, so what refers to that keeps the record.
func TestWhatRefersToRecordsBelowKeepsTheRecord(t *testing.T) {
	w := newNotes(t, true)
	_, ids := w.places(t)
	spared, _ := w.places(t)
	for collection, id := range ids {
		for range map[string]int{"sites": 1, "rooms": 2, "corners": 3}[collection] {
			w.referrer.Create(t, "/v1/notes", map[string]any{"name": "a", "collection": collection, "record_id": id})
		}
	}
	answer := w.owner.Must(t, 409, "DELETE", "/v1/sites/"+ids["sites"], nil)
	if count := answer.JSON["dependents"].(map[string]any)["notes"]; count != 6.0 || !strings.Contains(string(answer.Body), "still used by") {
		t.Errorf("dependents: %s", answer.Body)
	}
	rows := map[string]any{"data": []any{map[string]any{"id": ids["sites"]},
		map[string]any{"id": strings.TrimPrefix(spared["sites"], "/v1/sites/")}}}
	if answer = w.owner.Must(t, 200, "DELETE",
		"/v1/sites/bulk?atomic=false", rows); !strings.Contains(string(answer.Body), `still used by 6 notes`) {
		t.Errorf("in bulk: %s", answer.Body)
	}
	w.owner.Must(t, 200, "GET", "/v1/sites/"+ids["sites"], nil)
	w.owner.Must(t, 404, "GET", spared["sites"], nil)
}

// A note that is being written on a room, whose site is deleted meanwhile, is waited for.
func TestADeleteWaitsForWritesAboutRecordsBelow(t *testing.T) {
	w := newNotes(t, true)
	paths, ids := w.places(t)
	noted := make(chan int, 1)
	for range 20 {
		go func() {
			noted <- w.referrer.Do(t, "POST", "/v1/notes", map[string]any{"name": "a", "collection": "corners", "record_id": ids["corners"]}).Status
		}()
		deleted := w.owner.Do(t, "DELETE", paths["sites"], nil)
		switch status := <-noted; {
		case status == 201 && deleted.Status == 409, status != 201 && deleted.Status == 204:
		default:
			t.Fatalf("the note: %d, the delete: %d %s", status, deleted.Status, deleted.Body)
		}
		paths, ids = w.places(t)
	}
}

func TestNobodyIsAskedAboutRecordsBelowThatNobodyRefersTo(t *testing.T) {
	w := newNotes(t, false)
	paths, _ := w.places(t)
	begin := time.Now()
	w.owner.Must(t, 204, "DELETE", paths["rooms"], nil)
	if len(w.counting) != 0 {
		t.Errorf("somebody was asked, in %v", time.Since(begin))
	}
}
