package openapi

import (
	"embed"
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
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const referencePage = `<!DOCTYPE html>
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

const referenceStart = `window.ui = SwaggerUIBundle({
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

// referenceAssets are made when the page is first asked for: most gateways never show it.
var referenceAssets = sync.OnceValues(func() (map[string]*asset, error) {
	assets := map[string]*asset{
		"/docs":          newAsset("text/html; charset=utf-8", []byte(referencePage)),
		"/docs/start.js": newAsset("text/javascript; charset=utf-8", []byte(referenceStart)),
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

// Reference is the response to a request for the interactive page, or for a file of it; nil where there is no such file.
func Reference(r *http.Request) (*http.Response, error) {
	assets, err := referenceAssets()
	if err != nil {
		return nil, err
	}
	found := assets[strings.TrimSuffix(r.URL.Path, "/")]
	if found == nil {
		return nil, nil
	}
	response := found.respond(r)
	response.Header["Content-Security-Policy"] = []string{referencePolicy}
	response.Header["Referrer-Policy"] = []string{"no-referrer"}
	return response, nil
}
