package documents

import (
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/scan"
	"ams.internal/services/documents/scan/scantest"
)

func TestStorageSaysWhatIsKept(t *testing.T) {
	f := newFixture(t)
	photo := fields{"kind": "photo"}
	a := upload(t, f.Client, http.StatusCreated, "a.txt", []byte(strings.Repeat("a", 100)), photo).Header.Get("Location")
	f.Must(t, http.StatusCreated, "POST", a+"/revisions", strings.Repeat("b", 50), "Content-Type", "text/plain")
	f.Must(t, http.StatusCreated, "POST", a+"/revisions/1/restore", nil)                                             // counts once
	upload(t, f.Client, http.StatusCreated, "same.txt", []byte(strings.Repeat("a", 100)), fields{"record_id": pump}) // counts once
	upload(t, f.Client, http.StatusCreated, "c.txt", []byte(strings.Repeat("c", 30)), fields{"collection": "work_orders", "record_id": order})
	trashed := upload(t, f.Client, http.StatusCreated, "d.txt", []byte(strings.Repeat("d", 7)), nil).Header.Get("Location")
	sharing := upload(t, f.Client, http.StatusCreated, "e.txt", []byte(strings.Repeat("c", 30)), nil).Header.Get("Location")
	for _, path := range []string{trashed, sharing} {
		f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	}
	report := f.Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON
	resourcetest.Expect(t, report, fields{"limit": 5 << 30, "used": 187, "reserved": 0, "trash_bytes": 7, "documents": 3,
		"by_collection": []any{fields{"name": "assets", "documents": 2.0, "bytes": 150.0},
			fields{"name": "work_orders", "documents": 1.0, "bytes": 30.0}}, "by_kind": []any{fields{"name": "photo",
			"documents": 1.0, "bytes": 150.0}, fields{"name": "other", "documents": 2.0, "bytes": 130.0}},
		"scanner": fields{"configured": false, "reachable": false, "version": nil}, "store": fields{"reachable": true}})
	largest := report["largest"].([]any)
	if len(largest) != 3 {
		t.Fatalf("largest: %v", largest)
	}
	resourcetest.Expect(t, largest[0].(fields), fields{"id": strings.TrimPrefix(a, "/v1/documents/"), "title": "a.txt", "bytes": 150})
	columns, rows := f.Table(t, "/v1/storage")
	if strings.Join(columns, ",") != "figure,name,documents,bytes" || len(rows) != 11 || rows[1]["bytes"] != "187" ||
		rows[4]["name"] != "assets" {
		t.Errorf("as CSV: %v %v", columns, rows)
	}
	// A key sees what it may read, and the sums of all.
	assets := *f.Client
	assets.Principal.Scopes = []string{"documents:read", "assets:read"}
	report = assets.Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON
	resourcetest.Expect(t, report, fields{"used": 187, "documents": 2})
	if groups := report["by_collection"].([]any); len(groups) != 1 || len(report["largest"].([]any)) != 2 {
		t.Errorf("to a key that reads assets: %v", report)
	}
	resourcetest.Expect(t, f.Other().Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON,
		fields{"used": 0, "documents": 0, "largest": []any{}})
}

func TestStorageSaysWhenItWasVerified(t *testing.T) {
	f := newFixture(t)
	upload(t, f.Client, http.StatusCreated, "a.txt", []byte("bonjour"), nil)
	other := f.Other()
	upload(t, other, http.StatusCreated, "a.txt", []byte("hello"), nil)
	if report := f.Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON; report["verified"] != nil {
		t.Errorf("before: %v", report["verified"])
	}
	owner := f.owner(t)
	runSQL(t, owner, `UPDATE storage SET verified_at = '2026-11-23T04:05:06Z', verified_deep = true, verified_missing = 2, verified_unknown = 3
		WHERE organization_id = '`+f.Principal.OrganizationID+`'`)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON,
		fields{"verified": fields{"at": "2026-11-23T04:05:06.000000Z", "deep": true, "missing": 2.0, "unknown": 3.0}})
	if _, rows := f.Table(t, "/v1/storage"); rows[len(rows)-2]["documents"] != "2" || rows[len(rows)-1]["figure"] != "unknown" {
		t.Errorf("as CSV: %v", rows)
	}
	if report := other.Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON; report["verified"] != nil {
		t.Errorf("of another organization: %v", report["verified"])
	}
}

func TestStorageSaysWhetherTheScannerIsThere(t *testing.T) {
	clamd := scantest.Start(t)
	f := newFixtureWith(t, scan.New(clamd.URL))
	scanner := f.Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON["scanner"].(fields)
	if version, _ := scanner["version"].(string); scanner["reachable"] != true || !strings.HasPrefix(version, "ClamAV ") {
		t.Errorf("scanner: %v", scanner)
	}
	clamd.Stop()
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON,
		fields{"scanner": fields{"configured": true, "reachable": false, "version": nil}})
}
