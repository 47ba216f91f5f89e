package requests

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
)

//go:embed assets/request.css
var css []byte

// asset is a file of the pages, at a path that changes with its content.
type asset struct {
	path, contentType string
	content           []byte
}

func loadStyle() asset {
	sum := sha256.Sum256(css)
	return asset{"/r/assets/" + hex.EncodeToString(sum[:])[:12] + "/request.css", "text/css; charset=utf-8", css}
}

func (a asset) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", a.contentType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(a.content) // fails only where the caller has hung up
}
