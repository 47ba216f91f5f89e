// Package static serves content that is the same for every caller, compressed for clients that accept it, and with an ETag, so that
// a client that has it is not sent it again.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
)

// Asset is a file, as it is and compressed.
type Asset struct {
	contentType  string
	language     string // a locale; empty: none
	plain, small []byte
	sum          string // SHA-256 of plain, in hexadecimal digits
	etag         string
}

// New makes an asset of its content.
func New(contentType string, content []byte) *Asset {
	a := &Asset{contentType: contentType, plain: content}
	sum := sha256.Sum256(content)
	a.sum = hex.EncodeToString(sum[:])
	a.etag = a.sum[:24]
	var small bytes.Buffer
	compressor := gzip.NewWriter(&small)
	_, _ = compressor.Write(content) // into memory: cannot fail
	_ = compressor.Close()
	if small.Len() < len(content) && len(content) > 1024 {
		a.small = small.Bytes()
	}
	return a
}

// In says in which language the content is, by its locale.
func (a *Asset) In(locale string) *Asset {
	a.language = locale
	return a
}

// ETag identifies the content, without quotes.
func (a *Asset) ETag() string { return a.etag }

// SHA256 is the checksum of the content as it is, in hexadecimal digits.
func (a *Asset) SHA256() string { return a.sum }

// Plain is the content, which is not to be changed.
func (a *Asset) Plain() []byte { return a.plain }

// Respond gives the asset: compressed when the caller can read that, and no body when the caller has it.
func (a *Asset) Respond(r *http.Request) *http.Response {
	body := a.plain
	compressed := a.small != nil && acceptsGzip(r.Header["Accept-Encoding"])
	etag := `"` + a.etag + `"`
	if compressed {
		body, etag = a.small, `"`+a.etag+`-gzip"`
	}
	response := &http.Response{
		StatusCode: http.StatusOK, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Content-Type": {a.contentType}, "Cache-Control": {"no-cache"}, "X-Content-Type-Options": {"nosniff"},
			"Etag": {etag}},
	}
	if a.small != nil {
		response.Header["Vary"] = []string{"Accept-Encoding"}
	}
	if a.language != "" {
		response.Header["Content-Language"] = []string{a.language}
	}
	if compressed {
		response.Header["Content-Encoding"] = []string{"gzip"}
	}
	if strings.Contains(strings.Join(r.Header["If-None-Match"], ","), etag) {
		response.StatusCode, response.Body, response.ContentLength = http.StatusNotModified, http.NoBody, 0
	}
	return response
}

func acceptsGzip(accepted []string) bool {
	for part := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		weight = strings.ReplaceAll(weight, " ", "")
		if coding = strings.TrimSpace(coding); strings.EqualFold(coding, "gzip") || coding == "*" {
			return !strings.HasPrefix(weight, "q=0") || strings.HasPrefix(weight, "q=0.")
		}
	}
	return false
}
