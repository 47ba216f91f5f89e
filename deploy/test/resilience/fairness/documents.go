package fairness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// slowSenders holds the places for uploads that an organization has: a hundred senders of one byte a second, ten for each key, each of
// which begins again when it is refused. The neighbour sends files of its own, before and meanwhile, besides what every neighbour asks for.
func slowSenders() attack {
	var before, during watch // the uploads of the neighbour
	var neighbour sync.WaitGroup
	return attack{
		name: "100 senders of 1 byte/s", refused: "too_many_uploads", p95: 2, at: "/v1/documents?per_page=10",
		prepare: func(ctx context.Context, s *suite) error {
			neighbour.Go(func() { before = s.upload(ctx, s.victim, s.profile.Before) }) // while everything else is watched as well
			return nil
		},
		carryOut: func(ctx context.Context, s *suite, seen *outcomes) {
			neighbour.Wait()
			neighbour.Go(func() { during = s.upload(ctx, s.victim, s.profile.During) })
			limited, cancel := context.WithTimeout(ctx, s.profile.During)
			defer cancel()
			var mu sync.Mutex
			together(100, nil, func(i int) (r response, err error) {
				for limited.Err() == nil {
					r, err = s.sendSlowly(limited, s.attacker.Keys[i%len(s.attacker.Keys)])
					mu.Lock()
					seen.add(r, err)
					mu.Unlock()
					select {
					case <-limited.Done():
					case <-time.After(time.Second): // Retry-After
					}
				}
				return r, err
			})
			neighbour.Wait()
		},
		after: func(_ context.Context, s *suite, r *Result) error {
			r.Broken = append(r.Broken, refusals("before", before)...)
			r.Broken = append(r.Broken, refusals("during", during)...)
			was, is := before.quantile(95), during.quantile(95)
			s.logf("  the neighbour uploaded %d files, %d of them meanwhile; their p95 was %s and %s", len(before.times)+len(during.times),
				len(during.times), round(was), round(is))
			if limit := max(2*was, unnoticed); is > limit {
				r.Late = append(r.Late, fmt.Sprintf("the p95 of the neighbour's uploads was %s, at most %s is promised", round(is), round(limit)))
			}
			if held := r.Attacks.of(stillSending.code) + r.Attacks.of("body_incomplete"); held == 0 {
				r.Broken = append(r.Broken, fmt.Sprintf("no sender held a place: %s", r.Attacks))
			}
			return nil
		},
	}
}

// refusals says what was wrong with uploads that were all to be taken.
func refusals(when string, uploads watch) []string {
	if len(uploads.times) > 0 && len(uploads.refused) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("of the neighbour's uploads %s %d were taken, and refused: %s", when, len(uploads.times), uploads.refused)}
}

// upload sends files of 1 MB for as long as d.
func (s *suite) upload(ctx context.Context, o *load.Organization, d time.Duration) (seen watch) {
	for until := time.Now().Add(d); time.Now().Before(until) && ctx.Err() == nil; time.Sleep(pause) {
		content, _ := load.Content(1_000_000)
		call := load.UploadDocument("", "assets", s.assetID(o), "Relevé", content)
		begin := time.Now()
		r, err := s.send(ctx, request{organization: o, method: call.Method, path: call.Path, body: string(call.Content),
			header: [2]string{"Content-Type", call.ContentType}})
		if err != nil || r.status != http.StatusCreated {
			seen.refused.add(r, err)
			continue
		}
		seen.times = append(seen.times, time.Since(begin))
	}
	return seen
}

// assetID is the id of an organization's record.
func (s *suite) assetID(o *load.Organization) string {
	return strings.TrimPrefix(s.record[o], "/v1/assets/")
}

// stillSending is noted of a sender who has not been answered when the attack is over.
var stillSending = response{status: http.StatusContinue, code: "still_sending"}

// sendSlowly sends a file of the attacker's, a byte a second, until it is refused or ctx ends.
func (s *suite) sendSlowly(ctx context.Context, key string) (response, error) {
	begin, _, contentType := load.DocumentForm("assets", s.assetID(s.attacker), "Relevé")
	reader, writer := io.Pipe()
	defer reader.Close() //nolint:errcheck // ends the sender below
	go func() {
		for piece := append(begin, "\x00AMS "...); ; piece = []byte{'x'} {
			if _, err := writer.Write(piece); err != nil {
				return // the request is over
			}
			time.Sleep(time.Second)
		}
	}()
	gateway := s.gateways[turn.Add(1)%uint64(len(s.gateways))]
	sent, err := http.NewRequestWithContext(ctx, http.MethodPost, gateway+"/v1/documents", reader)
	if err != nil {
		return response{}, err
	}
	sent.Header.Set("Authorization", "Bearer "+key)
	sent.Header.Set("Content-Type", contentType)
	opened, err := client.Do(sent)
	switch {
	case err != nil && ctx.Err() != nil:
		return stillSending, nil //nolint:nilerr // it was the end that ended it
	case err != nil:
		return response{}, err
	}
	defer opened.Body.Close()
	r, err := read(opened)
	if err != nil && ctx.Err() != nil {
		return stillSending, nil //nolint:nilerr // as above
	}
	return r, err
}
