// Command receiver-go receives the webhooks of an endpoint: a small program to start from. It rejects what is not signed, applies
// each event once, and never replaces a newer version of a record by an older one.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8090", "where the endpoint's calls arrive")
	flag.Parse()
	if err := run(*listen); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(listen string) error {
	receiver, err := newReceiver(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	logLine(map[string]any{"listening": "http://" + listener.Addr().String()})
	return (&http.Server{Handler: receiver, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second}).Serve(listener)
}

// event is what a receiver of its own kind of records would read of the body; the whole is in docs/webhooks.md.
type event struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Sequence *int64 `json:"sequence"` // of the organization, without a gap; a test call has none
	Data     struct {
		state        // of the record, where there is no object: in thin and truncated bodies
		Object state `json:"object"`
	} `json:"data"`
}

// state is which record it is about, and as of which version.
type state struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
}

func (e *event) state() state {
	if e.Data.Object.ID != "" {
		return e.Data.Object
	}
	return e.Data.state
}

// receiver keeps in memory what a real one keeps in its database, in the transaction that applies the event.
type receiver struct {
	secrets []*standardwebhooks.Webhook

	mu       sync.Mutex
	seen     map[string]bool // webhook-id: a call whose response is too late comes again
	versions map[string]int  // record → the newest version that was applied
}

// newReceiver takes one secret, or two with a comma between them while the endpoint's secret is being replaced.
func newReceiver(secrets string) (*receiver, error) {
	r := &receiver{seen: map[string]bool{}, versions: map[string]int{}}
	for secret := range strings.SplitSeq(secrets, ",") {
		if !strings.HasPrefix(secret, "whsec_") || len(secret) < len("whsec_")+32 {
			return nil, errors.New("WEBHOOK_SECRET must be the whsec_… that the endpoint was created with") // an empty one would verify anything
		}
		webhook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return nil, fmt.Errorf("WEBHOOK_SECRET cannot be read: %w", err)
		}
		r.secrets = append(r.secrets, webhook)
	}
	return r, nil
}

// ServeHTTP responds 204 to what was applied, and to what need not be: with any other response it comes again.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 1<<20)) // the very bytes that were signed
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	if !r.signed(body, request.Header) {
		logLine(map[string]any{"outcome": "refused"})
		http.Error(w, "the signature does not fit", http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		http.Error(w, "the body is not an event", http.StatusBadRequest)
		return
	}
	logLine(map[string]any{"outcome": r.take(e), "id": e.ID, "type": e.Type, "sequence": e.Sequence, "record": e.state().ID,
		"version":  e.state().Version,
		"delivery": request.Header.Get("webhook-delivery-id"), "attempt": request.Header.Get("webhook-attempt")})
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) signed(body []byte, header http.Header) bool {
	for _, secret := range r.secrets {
		if secret.Verify(body, header) == nil {
			return true
		}
	}
	return false
}

// take applies the event unless it, or a later state of its record, was applied before.
func (r *receiver) take(e event) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[e.ID] {
		return "duplicate"
	}
	r.seen[e.ID] = true
	if record := e.state(); record.ID != "" {
		if record.Version < r.versions[record.ID] { // two types of event may tell of the same version
			return "outdated"
		}
		r.versions[record.ID] = record.Version
	}
	return "applied"
}

var output sync.Mutex

// logLine writes one line of JSON.
func logLine(line map[string]any) {
	output.Lock()
	defer output.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
