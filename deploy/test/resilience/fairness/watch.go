package fairness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// request is one of an organization, with one of its keys in turn unless it has one.
type request struct {
	organization *load.Organization
	key          string
	method, path string
	accept       string
	header       [2]string
	body         any
}

// response is what was answered.
type response struct {
	status int
	code   string
	body   []byte
}

// client waits longer than the product does.
var client = &http.Client{Timeout: 60 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 200}}

var turn atomic.Uint64

// send sends a request to one of the gateways in turn, and reads the whole response.
func (s *suite) send(ctx context.Context, r request) (response, error) {
	opened, err := s.open(ctx, r)
	if err != nil {
		return response{}, err
	}
	defer opened.Body.Close()
	return read(opened)
}

// open is send for a caller that reads the body itself.
func (s *suite) open(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	if text, is := r.body.(string); is {
		body = strings.NewReader(text)
	} else if r.body != nil {
		encoded, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(encoded)
	}
	next := turn.Add(1)
	sent, err := http.NewRequestWithContext(ctx, r.method, s.gateways[next%uint64(len(s.gateways))]+r.path, body)
	if err != nil {
		return nil, err
	}
	if r.key == "" {
		r.key = r.organization.Keys[(next/2)%uint64(len(r.organization.Keys))]
	}
	sent.Header.Set("Authorization", "Bearer "+r.key)
	sent.Header.Set("Content-Type", "application/json")
	if r.accept != "" {
		sent.Header.Set("Accept", r.accept)
	}
	if r.header[0] != "" {
		sent.Header.Set(r.header[0], r.header[1])
	}
	return client.Do(sent)
}

func read(opened *http.Response) (response, error) {
	r := response{status: opened.StatusCode}
	var err error
	if r.body, err = io.ReadAll(opened.Body); err != nil {
		return r, err
	}
	var refusal struct{ Code string }
	var inOData struct{ Error struct{ Code string } }
	if r.status >= 400 && json.Unmarshal(r.body, &refusal) == nil {
		r.code = refusal.Code
		if json.Unmarshal(r.body, &inOData) == nil { // else the error is a sentence
			r.code = inOData.Error.Code
		}
	}
	return r, nil
}

// outcome is a status with the code of a refusal; status 0 is no whole response.
type outcome struct {
	status int
	code   string
}

func (a outcome) String() string { return strings.TrimSpace(fmt.Sprintf("%d %s", a.status, a.code)) }

// outcomes counts them.
type outcomes map[outcome]int

func (a *outcomes) add(r response, err error) {
	if *a == nil {
		*a = outcomes{}
	}
	if err != nil {
		(*a)[outcome{0, err.Error()}]++
		return
	}
	(*a)[outcome{r.status, r.code}]++
}

func (a outcomes) total() (n int) {
	for _, count := range a {
		n += count
	}
	return n
}

// of counts the refusals with a code.
func (a outcomes) of(code string) (n int) {
	for outcome, count := range a {
		if outcome.code == code {
			n += count
		}
	}
	return n
}

func (a outcomes) String() string {
	var parts []string
	for outcome, count := range a {
		parts = append(parts, fmt.Sprintf("%d × %s", count, outcome))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// watch is what an organization saw that asked for the same again and again.
type watch struct {
	times   []time.Duration // of the answers
	refused outcomes
}

// pause is between two requests of a watch.
const pause = 40 * time.Millisecond

// watch asks until ctx ends.
func (s *suite) watch(ctx context.Context, o *load.Organization, path string) <-chan watch {
	seen := make(chan watch, 1)
	go func() {
		var w watch
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				seen <- w
				return
			case <-tick.C:
			}
			begin := time.Now()
			r, err := s.send(context.WithoutCancel(ctx), request{organization: o, method: http.MethodGet, path: path})
			if err != nil || r.status != http.StatusOK {
				w.refused.add(r, err)
				continue
			}
			w.times = append(w.times, time.Since(begin))
		}
	}()
	return seen
}

func (s *suite) watchFor(ctx context.Context, o *load.Organization, path string, d time.Duration) watch {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return <-s.watch(ctx, o, path)
}

// quantile is the time that so many of 100 answers took at most.
func (w watch) quantile(percent int) time.Duration {
	if len(w.times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(w.times))
	return sorted[(len(sorted)-1)*percent/100]
}
