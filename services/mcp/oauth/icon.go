package oauth

import (
	_ "embed"
	"net/http"
)

// IconPath and IconSize are where the icon of the MCP server is, and its size as the protocol writes it. The icon is of the server alone:
// those of tools would cost an assistant tokens with every list.
const (
	IconPath = "/oauth/icon.png" // below a path that the gateway passes on without a key
	IconSize = "96x96"
)

//go:embed icon.png
var icon []byte

func showIcon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("Access-Control-Allow-Origin", "*") // clients are pages, too
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(icon) // the client is gone; nobody reads the error
}
