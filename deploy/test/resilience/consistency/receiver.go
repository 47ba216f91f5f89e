package consistency

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	ams "ams.internal/clients/go"
)

// Arrival is one call that was verified.
type Arrival struct {
	Event
	At time.Time
}

// Receiver is what an endpoint calls. It responds at once.
type Receiver struct {
	Pattern string
	address string
	server  *http.Server

	mu       sync.Mutex
	secret   *standardwebhooks.Webhook
	arrivals []Arrival
	unsigned int // calls that were not what they should be
}

// Subscribe listens on this machine, and has an organization's events of a pattern sent there. Close it.
func Subscribe(ctx context.Context, client *ams.Client, pattern string) (*Receiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Receiver{Pattern: pattern, address: listener.Addr().String()}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go r.server.Serve(listener) //nolint:errcheck // it ends when it is closed
	var endpoint struct{ Secret string }
	if err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/webhook-endpoints",
		Body: map[string]any{"url": "http://" + r.address + "/hooks", "event_types": []string{pattern}}}, &endpoint); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, r.setSecret(endpoint.Secret)
}

// Close accepts no more calls.
func (r *Receiver) Close() error { return r.server.Close() }

// setSecret takes the secret that the endpoint was created with.
func (r *Receiver) setSecret(secret string) (err error) {
	if secret == "" {
		return errors.New("the endpoint was created without showing its secret")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret, err = standardwebhooks.NewWebhook(secret)
	return err
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	at := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secret == nil { // the event of its own creation, before the secret is known
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Header().Set("Retry-After", "1")
		return
	}
	var e Event
	switch {
	case err != nil: // the sender was killed while it sent
		w.WriteHeader(http.StatusBadRequest)
		return
	case r.secret.Verify(body, request.Header) != nil, json.Unmarshal(body, &e) != nil, request.Header.Get("webhook-id") != e.ID:
		r.unsigned++
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.arrivals = append(r.arrivals, Arrival{e, at})
	w.WriteHeader(http.StatusNoContent)
}

// count is how many calls have come.
func (r *Receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.arrivals)
}

// Arrivals are the calls that have come, in their order.
func (r *Receiver) Arrivals() []Arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.arrivals)
}

// wants says whether events of the type are for this receiver.
func (r *Receiver) wants(eventType string) bool {
	return r.Pattern == "*" || strings.HasPrefix(eventType, strings.TrimSuffix(r.Pattern, "*"))
}
