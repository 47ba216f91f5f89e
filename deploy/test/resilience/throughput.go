package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

const (
	callersAtOnce = 16
	afterChange   = 1500 * time.Millisecond // until breakers have noticed
)

// compareThroughput measures, in turn, how much is done with something and without it, by callers who make the next request as soon as they
// have a response.
func (r *run) compareThroughput(ctx context.Context, callers *load.Balancer, what string, inject, restore func() error) error {
	if _, err := r.closedLoop(ctx, callers); err != nil { // connections are made by now, and caches warm
		return err
	}
	var present, absent []float64
	for round := range r.profile.rounds {
		r.logf("  throughput %s, round %d of %d", what, round+1, r.profile.rounds)
		rate, err := r.closedLoop(ctx, callers)
		if err != nil {
			return err
		}
		present = append(present, rate)
		if err := inject(); err != nil {
			return err
		}
		rate, err = r.closedLoop(ctx, callers)
		if err = errors.Join(err, restore()); err != nil {
			return err
		}
		absent = append(absent, rate)
	}
	ratio := median(absent) / median(present)
	r.measure("throughput %s %.1f %% (%.0f against %.0f requests/s, medians of %d)", what, 100*ratio, median(absent), median(present),
		r.profile.rounds)
	r.bound(ratio >= 0.95, "throughput %s is %.1f %%; at least 95 %% was promised", what, 100*ratio)
	return nil
}

// closedLoop gives the requests per second that a few callers get responses to. None may be refused.
func (r *run) closedLoop(ctx context.Context, b *load.Balancer) (float64, error) {
	time.Sleep(afterChange)
	ctx, cancel := context.WithTimeout(ctx, load.Timeout)
	defer cancel()
	began := time.Now()
	var callers sync.WaitGroup
	var mu sync.Mutex
	responded, refused := 0, error(nil)
	for range callersAtOnce {
		callers.Go(func() {
			for time.Since(began) < r.profile.round {
				record, _ := r.fast.Pick()
				request := r.fast.Get(record)
				a := b.Do(ctx, request.Call)
				mu.Lock()
				if responded++; a.Err != nil || a.Status != http.StatusOK {
					refused = fmt.Errorf("%s: %d %.200s %w", request.Path, a.Status, a.Body, a.Err)
				}
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	return float64(responded) / time.Since(began).Seconds(), refused
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
