package fairness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// slowSenders holds all the places for uploads that an organization has: a hundred senders of one byte a second, ten for each key. The
// neighbour meanwhile uploads files of its own, one after the other, besides what every neighbour asks for.
func slowSenders() attack {
	var before, during []time.Duration // of the neighbour's uploads
	var refused answers
	return attack{
		name: "100 senders of 1 byte/s", refused: "too_many_uploads", p95: 2, at: "/v1/documents?per_page=10",
		prepare: func(ctx context.Context, s *suite) error {
			limited, cancel := context.WithTimeout(ctx, s.pace.Before)
			defer cancel()
			if before, refused = s.uploads(limited, s.victim); len(before) == 0 || len(refused) > 0 {
				return fmt.Errorf("%d uploads were taken, and refused: %s", len(before), refused)
			}
			return nil
		},
		carryOut: func(ctx context.Context, s *suite, told *answers) {
			limited, cancel := context.WithTimeout(ctx, s.pace.During)
			defer cancel()
			var neighbour sync.WaitGroup
			neighbour.Go(func() { during, refused = s.uploads(limited, s.victim) })
			together(100, told, func(i int) (response, error) { return s.sendSlowly(limited, s.attacker.Keys[i%len(s.attacker.Keys)]) })
			neighbour.Wait()
		},
		after: func(_ context.Context, s *suite, r *Result) error {
			if len(during) == 0 || len(refused) > 0 {
				r.Broken = append(r.Broken, fmt.Sprintf("of the neighbour's uploads %d were taken, and refused: %s", len(during), refused))
			}
			was, is := watch{times: before}.quantile(95), watch{times: during}.quantile(95)
			s.say("  %d uploads of the neighbour, their p95 %s before and %s meanwhile", len(during), round(was), round(is))
			if is > 2*was {
				r.Late = append(r.Late, fmt.Sprintf("the p95 of the neighbour's uploads was %s, at most twice %s is promised", round(is), round(was)))
			}
			if r.Attacks.of(stillSending.code)+r.Attacks.of("body_incomplete") == 0 {
				r.Broken = append(r.Broken, fmt.Sprintf("no sender held a place: %s", r.Attacks))
			}
			return nil
		},
	}
}

// uploads sends files of 1 MB, one after the other, until ctx ends, and says how long each took.
func (s *suite) uploads(ctx context.Context, o *load.Organization) (took []time.Duration, refused answers) {
	for ctx.Err() == nil {
		content, _ := load.Content(1_000_000)
		call := load.UploadDocument("", "assets", s.assetID(o), load.Text(), content)
		begin := time.Now()
		r, err := s.ask(context.WithoutCancel(ctx), request{organization: o, method: call.Method, path: call.Path, body: string(call.Content),
			header: [2]string{"Content-Type", call.ContentType}})
		if err != nil || r.status != http.StatusCreated {
			refused.add(r, err)
			continue
		}
		took = append(took, time.Since(begin))
		time.Sleep(pause)
	}
	return took, refused
}

// assetID is the id of an organization's record.
func (s *suite) assetID(o *load.Organization) string { return s.record[o][len("/v1/assets/"):] }

// stillSending is what a sender has been answered who is not answered yet: nothing but to go on.
var stillSending = response{status: http.StatusContinue, code: "still_sending"}

// sendSlowly sends a file of 1,000 bytes, one a second, until it is refused or ctx ends.
func (s *suite) sendSlowly(ctx context.Context, key string) (response, error) {
	begin, end, contentType := load.DocumentForm("assets", s.assetID(s.attacker), load.Text())
	reader, writer := io.Pipe()
	defer reader.Close() //nolint:errcheck // ends the sender below
	go func() {
		if _, err := writer.Write(append(begin, "12345678"...)); err != nil {
			return
		}
		for range 1000 {
			time.Sleep(time.Second)
			if _, err := writer.Write([]byte{'x'}); err != nil {
				return // the request is over
			}
		}
		_, err := writer.Write(end)
		_ = writer.CloseWithError(err)
	}()
	gateway := s.gateways[int(turn.Add(1))%len(s.gateways)]
	sent, err := http.NewRequestWithContext(ctx, http.MethodPost, gateway+"/v1/documents", reader)
	if err != nil {
		return response{}, err
	}
	sent.Header.Set("Authorization", "Bearer "+key)
	sent.Header.Set("Content-Type", contentType)
	opened, err := client.Do(sent)
	if ctx.Err() != nil {
		return stillSending, nil
	}
	if err != nil {
		return response{}, err
	}
	defer opened.Body.Close()
	return read(opened)
}
