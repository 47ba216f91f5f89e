package documents

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

// When a request is accepted, its photos and documents are on the work order too, once, and seen by those who may read that; what is in
// the trash is not.
func TestDocumentsOfARequestAreOnItsWorkOrder(t *testing.T) {
	f := newFixture(t)
	request, order := uuid.NewString(), uuid.NewString()
	f.Peers.Keep("requests", reference.Entry{ID: request, Name: "Balançoire brisée"})
	f.Peers.Keep("work_orders", reference.Entry{ID: order, Name: "Réparer"})
	on := func(name, record string) string {
		return upload(t, f.Client, http.StatusCreated, name, []byte(name), fields{"collection": "requests",
			"record_id": record}).Header.Get("Location")
	}
	photo, trashed := on("a.txt", request), on("b.txt", request)
	f.Must(t, http.StatusNoContent, "DELETE", trashed, nil)
	linked := upload(t, f.Client, http.StatusCreated, "c.txt", []byte("c"), nil).Header.Get("Location")
	f.Create(t, linked+"/links", fields{"collection": "requests", "record_id": request})
	upload(t, f.Client, http.StatusCreated, "d.txt", []byte("d"), nil) // of another record
	worker := *f.Client
	worker.Principal.Scopes = []string{"documents:read", "work_orders:read"}
	worker.Must(t, http.StatusForbidden, "GET", photo, nil)
	for range 2 {
		answers := f.Must(t, http.StatusOK, "POST", "/internal/effects", fields{"check": false, "effects": []fields{{"id": uuid.NewString(),
			"sequence": 1,
			"kind":     "documents_of_request", "stage": "completed", "payload": fields{"documents_of": request, "work_order_id": order},
			"on":    "2026-11-29",
			"cause": fields{"collection": "requests", "id": request}, "actor": fields{"type": "service", "id": "requests",
				"name": "Requests"}}}}).JSON["answers"]
		resourcetest.Expect(t, answers.([]any)[0].(fields), fields{"outcome": "applied", "result_id": order})
	}
	for _, path := range []string{photo, linked} {
		worker.Must(t, http.StatusOK, "GET", path, nil)
		links, _ := worker.List(t, path+"/links")
		if len(links) != 1 {
			t.Fatalf("%s: %v", path, links)
		}
		resourcetest.Expect(t, links[0], fields{"collection": "work_orders", "record_id": order})
	}
	if links, _ := f.List(t, "/v1/documents/-/links?collection=work_orders"); len(links) != 2 {
		t.Errorf("%v", links)
	}
}
