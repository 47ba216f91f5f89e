package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesAreDownloadedFromTheInstallation(t *testing.T) {
	w := newFixture(t)
	w.serveOthers()
	folder, outside := t.TempDir(), t.TempDir()
	write := func(path, content string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	wheel := write(filepath.Join(folder, "ams_client-1.1.0-py3-none-any.whl"), "wheel")
	write(filepath.Join(folder, "ams-client-1.1.0.tgz"), "package")
	write(filepath.Join(folder, "amsctl-linux-arm64"), "program")
	write(filepath.Join(folder, "go", "ams.internal", "clients", "go", "@v", "v1.1.0.zip"), "module")
	write(filepath.Join(folder, "go", "ams.internal", "clients", "go", "@v", "list"), "v1.1.0\n")
	write(filepath.Join(folder, ".secret"), "hidden")
	if err := os.Symlink(write(filepath.Join(outside, "outside.txt"), "elsewhere"), filepath.Join(folder, "link.txt")); err != nil {
		t.Fatal(err)
	}
	g := w.start(func(c *Config) { c.BaseURL, c.Downloads = "https://api.example.ca", folder })
	g.document(t, "")

	sums := func() string {
		a := call(t, "GET", g.url+"/docs/downloads/SHA256SUMS", "")
		if a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
		return string(a.body)
	}
	first := sums()
	if lines := strings.Split(strings.TrimSpace(first), "\n"); len(lines) != 7 {
		t.Errorf("the files are\n%s", first)
	}
	for line := range strings.Lines(first) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		a := call(t, "GET", g.url+"/docs/downloads/"+name, "")
		assertHeaders(t, a)
		if got := sha256.Sum256(a.body); a.StatusCode != 200 || hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s: %d %x, want %s", name, a.StatusCode, got, sum)
		}
		if again := call(t, "GET", g.url+"/docs/downloads/"+name, "", "If-None-Match", a.Header.Get("Etag")); again.StatusCode != 304 {
			t.Errorf("%s once more: %d", name, again.StatusCode)
		}
		if head := call(t, "HEAD", g.url+"/docs/downloads/"+name, ""); head.StatusCode != 200 || len(head.body) != 0 {
			t.Errorf("HEAD %s: %d", name, head.StatusCode)
		}
	}
	for _, name := range []string{".secret", "link.txt", "nothing.tgz", "go", "go/ams.internal", "%2e%2e/x"} {
		if a := call(t, "GET", g.url+"/docs/downloads/"+name, ""); a.StatusCode != 404 && a.StatusCode != 400 {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
	for path, wanted := range map[string][]string{
		"/docs/downloads": {`<html lang="en-CA">`, "npm install https://api.example.ca/docs/downloads/ams-client-1.1.0.tgz",
			"pip install https://api.example.ca/docs/downloads/ams_client-1.1.0-py3-none-any.whl", `href="/docs/downloads/postman.json" download`,
			"GOPROXY=https://api.example.ca/docs/downloads/go,https://proxy.golang.org,direct GONOSUMDB=ams.internal",
			"go get ams.internal/clients/go@v1.1.0",
			`href="/docs/downloads/amsctl-linux-arm64" download`, strings.Fields(first)[0]},
		"/docs/downloads?lang=fr": {`<html lang="fr-CA">`, "Téléchargements", "Sommes de contrôle"},
	} {
		a := call(t, "GET", g.url+path, "")
		for _, want := range wanted {
			if !strings.Contains(string(a.body), want) {
				t.Errorf("%s lacks %s: %s", path, want, a.body)
			}
		}
		for _, unwanted := range []string{`@v/list"`, "secret", "no packages"} {
			if strings.Contains(string(a.body), unwanted) {
				t.Errorf("%s has %s: %s", path, unwanted, a.body)
			}
		}
	}
	var collection struct {
		Info struct{ Schema string }
		Item []struct{ Item []any }
	}
	if err := json.Unmarshal(call(t, "GET", g.url+"/docs/downloads/postman.json", "").body, &collection); err != nil ||
		!strings.Contains(collection.Info.Schema, "v2.1") || len(collection.Item) == 0 || len(collection.Item[0].Item) == 0 {
		t.Errorf("the Postman collection: %+v, %v", collection, err)
	}
	document, offered := call(t, "GET", g.url+"/openapi.json", ""), call(t, "GET", g.url+"/docs/downloads/openapi.json", "")
	if string(document.body) != string(offered.body) {
		t.Error("the document that is offered is another one than /openapi.json")
	}

	write(wheel, "another wheel")
	if changed := sums(); changed == first {
		t.Error("a file has changed, and its checksum has not")
	}
}

func TestAnInstallationWithoutPackagesOffersItsDescriptions(t *testing.T) {
	w := newFixture(t)
	w.serveOthers()
	g := w.start()
	g.document(t, "")
	page := string(call(t, "GET", g.url+"/docs/downloads", "").body)
	if !strings.Contains(page, "no packages") || !strings.Contains(page, "postman.json") || strings.Contains(page, "npm install") {
		t.Errorf("%s", page)
	}
	if a := call(t, "GET", g.url+"/docs/downloads/amsctl-linux-amd64", ""); a.StatusCode != 404 {
		t.Errorf("%d", a.StatusCode)
	}
}
