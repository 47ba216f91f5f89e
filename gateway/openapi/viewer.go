package openapi

import (
	"embed"
	"fmt"
	"net/http"
	"sync"

	"ams.internal/gateway/static"
)

// swaggerUI is the part of Swagger UI that the page at /docs/try needs. The whole distribution, with its source maps, would
// be a third of this program.
//
//go:embed swagger-ui/*.css swagger-ui/*.js swagger-ui/*.png
var swaggerUI embed.FS

// The interactive page at /docs/try. All it needs is inside this program: it works without internet, and its policy lets
// nothing else in.
const viewerPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const viewerPage = `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Try the Asset Management API</title>
  <link rel="stylesheet" href="/docs/try/swagger-ui.css">
  <link rel="icon" type="image/png" href="/docs/try/favicon-32x32.png" sizes="32x32">
</head>
<body>
  <main id="swagger-ui"></main>
  <noscript>This page sends calls, for which it needs JavaScript. The <a href="/docs/reference">reference</a> needs none.</noscript>
  <script src="/docs/try/swagger-ui-bundle.js"></script>
  <script src="/docs/try/start.js"></script>
</body>
</html>
`

const viewerStart = `window.ui = SwaggerUIBundle({
  url: "/openapi.json?view=full",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
`

// viewerAssets are made when the page is first asked for: most gateways never show it.
var viewerAssets = sync.OnceValues(func() (map[string]*static.Asset, error) {
	assets := map[string]*static.Asset{
		"":          static.New("text/html; charset=utf-8", []byte(viewerPage)),
		"/start.js": static.New("text/javascript; charset=utf-8", []byte(viewerStart)),
	}
	for name, contentType := range map[string]string{
		"swagger-ui.css": "text/css; charset=utf-8", "swagger-ui-bundle.js": "text/javascript; charset=utf-8", "favicon-32x32.png": "image/png",
	} {
		content, err := swaggerUI.ReadFile("swagger-ui/" + name)
		if err != nil {
			return nil, fmt.Errorf("the page at /docs/try: %w", err)
		}
		assets["/"+name] = static.New(contentType, content)
	}
	return assets, nil
})

// Viewer is the response to a request for the interactive page, or for a file of it, by what its path has behind /docs/try; nil where there
// is no such file.
func Viewer(r *http.Request, file string) (*http.Response, error) {
	assets, err := viewerAssets()
	if err != nil {
		return nil, err
	}
	found := assets[file]
	if found == nil {
		return nil, nil
	}
	response := found.Respond(r)
	response.Header["Content-Security-Policy"] = []string{viewerPolicy}
	response.Header["Referrer-Policy"] = []string{"no-referrer"}
	return response, nil
}
