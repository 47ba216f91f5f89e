package fairness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// attack is something that an organization does within its limits.
type attack struct {
	name    string
	refused string // the code that at least one request of the attack is refused with
	at      string // what the neighbour asks for; one of its assets where this is empty
	// times the 95th percentile of before is what the neighbour, and the attacker's own other requests, may take; 0: not promised
	p95      float64
	cheap    float64 // times the 95th percentile while many cheap reads are made is what the neighbour may take; 0: not promised
	prepare  func(ctx context.Context, s *suite) error
	carryOut func(ctx context.Context, s *suite, seen *outcomes)
	after    func(ctx context.Context, s *suite, r *Result) error // what is looked at afterwards; may be nil
}

func attacks() []attack {
	var slow *httptest.Server // a receiver that takes its time
	var endpoint string
	var rows []map[string]any // of a bulk call
	return append([]attack{{
		name: "8 exports read at 50 kB/s", refused: "too_many_streams",
		prepare: fillAssets,
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			limited, cancel := context.WithTimeout(ctx, s.profile.During)
			defer cancel()
			together(8, seen, func(int) (response, error) { return s.readSlowly(limited, "text/csv", 50_000) })
		},
	}, {
		name: "a batch of 9,000 tools/list", refused: "batch_too_large",
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			batch := "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"},`, 9000), ",") + "]"
			together(4, seen, func(int) (response, error) {
				r, err := s.send(ctx, request{organization: s.attacker, method: http.MethodPost, path: "/mcp", body: batch,
					accept: "application/json, text/event-stream", header: [2]string{"Mcp-Protocol-Version", "2025-03-26"}})
				if strings.Contains(string(r.body), "20 messages at most") { // JSON-RPC has codes of its own
					r.code = "batch_too_large"
				}
				return r, err
			})
		},
	}, {
		name: "24 tests of a webhook endpoint that answers after 13 s", at: "/v1/webhook-endpoints",
		prepare: func(ctx context.Context, s *suite) error {
			over := make(chan struct{})
			slow = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				select {
				case <-time.After(min(13*time.Second, 2*s.profile.During)):
				case <-over:
				case <-r.Context().Done():
				}
			}))
			made, err := s.must(ctx, http.MethodPost, "/v1/webhook-endpoints", map[string]any{"url": slow.URL + "/slow",
				"event_types": []string{"site.created"}})
			endpoint = "/v1/webhook-endpoints/" + made
			return err
		},
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			together(24, seen, func(i int) (response, error) {
				return s.send(ctx, request{organization: s.attacker, method: http.MethodPost, path: endpoint + "/test",
					header: [2]string{"Idempotency-Key", fmt.Sprintf("test-%d-%d", i, time.Now().UnixNano())}})
			})
			slow.Close()
		},
	}, {
		name: "endpoints at 40 names that nobody knows", at: "/v1/webhook-endpoints",
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			together(40, seen, func(i int) (response, error) {
				return s.send(ctx, request{organization: s.attacker, method: http.MethodPost, path: "/v1/webhook-endpoints", body: map[string]any{
					"url": fmt.Sprintf("https://host-%d-%d.example.test/", i, time.Now().UnixNano()), "event_types": []string{"site.created"}}})
			})
		},
	}, {
		name: "a filter of 6,000 values", refused: "url_too_long",
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			tags := "/v1/assets?tags=" + strings.TrimSuffix(strings.Repeat("ab123,", 5900), ",")
			together(60, seen, func(int) (response, error) {
				return s.send(ctx, request{organization: s.attacker, method: http.MethodGet, path: tags})
			})
		},
	}, {
		name: "a filter of 2,500 values", refused: "invalid_request",
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			names := "/v1/assets?name=" + strings.TrimSuffix(strings.Repeat("ab123,", 2500), ",")
			together(60, seen, func(int) (response, error) {
				return s.send(ctx, request{organization: s.attacker, method: http.MethodGet, path: names})
			})
		},
	}, {
		name: "6 pages of 1,000 records of 100 kB", refused: "page_too_large",
		prepare: fillLarge,
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			together(6, seen, func(int) (response, error) {
				return s.send(ctx, request{organization: s.attacker, method: http.MethodGet, path: "/v1/sites?per_page=1000"})
			})
		},
	}, {
		name: "a record of 100 kB, then 32 pages",
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			_, _ = s.send(ctx, request{organization: s.attacker, method: http.MethodGet, path: "/v1/sites?per_page=1"})
			together(32, seen, func(int) (response, error) {
				return s.send(ctx, request{organization: s.attacker, method: http.MethodGet, path: "/v1/sites?per_page=1000&name=nothing"})
			})
		},
	}, {
		name: "20 bulk changes of the same 1,000 rows",
		prepare: func(ctx context.Context, s *suite) error {
			page, err := s.send(ctx, request{organization: s.attacker, method: http.MethodGet, path: "/v1/assets?per_page=1000&fields=id"})
			if err != nil {
				return err
			}
			var found struct{ Data []map[string]any }
			if err := json.Unmarshal(page.body, &found); err != nil {
				return fmt.Errorf("%d %.200s: %w", page.status, page.body, err)
			}
			rows = found.Data
			return nil
		},
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			together(20, seen, func(i int) (response, error) {
				changed := make([]map[string]any, len(rows))
				for at, row := range rows {
					changed[at] = map[string]any{"id": row["id"], "notes": fmt.Sprintf("%d %d", i, time.Now().UnixNano())}
				}
				return s.send(ctx, request{organization: s.attacker, method: http.MethodPatch, path: "/v1/assets/bulk",
					body: map[string]any{"data": changed}})
			})
		},
	}, {
		name: "10 keys, each with 20 requests at once", refused: "too_many_in_flight",
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			limited, cancel := context.WithTimeout(ctx, s.profile.During)
			defer cancel()
			together(200, seen, func(i int) (r response, err error) {
				for limited.Err() == nil && err == nil {
					key := s.attacker.Keys[i%len(s.attacker.Keys)]
					r, err = s.send(ctx, request{organization: s.attacker, key: key, method: http.MethodGet, path: "/v1/assets?per_page=200&sort=name"})
					if r.status == http.StatusTooManyRequests {
						return r, err
					}
				}
				return r, err
			})
		},
	}, strangers(), planners(), slowSenders(), largeBodies(), wrongPasswords()}, floods()...)
}

// largeBodies sends bulk calls of nearly the largest size that a body may have, as many at once as an organization may have in flight.
func largeBodies() attack {
	fields := map[string]any{}
	for i := range 50 {
		fields[fmt.Sprintf("field_%d", i)] = strings.Repeat("x", 190)
	}
	rows := make([]map[string]any, 950)
	for i := range rows {
		rows[i] = map[string]any{"name": fmt.Sprintf("Call %d", i), "custom_fields": fields}
	}
	body, _ := json.Marshal(map[string]any{"data": rows}) // maps of texts can be encoded
	return attack{
		name: fmt.Sprintf("40 bulk calls of %.1f MB", float64(len(body))/1e6), refused: "too_many_in_flight",
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			together(40, seen, func(i int) (response, error) {
				return s.send(ctx, request{organization: s.attacker, method: http.MethodPost, path: "/v1/assets/bulk",
					body: strings.ReplaceAll(string(body), "Call", fmt.Sprintf("Call %d of row", i))})
			})
		},
	}
}

// together does something several times at once and counts the outcomes, where seen is not nil.
func together(times int, seen *outcomes, do func(i int) (response, error)) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for i := range times {
		all.Go(func() {
			r, err := do(i)
			mu.Lock()
			defer mu.Unlock()
			if seen != nil {
				seen.add(r, err)
			}
		})
	}
	all.Wait()
}

// must makes a record of the attacker's, and gives its id.
func (s *suite) must(ctx context.Context, method, path string, body any) (id string, err error) {
	return s.mustAs(ctx, s.attacker, method, path, body)
}

// mustAs makes a record of an organization's, and gives its id.
func (s *suite) mustAs(ctx context.Context, of *load.Organization, method, path string, body any) (id string, err error) {
	r, err := s.send(ctx, request{organization: of, method: method, path: path, body: body})
	if err != nil {
		return "", err
	}
	if id, _, err = load.Written(r.body); err != nil {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, r.status, r.body)
	}
	return id, err
}

// bulk makes records of the attacker's.
func (s *suite) bulk(ctx context.Context, path string, rows []map[string]any) error {
	return s.bulkAs(ctx, s.attacker, path, rows)
}

func (s *suite) bulkAs(ctx context.Context, of *load.Organization, path string, rows []map[string]any) error {
	for attempt := 0; ; attempt++ {
		r, err := s.send(ctx, request{organization: of, method: http.MethodPost, path: path, body: map[string]any{"data": rows}})
		if err != nil {
			return err
		}
		if r.status == http.StatusOK {
			return nil
		}
		if r.status != http.StatusTooManyRequests || attempt == 60 {
			return fmt.Errorf("%s: %d %.300s", path, r.status, r.body)
		}
		time.Sleep(time.Second)
	}
}

// fillAssets makes many assets with 2 kB of text each, once.
func fillAssets(ctx context.Context, s *suite) error {
	if s.filled {
		return nil
	}
	s.filled = true
	text := strings.Repeat("Pompe ", 330)
	for made := 0; made < s.profile.Assets; made += 1000 {
		rows := make([]map[string]any, 1000)
		for i := range rows {
			rows[i] = map[string]any{"name": fmt.Sprintf("Asset %d", made+i), "notes": text}
		}
		if err := s.bulk(ctx, "/v1/assets/bulk", rows); err != nil {
			return err
		}
	}
	return nil
}

// fillLarge makes records of 100 kB: 50 custom fields of 2,000 characters.
func fillLarge(ctx context.Context, s *suite) error {
	fields := map[string]any{}
	for i := range 50 {
		fields[fmt.Sprintf("field_%d", i)] = strings.Repeat("x", 2000)
	}
	for made := 0; made < s.profile.Large; made += 50 {
		rows := make([]map[string]any, 50)
		for i := range rows {
			rows[i] = map[string]any{"name": fmt.Sprintf("Site %d", made+i), "custom_fields": fields}
		}
		if err := s.bulk(ctx, "/v1/sites/bulk", rows); err != nil {
			return err
		}
	}
	return nil
}

// readSlowly reads an export of the assets at so many bytes a second until it has ended or ctx ends.
func (s *suite) readSlowly(ctx context.Context, format string, perSecond int) (response, error) {
	opened, err := s.open(ctx, request{organization: s.attacker, method: http.MethodGet, path: "/v1/assets", accept: format})
	if err != nil {
		return response{}, err
	}
	defer opened.Body.Close()
	if opened.StatusCode != http.StatusOK {
		return read(opened)
	}
	r := response{status: opened.StatusCode}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done(): // long enough
			return r, nil
		case <-tick.C:
		}
		if _, err := io.CopyN(io.Discard, opened.Body, int64(perSecond/10)); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil && ctx.Err() == nil {
			return r, err
		}
	}
}

// wrongPasswords tries to keep the neighbour's administrator out, who has signed in from the same browser before.
func wrongPasswords() attack {
	var known *load.Person
	return attack{
		name: "wrong passwords for the neighbour's administrator",
		prepare: func(ctx context.Context, s *suite) (err error) {
			if known, err = load.NewPerson(s.gateways[0]); err != nil {
				return err
			}
			if err := signIn(ctx, known, s.victim); err != nil {
				return err
			}
			return known.Leave()
		},
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			for range 25 {
				stranger, err := load.NewPerson(s.gateways[1])
				if err == nil {
					var status int
					if status, _, err = stranger.SignIn(ctx, s.victim.Email, "wrong-wrong-wrong-1"); err == nil {
						seen.add(response{status: status, code: "sign_in_failed"}, nil)
						continue
					}
				}
				seen.add(response{}, err)
			}
			if err := signIn(ctx, known, s.victim); err != nil {
				seen.add(response{}, fmt.Errorf("the administrator %w", err))
			}
		},
	}
}

func signIn(ctx context.Context, p *load.Person, of *load.Organization) error {
	status, text, err := p.SignIn(ctx, of.Email, of.Password)
	if err == nil && status != http.StatusSeeOther {
		err = fmt.Errorf("cannot sign in: %d %.300s", status, text)
	}
	return err
}
