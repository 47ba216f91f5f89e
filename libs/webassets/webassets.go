// Package webassets embeds the web assets of the product's pages, for every service with pages: one style sheet, the typeface, the
// logo, and a small script that no page depends on.
package webassets

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var files embed.FS

// Assets are the files under a path of one service.
type Assets struct {
	// Prefix is the path of the assets. It ends in a hash of their content, so that browsers may cache them without limit.
	Prefix string
}

// Under gives the assets for a service to serve under path, such as "/settings/assets".
func Under(path string) Assets { return Assets{path + "/" + version() + "/"} }

// Path is the path of a file such as "console.css".
func (a Assets) Path(name string) string { return a.Prefix + name }

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
}

// Read gives the file at a path, and its media type; nil where there is none.
func (a Assets) Read(at string) (content []byte, contentType string) {
	name, found := strings.CutPrefix(at, a.Prefix)
	contentType = contentTypes[path.Ext(name)]
	if content, err := files.ReadFile("assets/" + name); found && err == nil && contentType != "" {
		return content, contentType
	}
	return nil, ""
}

// ServeHTTP implements http.Handler.
func (a Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, contentType := a.Read(r.URL.Path)
	if content == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(content) // #nosec G705 -- a file of ours
}

func version() string {
	sum := sha256.New()
	entries, err := files.ReadDir("assets")
	if err != nil { // embedded
		panic(err)
	}
	for _, entry := range entries {
		content, err := files.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err)
		}
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}
