package requests

import (
	"encoding/xml"
	"strings"
	"testing"
)

func TestTheQRCodeLeadsToThePage(t *testing.T) {
	f := newFixture(t)
	_, link := f.link(t, fields{"name": "Parc <du> Moulin"})
	path := "/v1/request-links/" + link["id"].(string) + "/qr.svg"
	answer := f.Must(t, 200, "GET", path, nil, "Accept", "image/svg+xml")
	if answer.Header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%v", answer.Header)
	}
	for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'",
		"Content-Disposition": `inline; filename="qr.svg"`, "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "private"} {
		if got := answer.Header.Get(header); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	var picture struct {
		XMLName xml.Name
		Title   string `xml:"title"`
	}
	if err := xml.Unmarshal(answer.Body, &picture); err != nil || picture.Title != "Parc <du> Moulin" {
		t.Errorf("%v: %+v", err, picture)
	}
	f.otherOrganization().Must(t, 404, "GET", path, nil)
	f.Must(t, 404, "GET", "/v1/request-links/"+nobody+"/qr.svg", nil)
}
