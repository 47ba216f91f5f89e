package load

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/textproto"
)

// Document is what a response says of one.
type Document struct {
	ID         string
	Title      string
	SHA256     string `json:"sha256"`
	Size       int64  `json:"size_bytes"`
	Revision   int
	ScanStatus string `json:"scan_status"`
	Status     string
}

// Content gives so many bytes that nobody else has, and their sha256 in hexadecimal. They are of no type that is known.
func Content(size int) (content []byte, digest string) {
	seed := [32]byte{}
	for i := 0; i < len(seed); i += 8 {
		copy(seed[i:], fmt.Appendf(nil, "%08x", rand.Uint32()))
	}
	content = make([]byte, size)
	_, _ = rand.NewChaCha8(seed).Read(content) // never fails
	copy(content, "\x00AMS ")
	return content, Digest(content)
}

// Digest is the sha256 of bytes, in hexadecimal.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// UploadDocument creates a document on a record with its file, as a form (RFC 7578).
func UploadDocument(key, collection, record, title string, content []byte) Call {
	body, end, contentType := DocumentForm(collection, record, title)
	return Call{Method: http.MethodPost, Path: "/v1/documents", Key: key, Content: append(append(body, content...), end...),
		ContentType: contentType}
}

// DocumentForm is what comes before and after the bytes of a file in a form.
func DocumentForm(collection, record, title string) (before, after []byte, contentType string) {
	var text bytes.Buffer
	form := multipart.NewWriter(&text)
	described, _ := json.Marshal(map[string]any{"collection": collection, "record_id": record, "title": title}) // texts can be encoded
	_ = form.WriteField("document", string(described))                                                          // a buffer takes everything
	_, _ = form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="file.bin"`}})
	length := text.Len()
	_ = form.Close()
	return bytes.Clone(text.Bytes()[:length]), text.Bytes()[length:], form.FormDataContentType()
}
