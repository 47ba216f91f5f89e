package main

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestAFileIsKeptAndReadAgain(t *testing.T) {
	f := newFixture(t)
	content := []byte("%PDF-1.7\nune garantie\n%%EOF\n")
	digest := sha256.Sum256(content)
	made := upload(t, f.Client, http.StatusCreated, "Garantie été.pdf", content, fields{"kind": "warranty"})
	resourcetest.Expect(t, made.JSON, fields{"title": "Garantie été.pdf", "kind": "warranty", "status": "active", "revision": 1, "version": 1,
		"file_name": "Garantie été.pdf", "media_type": "application/pdf", "size_bytes": len(content), "sha256": hex.EncodeToString(digest[:]),
		"scan_status": "not_scanned", "legal_holds": []any{}, "retain_until": nil})
	path := made.Header.Get("Location")
	got := f.Must(t, http.StatusOK, "GET", path+"/content", nil)
	if string(got.Body) != string(content) {
		t.Errorf("got %q", got.Body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/pdf", "ETag": `"` + hex.EncodeToString(digest[:]) + `"`, "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox", "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache",
		"Content-Disposition": `attachment; filename="Garantie ete.pdf"; filename*=UTF-8''Garantie%20%C3%A9t%C3%A9.pdf`,
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	f.Must(t, http.StatusNotFound, "GET", path+"/thumbnail", nil)
}
