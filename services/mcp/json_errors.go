package mcp

import (
	"net/http"
	"strings"
)

// writeError writes an error in the API's form. Some statuses here (405, 413, 415) come from the protocol, not from the
// API.
func writeError(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	body := encodeJSON(map[string]string{"error": message, "code": code, "request_id": r.Header.Get("X-Request-Id")})
	w.Header().Del("Content-Length")
	writeJSON(w, status, append(body, '\n'))
}

// writeJSON writes a response that nobody may store.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone; nobody reads the error
}

// jsonErrors turns the plain-text errors of the protocol library into JSON.
func jsonErrors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&jsonErrorWriter{ResponseWriter: w, r: r}, r)
	})
}

// jsonErrorWriter is a response writer that replaces the text of an error.
type jsonErrorWriter struct {
	http.ResponseWriter
	r      *http.Request
	status int // of an error whose text comes next
}

// WriteHeader writes the header, unless an error in plain text follows.
func (p *jsonErrorWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.status = status
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the response, or the error as JSON.
func (p *jsonErrorWriter) Write(piece []byte) (int, error) {
	if p.status == 0 {
		return p.ResponseWriter.Write(piece)
	}
	status, message := p.status, endSentence(strings.TrimSpace(string(piece)))
	p.status = 0
	writeError(p.ResponseWriter, p.r, status, "protocol_error", message)
	return len(piece), nil
}

// Unwrap serves http.ResponseController.
func (p *jsonErrorWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
