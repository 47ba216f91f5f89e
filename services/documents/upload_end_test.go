package documents

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/store"
)

// Whoever announces files that do not come holds a quarter of what is free, and what is kept; all others have the rest.
func TestAKeyHoldsAQuarterOfWhatIsFree(t *testing.T) {
	f := newFixture(t)
	const limit = 40_000_000
	f.Principal.StorageLimit = limit
	second := f.anotherKey()
	first := begin(t, f.Client, 30_000_000, onBoiler)
	f.reservedIs(t, 10_000_000)
	begin(t, f.Client, 9_000_000, onBoiler)
	f.reservedIs(t, 10_000_000) // nothing is left of its share
	begin(t, second, 2_000_000, onBoiler)
	f.reservedIs(t, 12_000_000)
	begin(t, second, 20_000_000, onBoiler)
	f.reservedIs(t, 17_500_000) // a quarter of the 30,000,000 that the first does not hold
	tooLarge := f.Must(t, http.StatusForbidden, "POST", uploadsPath, "", "Tus-Resumable", tusVersion, "Content-Type", "", "Upload-Length",
		"22500001",
		"Upload-Metadata", described(t, onBoiler))
	resourcetest.Expect(t, tooLarge.JSON, fields{"code": "storage_full"})

	sent := strings.Repeat("x", 18_000_000) // more than was reserved: the rest is reserved as it comes
	send(t, f.Client, http.StatusNoContent, first, 0, sent)
	f.reservedIs(t, 17_500_000+store.PartSize)
	runSQL(t, f.owner(t), "UPDATE storage SET used = used + 5000000 WHERE organization_id = $1", f.Principal.OrganizationID)
	send(t, f.Client, http.StatusForbidden, first, 18_000_000, strings.Repeat("x", 12_000_000)) // the second holds what it would take
	shown := f.Must(t, http.StatusOK, "GET", first, nil)
	if kept := shown.JSON["offset"].(float64); kept < 18_000_000 || kept >= 30_000_000 {
		t.Errorf("%v bytes are kept", kept)
	}
	list := second.Must(t, http.StatusOK, "GET", uploadsPath, nil).JSON["data"].([]any)
	if len(list) != 4 {
		t.Fatalf("%d uploads are listed", len(list))
	}
	resourcetest.Expect(t, list[0].(fields), fields{"id": strings.TrimPrefix(first, uploadsPath+"/"), "length": 30_000_000,
		"started_by.id": f.Principal.Actor.ID})
	second.Must(t, http.StatusNotFound, "GET", first, nil) // another's can be listed and ended, not read or gone on with
	send(t, second, http.StatusNotFound, first, 18_000_000, "x")
	for _, one := range list[2:] {
		f.Must(t, http.StatusNoContent, "DELETE", uploadsPath+"/"+one.(fields)["id"].(string), nil, "Tus-Resumable", tusVersion)
	}
	kept := int(f.Must(t, http.StatusOK, "GET", first, nil).JSON["offset"].(float64))
	send(t, f.Client, http.StatusNoContent, first, kept, strings.Repeat("x", 30_000_000-kept))
	second.Must(t, http.StatusConflict, "DELETE", first, nil, "Tus-Resumable", tusVersion) // it is a document now
	f.Other().Must(t, http.StatusNotFound, "DELETE", uploadsPath+"/"+list[1].(fields)["id"].(string), nil, "Tus-Resumable", tusVersion)
	refused := f.Must(t, http.StatusBadRequest, "POST", uploadsPath, "", "Tus-Resumable", tusVersion, "Content-Type", "", "Upload-Length",
		"10", "Upload-Concat", "partial",
		"Upload-Metadata", described(t, onBoiler))
	if fields := refused.Fields(); len(fields) != 1 || fields[0] != "Upload-Concat" {
		t.Errorf("Upload-Concat is refused of %v", fields)
	}
}

// Who ends an upload need not wait for who sends to it.
func TestAnUploadEndsWhileSomebodySends(t *testing.T) {
	f := newFixture(t)
	path := begin(t, f.Client, 10, onBoiler)
	s := newSender(t, f, path, 0, 10, "")
	s.write("01234")
	f.waitForWriter(t)
	f.anotherKey().Must(t, http.StatusNoContent, "DELETE", path, nil, "Tus-Resumable", tusVersion)
	s.write("56789")
	if status, body := s.answer(); status == http.StatusNoContent {
		t.Errorf("what was ended is taken: %d %s", status, body)
	}
	f.Must(t, http.StatusNotFound, "GET", path, nil)
	settle(t, f.worker(t))
	f.reservedIs(t, 0)
	f.Must(t, http.StatusNotFound, "DELETE", path, nil, "Tus-Resumable", tusVersion)
}

func TestUploadsOfARevokedKeyEnd(t *testing.T) {
	f := newFixture(t)
	w := f.worker(t)
	other := f.anotherKey()
	gone, kept := begin(t, f.Client, 1000, onBoiler), begin(t, other, 2000, onBoiler)
	path := func(client *resourcetest.Client) string {
		return "/internal/organizations/" + client.Principal.OrganizationID + "/keys/" + client.Principal.Actor.ID
	}
	state := func(client *resourcetest.Client, state string) { f.Respond(path(client), fields{"state": state}) }
	f.Refuse(path(f.Client))
	f.Refuse(path(other))
	if err := w.endUploadsOfRevoked(t.Context()); err == nil { // the gateway is away: it is not asked for the other key as well
		t.Error("a gateway that is away is no error")
	}
	if f.Requests(path(f.Client)) > 0 == (f.Requests(path(other)) > 0) {
		t.Errorf("the gateway was asked %d and %d times", f.Requests(path(f.Client)), f.Requests(path(other)))
	}
	state(f.Client, "active")
	state(other, "inactive")
	look := func() {
		w.keysChecked = time.Time{}
		if err := w.endUploadsOfRevoked(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	look()
	f.reservedIs(t, 3000)
	state(f.Client, reference.KeyRevoked)
	look()
	settle(t, w)
	f.reservedIs(t, 2000)
	f.Must(t, http.StatusNotFound, "GET", gone, nil)
	send(t, other, http.StatusNoContent, kept, 0, "one goes on")
	state(other, reference.KeyExpired)
	look()
	settle(t, w)
	f.reservedIs(t, 0)
}
