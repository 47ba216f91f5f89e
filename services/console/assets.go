package main

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var assetFiles embed.FS

// assetPrefix is where style, script and typeface are. The version in it is made of their content: browsers may
// keep them for ever.
var assetPrefix = "/settings/assets/" + assetVersion() + "/"

func assetVersion() string {
	sum := sha256.New()
	entries, err := assetFiles.ReadDir("assets")
	if err != nil { // embedded
		panic(err)
	}
	for _, entry := range entries {
		content, err := assetFiles.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err)
		}
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, assetPrefix)
	content, err := assetFiles.ReadFile("assets/" + name)
	kind := assetTypes[path.Ext(name)]
	if err != nil || kind == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Write(content) // #nosec G705 -- a file of ours
}
