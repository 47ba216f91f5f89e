package main

import (
	"net/http"
	"strings"
)

// writeError answers with an error in the API's form. Some statuses here (405, 413, 415) are the protocol's, not the API's.
func writeError(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	body := encodeJSON(map[string]string{"error": message, "code": code, "request_id": r.Header.Get("X-Request-Id")})
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // who hung up does not read the error either
}

// jsonErrors makes JSON of the protocol library's refusals, which are plain text.
func jsonErrors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&jsonErrorWriter{ResponseWriter: w, r: r}, r)
	})
}

// jsonErrorWriter is a writer that waits for the text of a refusal.
type jsonErrorWriter struct {
	http.ResponseWriter
	r      *http.Request
	status int // of a refusal whose text comes next
}

// WriteHeader begins the answer, unless it is a refusal in plain text.
func (p *jsonErrorWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.status = status
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write writes a piece of the answer, or the refusal.
func (p *jsonErrorWriter) Write(piece []byte) (int, error) {
	if p.status == 0 {
		return p.ResponseWriter.Write(piece)
	}
	status, message := p.status, endSentence(strings.TrimSpace(string(piece)))
	p.status = 0
	writeError(p.ResponseWriter, p.r, status, "protocol_error", message)
	return len(piece), nil
}

// Unwrap is for http.ResponseController.
func (p *jsonErrorWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
