package webassets

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestFilesAreKeptForEverUnderTheirVersion(t *testing.T) {
	assets := Under("/settings/assets")
	if other := Under("/oauth/assets"); strings.TrimPrefix(other.Prefix, "/oauth") != strings.TrimPrefix(assets.Prefix, "/settings") {
		t.Errorf("the same files have the versions %s and %s", assets.Prefix, other.Prefix)
	}
	for _, test := range []struct {
		path        string
		status      int
		contentType string
	}{
		{assets.Path("console.css"), 200, "text/css; charset=utf-8"},
		{assets.Path("public-sans.woff2"), 200, "font/woff2"},
		{assets.Path("mark.svg"), 200, "image/svg+xml"},
		{assets.Path(""), 404, ""},
		{assets.Path("../webassets.go"), 404, ""},
		{"/settings/assets/000000000000/console.css", 404, ""},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = test.path
		assets.ServeHTTP(w, r)
		if w.Code != test.status || test.status == 200 &&
			(w.Header().Get("Content-Type") != test.contentType || !strings.Contains(w.Header().Get("Cache-Control"), "immutable")) {
			t.Errorf("%s: %d %v", test.path, w.Code, w.Header())
		}
	}
}
