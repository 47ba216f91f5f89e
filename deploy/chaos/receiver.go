package main

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// event is what a subscriber is told, as far as it is compared here.
type event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Sequence  int64     `json:"sequence"`
	Data      struct {
		Object struct {
			ID      string `json:"id"`
			Version int    `json:"version"`
		} `json:"object"`
	} `json:"data"`
}

// change is what the event tells of; what is told last about a record has the highest version.
func (e *event) change() change {
	action := e.Type[strings.LastIndex(e.Type, ".")+1:]
	version := e.Data.Object.Version
	if action == "deleted" {
		version++
	}
	return change{e.Data.Object.ID, action, version}
}

// arrival is one call that was verified.
type arrival struct {
	event
	at time.Time
}

// receiver is what an endpoint calls. It always answers at once.
type receiver struct {
	pattern string
	address string
	server  *http.Server

	mu       sync.Mutex
	secret   *standardwebhooks.Webhook
	arrivals []arrival
	unsigned int // calls that were not what they should be
}

func newReceiver(pattern string) (*receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{pattern: pattern, address: listener.Addr().String()}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go r.server.Serve(listener) //nolint:errcheck // it ends when it is closed
	return r, nil
}

func (r *receiver) url() string { return "http://" + r.address + "/hooks" }

// believe takes the secret that the endpoint was created with.
func (r *receiver) believe(secret string) (err error) {
	if secret == "" {
		return errors.New("the endpoint was created without showing its secret")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret, err = standardwebhooks.NewWebhook(secret)
	return err
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	at := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secret == nil { // its own creation, told before its secret was
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Header().Set("Retry-After", "1")
		return
	}
	var e event
	switch {
	case err != nil: // the sender was killed while it sent
		w.WriteHeader(http.StatusBadRequest)
		return
	case r.secret.Verify(body, request.Header) != nil, json.Unmarshal(body, &e) != nil, request.Header.Get("webhook-id") != e.ID:
		r.unsigned++
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.arrivals = append(r.arrivals, arrival{e, at})
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.arrivals)
}

// wants says whether events of the type are for this receiver.
func (r *receiver) wants(eventType string) bool {
	return r.pattern == "*" || strings.HasPrefix(eventType, strings.TrimSuffix(r.pattern, "*"))
}
