package fairness

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// What the neighbour may take while something is asked for again and again: so many times what it takes while a record of the attacker's is
// read so often at once, which is the cheapest thing there is.
const (
	cheapAtOnce = 40
	cheapTimes  = 3
)

// floods ask for the same again and again, so many at once.
func floods() []attack {
	search := func(words ...string) func(i int) string {
		return func(i int) string { return "/v1/search?q=" + url.QueryEscape(words[i%len(words)]) }
	}
	words := search("pompe", "asset 12", "arena", "hotel de ville", "A-000123")
	misspelt := search("pmope", "asett", "areena", "hotle", "grunfos")
	groups := func(int) string {
		return "/odata/v4/assets?$apply=" + url.QueryEscape("groupby((status,site_id),aggregate($count as assets))")
	}
	all := []attack{
		flood("8 misspelt searches at once", 8, misspelt),
		flood("40 searches at once", 40, words),
		flood("40 searches at once, and the neighbour's", 40, words),
		flood("40 $apply at once", 40, groups),
		trails(),
	}
	all[2].at = "/v1/search?q=one"
	return all
}

func flood(name string, atOnce int, path func(i int) string) attack {
	return attack{
		name: name, cheap: cheapTimes, prepare: fillAssets,
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) { s.flood(ctx, atOnce, path, seen) },
	}
}

// flood asks until the neighbour was watched for long enough.
func (s *suite) flood(ctx context.Context, atOnce int, path func(i int) string, seen *outcomes) {
	s.again(ctx, atOnce, seen, func(i int) (response, error) {
		return s.send(ctx, request{organization: s.attacker, method: http.MethodGet, path: path(i)})
	})
}

// again does something again and again, so many at once, until the neighbour was watched for long enough.
func (s *suite) again(ctx context.Context, atOnce int, seen *outcomes, do func(i int) (response, error)) {
	limited, cancel := context.WithTimeout(ctx, s.profile.During)
	defer cancel()
	var mu sync.Mutex
	together(atOnce, nil, func(i int) (r response, err error) {
		for limited.Err() == nil {
			r, err = do(i)
			mu.Lock()
			seen.add(r, err)
			mu.Unlock()
			if r.status == http.StatusTooManyRequests {
				time.Sleep(100 * time.Millisecond) // sooner than it is told
			}
		}
		return r, err
	})
}

// whileCheap watches the neighbour while a record of the attacker's is read by many at once.
func (s *suite) whileCheap(ctx context.Context, at string) watch {
	watching, over := context.WithCancel(ctx)
	neighbour := s.watch(watching, s.victim, at)
	var seen outcomes
	s.flood(ctx, cheapAtOnce, func(int) string { return s.record[s.attacker] }, &seen)
	over()
	return <-neighbour
}

// trails exports the audit trail on the settings screens, four at once: an export is one of the streams that an organization may have open.
func trails() attack {
	var administrator *load.Person
	return attack{
		name: "4 audit.csv at once", cheap: cheapTimes,
		prepare: func(ctx context.Context, s *suite) (err error) {
			if administrator, err = load.NewPerson(s.gateways[0]); err == nil {
				err = errors.Join(fillAssets(ctx, s), signIn(ctx, administrator, s.attacker))
			}
			return err
		},
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			s.again(ctx, 4, seen, func(int) (r response, err error) {
				r.status, _, err = administrator.Get(ctx, "/settings/audit.csv")
				if r.status == http.StatusTooManyRequests {
					r.code = "too_many_streams" // the page says it in words
				}
				return r, err
			})
		},
	}
}
