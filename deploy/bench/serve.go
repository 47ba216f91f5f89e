package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"time"
)

// What runs next to the product in the comparison runs in processes of its own, so that its processor time can be
// read: this program starts itself again with -serve.

// serveUpstream responds to everything with the same 8 KB of JSON, at once.
func serveUpstream(address string) error {
	row := `{"id":"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11","name":"Pompe de circulation","status":"in_service","condition_rating":2}`
	body := []byte(`{"data":[` + row)
	for len(body)+len(row) < 8<<10-40 {
		body = append(append(body, ','), row...)
	}
	body = append(body, `],"pagination":{"page":1,"per_page":25}}`...)
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body) // a caller who has left needs nothing
	}))
}

// serveProxy is the measure of the gateway: the standard library's proxy with nothing added but connections enough.
func serveProxy(address, target string) error {
	to, err := url.Parse(target)
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 256, MaxIdleConns: 256, DisableCompression: true},
	}
	return http.ListenAndServe(address, proxy)
}

// serveFiles is the measure of documents: a handler that writes the body of a POST to a file, until it is on the disk, with its SHA-256,
// and serves the files of a folder.
func serveFiles(address, folder string) error {
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			digest, err := writeFile(folder, r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"sha256":"%x"}`, digest)
		case r.URL.Path != "/readyz":
			http.ServeFile(w, r, filepath.Join(folder, path.Base(r.URL.Path)))
		}
	}))
}

func writeFile(folder string, body io.Reader) (digest []byte, err error) {
	file, err := os.CreateTemp(folder, "sent-")
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	if _, err = io.Copy(io.MultiWriter(file, hash), body); err == nil {
		err = file.Sync()
	}
	return hash.Sum(nil), errors.Join(err, file.Close())
}

// serveCollector takes traces and metrics and forgets them, so that the programs do the work of sending them.
func serveCollector() (address string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	})}
	go func() {
		if err := server.Serve(listener); err != nil {
			fmt.Fprintln(os.Stderr, "the collector ended:", err)
		}
	}()
	return "http://" + listener.Addr().String(), nil
}

func responds(address string) bool {
	client := &http.Client{Timeout: time.Second}
	response, err := client.Get(address)
	if err != nil {
		return false
	}
	var rest bytes.Buffer
	_, _ = rest.ReadFrom(io.LimitReader(response.Body, 1<<20))
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}
