// Package documents tests uploads and downloads of documents from outside, over the whole product: real processes, two gateways, and
// programs that other people wrote.
package documents

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/deploy/devstack/testtools"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTests(m, 2)) }

const (
	city  = "Ville de Rivière-Claire"
	board = "Northgate District School Board"
)

// nodePackages are other people's clients, and the Node that they run on, each in the version of the lock file.
var nodePackages = testtools.NodePackagesOf(".")

// caller is somebody with a key for everything.
type caller struct{ base, key string }

// newCaller makes a key of an organization, so that a test that makes many requests does not use up the limit of another.
func newCaller(t testing.TB, d devstack.Description, organization string) caller {
	t.Helper()
	o, found := d.Organization(organization)
	if !found {
		t.Fatalf("there is no organization %s", organization)
	}
	signedIn := caller{d.AdminURL, d.AdminToken}.must(t, http.StatusOK, "POST", "/internal/sign-in", map[string]any{
		"email": o.Administrator.Email, "password": o.Administrator.Password, "organization_id": o.ID})
	made := caller{d.AdminURL, signedIn.Object["session"].(string)}.must(t, http.StatusCreated, "POST", "/internal/organizations/"+o.ID+
		"/keys", map[string]any{"name": t.Name(), "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true})
	return caller{d.BaseURL, made.Object["value"].(string)}
}

// must sends JSON and gives the response, which must have the status.
func (c caller) must(t testing.TB, status int, method, path string, body any, header ...string) apiclient.Response {
	t.Helper()
	response, err := apiclient.Send(&http.Client{Timeout: time.Minute}, c.key, method, c.base+path, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if response.Status != status {
		t.Fatalf("%s %s: %d %.500s", method, path, response.Status, response.Body)
	}
	return response
}

// send sends bytes and gives the response.
func (c caller) send(t testing.TB, method, path string, body []byte, header ...string) apiclient.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	a := apiclient.Response{Status: response.StatusCode, Header: response.Header}
	if a.Body, err = io.ReadAll(response.Body); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") && len(a.Body) > 0 { // HEAD has none
		if err := json.Unmarshal(a.Body, &a.Object); err != nil {
			t.Fatalf("%s %s: %v: %.200s", method, path, err, a.Body)
		}
	}
	return a
}

// create makes a record and gives its id.
func (c caller) create(t testing.TB, path string, body map[string]any) string {
	t.Helper()
	return c.must(t, http.StatusCreated, "POST", path, body).Object["id"].(string)
}

// get reads a record.
func (c caller) get(t testing.TB, path string) map[string]any {
	t.Helper()
	return c.must(t, http.StatusOK, "GET", path, nil).Object
}

// upload makes a document of a file by multipart/form-data.
func (c caller) upload(t testing.TB, collection, record, name string, content []byte, more map[string]any) map[string]any {
	t.Helper()
	document := map[string]any{"collection": collection, "record_id": record}
	maps.Copy(document, more)
	described, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range []struct {
		header  textproto.MIMEHeader
		content []byte
	}{
		{textproto.MIMEHeader{"Content-Disposition": {`form-data; name="document"`}, "Content-Type": {"application/json"}}, described},
		{textproto.MIMEHeader{"Content-Disposition": {multipart.FileContentDisposition("file", name)}}, content},
	} {
		w, err := form.CreatePart(part.header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(part.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	made := c.send(t, "POST", "/v1/documents", body.Bytes(), "Content-Type", form.FormDataContentType())
	if made.Status != http.StatusCreated {
		t.Fatalf("upload %s: %d %s", name, made.Status, made.Body)
	}
	return made.Object
}
