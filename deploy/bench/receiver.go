package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// receiver takes deliveries at once and notes when. It may be the address of several endpoints.
type receiver struct {
	listener net.Listener
	server   *http.Server

	mu      sync.Mutex
	arrived []received
	came    chan struct{}
}

type received struct {
	endpoint int
	made, at time.Time
}

func newReceiver() (*receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{listener: listener, came: make(chan struct{}, 1)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = r.server.Serve(listener) }() // until it is closed
	return r, nil
}

func (r *receiver) url(endpoint int) string {
	return fmt.Sprintf("http://%s/%d", r.listener.Addr(), endpoint)
}

func (r *receiver) close() { _ = r.server.Close() } // nothing is owed to anybody

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	at := time.Now()
	var event struct{ Timestamp time.Time }
	endpoint, err := strconv.Atoi(strings.TrimPrefix(request.URL.Path, "/"))
	if err != nil || json.NewDecoder(request.Body).Decode(&event) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.arrived = append(r.arrived, received{endpoint, event.Timestamp, at})
	r.mu.Unlock()
	select {
	case r.came <- struct{}{}:
	default:
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrived = nil
}

// await gives what has arrived when that is so many, or when nothing has come for so long.
func (r *receiver) await(count int, timeout time.Duration) []received {
	for {
		r.mu.Lock()
		arrived := r.arrived
		r.mu.Unlock()
		if len(arrived) >= count {
			return arrived
		}
		select {
		case <-r.came:
		case <-time.After(timeout):
			return arrived
		}
	}
}

// allMoved is the time from a moment until each of so many endpoints has received something that was changed after it.
func (r *receiver) allMoved(since time.Time, endpoints int, timeout time.Duration) (time.Duration, error) {
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		first := map[int]time.Duration{}
		r.mu.Lock()
		for _, a := range r.arrived {
			if _, has := first[a.endpoint]; !has && a.made.After(since) {
				first[a.endpoint] = a.at.Sub(since)
			}
		}
		r.mu.Unlock()
		if len(first) == endpoints {
			longest := time.Duration(0)
			for _, after := range first {
				longest = max(longest, after)
			}
			return longest, nil
		}
	}
	return 0, fmt.Errorf("%s after a worker was killed, some endpoints are sent nothing", timeout)
}
