package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// swaggerUI is the part of Swagger UI that the page at /docs needs. The whole distribution, with its source maps, would
// be a third of this program.
//
//go:embed swagger-ui/*.css swagger-ui/*.js swagger-ui/*.png
var swaggerUI embed.FS

// The interactive page at /docs. All it needs is inside this program: it works without internet, and its policy lets
// nothing else in.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const docsPage = `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Asset Management API</title>
  <link rel="stylesheet" href="/docs/swagger-ui.css">
  <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32">
</head>
<body>
  <main id="swagger-ui"></main>
  <noscript>This page needs JavaScript. The same document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`

const docsStart = `window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
`

// asset is one file of the page, as it is and compressed.
type asset struct {
	contentType  string
	plain, small []byte
	etag         string
}

// docsAssets are made when the page is first asked for: most gateways never show it.
var docsAssets = sync.OnceValues(func() (map[string]*asset, error) {
	assets := map[string]*asset{
		"/docs":          newAsset("text/html; charset=utf-8", []byte(docsPage)),
		"/docs/start.js": newAsset("text/javascript; charset=utf-8", []byte(docsStart)),
	}
	for name, contentType := range map[string]string{
		"swagger-ui.css": "text/css; charset=utf-8", "swagger-ui-bundle.js": "text/javascript; charset=utf-8", "favicon-32x32.png": "image/png",
	} {
		content, err := swaggerUI.ReadFile("swagger-ui/" + name)
		if err != nil {
			return nil, fmt.Errorf("the page at /docs: %w", err)
		}
		assets["/docs/"+name] = newAsset(contentType, content)
	}
	return assets, nil
})

func newAsset(contentType string, content []byte) *asset {
	a := &asset{contentType: contentType, plain: content}
	sum := sha256.Sum256(content)
	a.etag = hex.EncodeToString(sum[:12])
	var small bytes.Buffer
	compressor := gzip.NewWriter(&small)
	_, _ = compressor.Write(content) // into memory: cannot fail
	_ = compressor.Close()
	if small.Len() < len(content) && len(content) > 1024 {
		a.small = small.Bytes()
	}
	return a
}

// answer gives the asset, not at all when the caller has it, compressed when the caller can read that.
func (a *asset) answer(c *call, caching string) *http.Response {
	body := a.plain
	compressed := a.small != nil && acceptsGzip(c.r.Header["Accept-Encoding"])
	etag := `"` + a.etag + `"`
	if compressed {
		body, etag = a.small, `"`+a.etag+`-gzip"`
	}
	response := own200(a.contentType, caching, body)
	response.Header["Etag"] = []string{etag}
	if a.small != nil {
		response.Header["Vary"] = []string{"Accept-Encoding"}
	}
	if compressed {
		response.Header["Content-Encoding"] = []string{"gzip"}
	}
	if strings.Contains(strings.Join(c.r.Header["If-None-Match"], ","), etag) {
		response.StatusCode, response.Body, response.ContentLength = http.StatusNotModified, http.NoBody, 0
	}
	return response
}

func (g *gateway) docs(c *call) (*http.Response, error) {
	assets, err := docsAssets()
	if err != nil {
		return nil, err
	}
	found := assets[strings.TrimSuffix(c.r.URL.Path, "/")]
	if found == nil {
		return nil, unknownPath(c)
	}
	response := found.answer(c, "no-cache")
	response.Header["Content-Security-Policy"] = []string{docsPolicy}
	response.Header["Referrer-Policy"] = []string{"no-referrer"}
	return response, nil
}

func acceptsGzip(accepted []string) bool {
	for part := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if coding = strings.TrimSpace(coding); strings.EqualFold(coding, "gzip") || coding == "*" {
			return !strings.HasPrefix(strings.ReplaceAll(weight, " ", ""), "q=0") || strings.HasPrefix(strings.ReplaceAll(weight, " ", ""), "q=0.")
		}
	}
	return false
}
