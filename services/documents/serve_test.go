package documents

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"testing"
	"time"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
	"ams.internal/services/documents/filename"
	"ams.internal/services/documents/scan"
	"ams.internal/services/documents/store"
)

// Records that the other services have, in every organization.
const (
	site     = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e21"
	building = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e31"
	boiler   = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e51"
	pump     = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e52"
	order    = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e61"
	project  = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e71"
	nobodys  = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2eff"
)

type fields = map[string]any

// fixture is the service on a database and a folder of its own, with stand-ins for the other services.
type fixture struct {
	*resourcetest.Client
	*resourcetest.Peers
	*documents
	database *postgrestest.Database
	folder   string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return newFixtureWith(t, nil)
}

// newFixtureWith is newFixture with a scanner.
func newFixtureWith(t testing.TB, scanner *scan.Scanner) *fixture {
	t.Helper()
	database := postgrestest.New(t, "documents", migrations)
	db := database.Open(t)
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	for collection, entry := range map[string]reference.Entry{
		"sites": {ID: site, Name: "Garage municipal"}, "buildings": {ID: building, Name: "Caserne 2"},
		"work_orders": {ID: order, Name: "Réparer la pompe"}, "projects": {ID: project, Name: "Toiture"},
	} {
		peers.Keep(collection, entry)
	}
	peers.Keep("assets", reference.Entry{ID: boiler, Name: "Chaudière 1"}, reference.Entry{ID: pump, Name: "Pompe 3"})
	folder := t.TempDir()
	bytes, err := store.New(t.Context(), store.Config{Store: folder})
	if err != nil {
		t.Fatal(err)
	}
	registry := resource.NewRegistry(transport.New(signer, db, resourcetest.Log(t)), db, peers.References)
	d := newDocuments(registry, bytes, scanner, 35*24*time.Hour, resourcetest.Log(t))
	return &fixture{resourcetest.NewClient(registry.API.Handler(), signer), peers, d, database, folder}
}

// form is a body of multipart/form-data with the parts of a document.
func form(t testing.TB, body fields, name, mediaType string, content []byte) (text, contentType string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	described, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	write := func(header textproto.MIMEHeader, content []byte) {
		part, err := w.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	write(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="document"`}, "Content-Type": {"application/json"}}, described)
	header := textproto.MIMEHeader{"Content-Disposition": {filename.Disposition(`form-data; name="file"`, name)}}
	if mediaType != "" {
		header.Set("Content-Type", mediaType)
	}
	write(header, content)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), w.FormDataContentType()
}

// upload sends a file to be put on the boiler, with what more says of it.
func upload(t testing.TB, client *resourcetest.Client, status int, name string, content []byte, more fields,
	header ...string) resourcetest.Response {
	t.Helper()
	body := fields{"collection": "assets", "record_id": boiler}
	for field, value := range more {
		body[field] = value
	}
	text, contentType := form(t, body, name, "", content)
	return client.Must(t, status, http.MethodPost, "/v1/documents", text, append([]string{"Content-Type", contentType}, header...)...)
}
