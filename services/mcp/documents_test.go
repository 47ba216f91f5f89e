package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveDocument lets the API have one document, of a type and a state, with a content and a thumbnail.
func (f *toolFixture) serveDocument(mediaType, scanStatus, content string) {
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		path := "/v1/documents/" + testID
		switch r.URL.Path {
		case path:
			fmt.Fprintf(w, `{"id":%q,"title":"Plaque","media_type":%q,"scan_status":%q}`, testID, mediaType, scanStatus)
		case path + "/content":
			if scanStatus != "clean" {
				f.t.Errorf("content that is %s was asked for", scanStatus)
			}
			if r.Header.Get("Range") != "bytes=0-79999" {
				f.t.Errorf("the range is %q", r.Header.Get("Range"))
			}
			w.WriteHeader(http.StatusPartialContent)
			fmt.Fprint(w, content)
		case path + "/thumbnail":
			if r.URL.Query().Get("size") != "1024" {
				f.t.Errorf("the thumbnail is asked for by %s", r.URL.RawQuery)
			}
			if content == "" {
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, `{"error":"There is none.","code":"no_thumbnail"}`)
				return true
			}
			w.Header().Set("Content-Type", "image/jpeg")
			fmt.Fprint(w, content)
		default:
			return false
		}
		return true
	}
}

func TestADocumentIsReadAsFarAsItIsOfUse(t *testing.T) {
	for name, c := range map[string]struct {
		mediaType, scanStatus, content string
		wantType, wantText, wantBlob   string
	}{
		"a picture":                 {"image/png", "clean", "jpeg bytes", "image/jpeg", "", "jpeg bytes"},
		"a picture nobody can read": {"image/tiff", "clean", "", "application/json", `"title":"Plaque"`, ""},
		"a text":                    {"text/plain", "clean", "Bonjour à tous", "text/plain", "Bonjour à tous", ""},
		"a table":                   {"text/csv", "clean", "a,b\n1,2\n", "text/csv", "a,b\n1,2\n", ""},
		"something else":            {"application/pdf", "clean", "%PDF", "application/json", `"media_type":"application/pdf"`, ""},
		"not scanned yet":           {"text/plain", "pending", "x", "application/json", `"scan_status":"pending"`, ""},
		"never scanned":             {"image/png", "not_scanned", "x", "application/json", `"scan_status":"not_scanned"`, ""},
		"malware":                   {"text/plain", "infected", "x", "application/json", `"scan_status":"infected"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newToolFixture(t)
			f.serveDocument(c.mediaType, c.scanStatus, c.content)
			got, err := f.connect(protocols[1]).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "document://" + testID})
			if err != nil {
				t.Fatal(err)
			}
			one := got.Contents[0]
			if one.URI != "document://"+testID || one.MIMEType != c.wantType || !strings.Contains(one.Text, c.wantText) ||
				string(one.Blob) != c.wantBlob {
				t.Errorf("%s, %q, %q", one.MIMEType, one.Text, one.Blob)
			}
		})
	}
}

func TestALongTextIsCut(t *testing.T) {
	f := newToolFixture(t)
	f.serveDocument("text/plain", "clean", strings.Repeat("é", 30_000))
	got, err := f.connect(protocols[1]).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "document://" + testID})
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(got.Contents[0].Text)); n > maxResult || n < maxResult-100 {
		t.Errorf("it has %d characters", n)
	}
}

// A record names its documents and links to them; it is shown all the same when they cannot be read, or the key may not read them.
func TestARecordLinksToItsDocuments(t *testing.T) {
	f := newToolFixture(t)
	links := func() (uris []string, text string) {
		t.Helper()
		result, err := f.connect(protocols[1]).CallTool(t.Context(),
			&mcp.CallToolParams{Name: "get_asset", Arguments: map[string]any{"id": testID}})
		if err != nil || result.IsError {
			t.Fatalf("%v, %v", result, err)
		}
		for _, each := range result.Content {
			switch c := each.(type) {
			case *mcp.ResourceLink:
				if strings.HasPrefix(c.URI, "document://") {
					uris = append(uris, c.URI)
				}
			case *mcp.TextContent:
				text = c.Text
			}
		}
		return uris, text
	}
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/documents" {
			return false
		}
		if r.URL.Query().Get("record_id") != testID || r.URL.Query().Get("per_page") != "10" {
			t.Errorf("asked for %s", r.URL.RawQuery)
		}
		fmt.Fprintf(w, `{"data":[{"id":%q,"title":"Plaque","kind":"photo","media_type":"image/jpeg"}],"pagination":{"total":12}}`, testID)
		return true
	}
	if uris, text := links(); len(uris) != 1 || uris[0] != "document://"+testID || !strings.Contains(text, `"documents_total":12`) {
		t.Errorf("%v, %s", uris, text)
	}
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/documents" {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":"The documents service does not answer.","code":"service_unavailable"}`)
		return true
	}
	if uris, text := links(); len(uris) != 0 || !strings.Contains(text, "could not be read") {
		t.Errorf("%v, %s", uris, text)
	}
	f.upstream.respond = nil
	f.caller.Scopes = []string{"assets:read"}
	if uris, text := links(); len(uris) != 0 || strings.Contains(text, "documents") {
		t.Errorf("without the scope: %v, %s", uris, text)
	}
}
