package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// everythingReplaced is a rolling update: every process is asked to end while it works, and another one takes its place.
func everythingReplaced() scenario {
	return scenario{
		name:    "every process in turn, SIGTERM",
		promise: "not one request fails, long exports and open polls included",
		inject: func(ctx context.Context, r *run) error {
			if err := r.stock(ctx); err != nil {
				return err
			}
			going, stop := context.WithCancel(ctx)
			var long sync.WaitGroup
			long.Go(func() { r.exports(going) })
			long.Go(func() { r.exports(going) })
			for range 3 {
				long.Go(func() { r.polls(going) })
			}
			err := r.replaceAll(ctx)
			stop() // no new ones; what runs is finished
			long.Wait()
			return err
		},
		restore: func(context.Context, *run) error { return nil },
		evaluate: func(r *run) {
			r.noneFailed(r.samples, "")
			exports := r.samples.Where(func(s load.Sample) bool { return s.Kind == "export" })
			polls := r.samples.Where(func(s load.Sample) bool { return s.Kind == "poll" })
			r.promise(len(exports) > 0 && len(polls) > 0, "%d exports and %d polls were under way", len(exports), len(polls))
			r.measure("%d exports (%s each), %d polls among them; everything replaced in %s", len(exports),
				exports.Quantile(0.5).Round(100*time.Millisecond), len(polls), r.down.Sub(r.injecting).Round(time.Second))
		},
	}
}

// replaceAll replaces one process after the other; the next one's turn is when the former is in its place again.
func (r *run) replaceAll(ctx context.Context) error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.stack.Description().PIDs)), func(name string) bool {
		return !strings.HasSuffix(name, "-1") && !strings.HasSuffix(name, "-2") || // infrastructure
			!r.profile.everyInstance && strings.HasSuffix(name, "-2") && !strings.HasPrefix(name, "gateway")
	})
	for _, name := range names {
		r.logf("  replacing %s", name)
		if err := r.stack.Halt(syscall.SIGTERM, name); err != nil {
			return err
		}
		if err := r.stack.Resume(ctx, name); err != nil {
			return err
		}
		if err := r.listed(ctx, name[:len(name)-2], 2); err != nil {
			return err
		}
	}
	return nil
}

// exported is how many assets an export has at least: some megabytes, so that it is under way for seconds.
const exported = 6000

// stock sees to it that there is something to export.
func (r *run) stock(ctx context.Context) error {
	for made := 0; made < exported; made += 1000 {
		var rows []map[string]any
		for range 1000 {
			rows = append(rows, map[string]any{"name": load.Text(), "description": strings.Repeat("Pompe de circulation. ", 40)})
		}
		a := r.balancer.Do(ctx, load.Call{Method: http.MethodPost, Path: "/v1/assets/bulk", Key: r.fast.Key(),
			Body: map[string]any{"data": rows}})
		if a.Err != nil || a.Status >= 300 {
			return fmt.Errorf("making something to export: %d %.300s %w", a.Status, a.Body, a.Err)
		}
	}
	return nil
}

// exports reads the whole collection, slowly, again and again.
func (r *run) exports(ctx context.Context) {
	for turn := 0; ctx.Err() == nil; turn++ {
		began := time.Now()
		s := load.Sample{Begin: began, Service: "assets", Kind: "export"}
		for try := range r.balancer.Gateways { // as the balancer does: another one where the connection is refused
			s.Gateway = (turn + try) % len(r.balancer.Gateways)
			s.Status, s.Problem = 0, ""
			lines, status, err := r.readSlowly(context.WithoutCancel(ctx), s.Gateway)
			if err != nil {
				s.Problem = err.Error()
				if load.Refused(err) {
					continue
				}
			} else if s.Status = status; lines < exported {
				s.Problem = fmt.Sprintf("%d lines of %d and more", lines, exported)
			}
			break
		}
		s.Took = time.Since(began)
		r.load.Note(s)
	}
}

// readSlowly takes two or three seconds for it.
func (r *run) readSlowly(ctx context.Context, gateway int) (lines, status int, err error) {
	response, err := r.balancer.Open(ctx, gateway, load.Call{Method: http.MethodGet, Path: "/v1/assets", Key: r.fast.Key(),
		Accept: "application/x-ndjson"})
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	reader := bufio.NewReaderSize(response.Body, 64<<10)
	for {
		_, err := reader.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return lines, response.StatusCode, nil
		case err != nil:
			return lines, response.StatusCode, err
		}
		if lines++; lines%100 == 0 {
			time.Sleep(40 * time.Millisecond)
		}
	}
}

// polls follows the feed as a subscriber does who cannot be called.
func (r *run) polls(ctx context.Context) {
	cursor := ""
	for ctx.Err() == nil {
		query := url.Values{"wait": {"10"}, "limit": {"1000"}}
		if cursor != "" {
			query.Set("after", cursor)
		}
		// Of an organization that changes nothing now: the poll stays open.
		r.load.Note(r.load.Call(load.Request{Call: load.Call{Method: http.MethodGet, Path: "/v1/events?" + query.Encode(), Key: r.fast.Key()},
			Service: "webhooks", Kind: "poll",
			Done: func(body []byte) error {
				var page struct{ Next string }
				err := json.Unmarshal(body, &page)
				cursor = page.Next
				return err
			}}))
	}
}
