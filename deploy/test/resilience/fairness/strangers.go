package fairness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	strangerAddresses = 100
	strangersPerTick  = 100 * time.Millisecond // between two requests of an address: 1,000 a second of all
	// readsPerAddress is how many pages an address may read in an hour in these tests, so that it is over its limit within seconds.
	readsPerAddress = 40
	tooMany         = "too_many_requests"
)

// environment are the settings of the stack: memory as in containers, and addresses of strangers as a load balancer tells them.
var environment = []string{goMemLimit, "AMS_TRUSTED_PROXIES=127.0.0.0/8", fmt.Sprintf("AMS_REQUESTS_READS_PER_ADDRESS=%d", readsPerAddress)}

// stranger has an address, and no key.
type stranger struct {
	suite *suite
	token string
	n     int // of the address
	sent  int
}

// sendNext sends the next of the four requests that a link takes.
func (a *stranger) sendNext(ctx context.Context) (response, error) {
	const asForm, asJSON = "application/x-www-form-urlencoded", "application/json"
	each := [4]struct{ method, path, contentType, body string }{
		{http.MethodGet, "/public/links/", asJSON, ""},
		{http.MethodPost, "/public/links/", asJSON, `{"description": "x"}`},
		{http.MethodGet, "/r/", asForm, ""},
		{http.MethodPost, "/r/", asForm, "description=x"},
	}[a.sent%4]
	gateway := a.suite.gateways[(a.sent/4+a.n)%len(a.suite.gateways)]
	a.sent++
	sent, err := http.NewRequestWithContext(ctx, each.method, gateway+each.path+a.token, strings.NewReader(each.body))
	if err != nil {
		return response{}, err
	}
	sent.Header.Set("Content-Type", each.contentType)
	sent.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", a.n))
	opened, err := client.Do(sent)
	if err != nil {
		return response{}, err
	}
	defer opened.Body.Close()
	r, err := read(opened)
	if r.status == http.StatusTooManyRequests && opened.Header.Get("Retry-After") != "" && bytes.Contains(r.body, []byte("<h1>")) {
		r.code = tooMany // a page for people has no codes
	}
	return r, err
}

// strangers come to a link of an organization from 100 addresses, 1,000 times a second, when each of them is over its limits.
func strangers() attack {
	var all []*stranger
	var before int64
	return attack{
		name: "strangers at a link, 1,000 a second from 100 addresses", refused: tooMany, p95: 1.5,
		prepare: func(ctx context.Context, s *suite) error {
			token, err := s.makeLink(ctx)
			if err != nil {
				return err
			}
			for n := range strangerAddresses {
				all = append(all, &stranger{suite: s, token: token, n: n})
			}
			if err := exhaust(ctx, all); err != nil {
				return err
			}
			before, err = s.linkScans(ctx)
			return err
		},
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			limited, cancel := context.WithTimeout(ctx, s.profile.During)
			defer cancel()
			var mu sync.Mutex
			together(len(all), nil, func(i int) (last response, err error) {
				every := time.NewTicker(strangersPerTick)
				defer every.Stop()
				for limited.Err() == nil {
					r, err := all[i].sendNext(ctx)
					mu.Lock()
					seen.add(r, err)
					mu.Unlock()
					<-every.C
				}
				return last, nil
			})
		},
		after: func(ctx context.Context, s *suite, r *Result) error {
			after, err := s.linkScans(ctx)
			if err != nil {
				return err
			}
			if n := r.Attacks.total(); n != r.Attacks.of(tooMany) || after != before {
				r.Broken = append(r.Broken, fmt.Sprintf("%d requests of strangers over their limits were answered %s and cost %d look-ups of links", n,
					r.Attacks, after-before))
			}
			other := stranger{suite: s, token: all[0].token, n: strangerAddresses}
			if seen, err := other.sendNext(ctx); err != nil || seen.status != http.StatusOK {
				r.Broken = append(r.Broken, fmt.Sprintf("somebody at another address gets %d %s %v", seen.status, seen.code, err))
			}
			return nil
		},
	}
}

// exhaust lets each address ask until it is over its limits at every instance.
func exhaust(ctx context.Context, all []*stranger) error {
	var refused atomic.Int64
	errs := make([]error, len(all))
	together(len(all), nil, func(i int) (r response, err error) {
		for inARow := 0; inARow < 16 && errs[i] == nil; { // all four requests, at both instances by both gateways
			if r, errs[i] = all[i].sendNext(ctx); r.code == tooMany {
				inARow++
				refused.Add(1)
			} else {
				inARow = 0
			}
			if all[i].sent > 20*readsPerAddress {
				errs[i] = fmt.Errorf("%d requests of one address were not enough to be over its limits: %d %s", all[i].sent, r.status, r.code)
			}
		}
		return r, nil
	})
	return errors.Join(errs...)
}

// makeLink makes a link of the attacker's, and gives its token.
func (s *suite) makeLink(ctx context.Context) (token string, err error) {
	site, err := s.must(ctx, http.MethodPost, "/v1/sites", map[string]any{"name": "Parc du Moulin"})
	if err != nil {
		return "", err
	}
	link, err := s.must(ctx, http.MethodPost, "/v1/request-links", map[string]any{"name": "Parc du Moulin", "site_id": site,
		"notice": "Under the Municipal Act, 2001.", "notice_fr": "En vertu de la Loi de 2001."})
	if err != nil {
		return "", err
	}
	db, err := pgx.Connect(ctx, s.stack.Description().PostgresURL)
	if err != nil {
		return "", err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	return token, db.QueryRow(ctx, "SELECT token FROM requests.request_link WHERE id = $1::uuid", link).Scan(&token)
}

// statisticsDelay is after how long PostgreSQL has counted what an idle connection did (10 s, pgstat_report_stat).
const statisticsDelay = 11 * time.Second

// linkScans is how often the table of links was looked into, which every request of a stranger needs that is not refused before.
func (s *suite) linkScans(ctx context.Context) (n int64, err error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(statisticsDelay):
	}
	db, err := pgx.Connect(ctx, s.stack.Description().PostgresURL)
	if err != nil {
		return 0, err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	return n, db.QueryRow(ctx, `SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_user_tables
		WHERE schemaname = 'requests' AND relname = 'request_link'`).Scan(&n)
}
