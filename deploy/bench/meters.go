package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	ams "ams.internal/clients/go"
)

const (
	// metersRead is how many meters are read; readingsRead how many readings they get, fewer when -rows says fewer.
	metersRead   = 1000
	readingsRead = 1_000_000
	// A call has ten readings of each of a hundred meters, as of a control system that sends every few hours. Two callers have half of the
	// meters each.
	metersOfCall   = 100
	readingsOfCall = 1000
	callersOfCalls = 2
)

// recorded is what the calls are called in the report.
const recorded = "record 1000 readings in bulk"

// measureMeters records readings of a thousand meters, and reads what each has run.
func (b *bench) measureMeters(ctx context.Context) error {
	client := ams.NewClient(b.description.BaseURL, b.Keys[0])
	site, meters, err := b.makeMeters(ctx, client)
	if err != nil {
		return err
	}
	rounds := max(2, min(b.rows, readingsRead)/(metersRead*readingsOfCall/metersOfCall)) // of all meters
	began := time.Now()
	var callers sync.WaitGroup
	failures := make([]error, callersOfCalls)
	for caller := range callersOfCalls {
		callers.Go(func() {
			half := meters[caller*metersRead/callersOfCalls : (caller+1)*metersRead/callersOfCalls]
			failures[caller] = record(ctx, ams.NewClient(b.description.BaseURL, b.Keys[1+caller]), half, rounds)
		})
	}
	callers.Wait()
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("%s: %w", recorded, err)
	}
	took := time.Since(began).Seconds()
	calls := rounds * metersRead / metersOfCall
	b.report.add(metrics{Name: recorded, Callers: callersOfCalls, Requests: calls, PerSecond: float64(calls) / took})
	b.report.atLeast("readings in bulk, of 1000 meters", float64(calls*readingsOfCall)/took, "rows/s", 8000)
	b.logf("%s: %.0f a second", recorded, float64(calls)/took)
	return b.checkMeters(ctx, client, site, rounds)
}

// makeMeters makes the meters, of a site of their own.
func (b *bench) makeMeters(ctx context.Context, client *ams.Client) (string, []string, error) {
	var site struct{ ID string }
	if err := client.Request(ctx,
		ams.Request{Method: http.MethodPost, Path: "/v1/sites", Body: map[string]any{"name": "Meters"}}, &site); err != nil {
		return "", nil, err
	}
	rows := make([]map[string]any, metersRead)
	for i := range rows {
		rows[i] = map[string]any{"name": fmt.Sprintf("Compteur %d", i), "site_id": site.ID, "kind": "counter", "unit": "h"}
	}
	var made struct {
		Data []struct{ ID string } `json:"data"`
	}
	err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/meters/bulk", Body: map[string]any{"data": rows}}, &made)
	ids := make([]string, len(made.Data))
	for i, meter := range made.Data {
		ids[i] = meter.ID
	}
	return site.ID, ids, err
}

// record sends rounds of readings of some meters, an hour apart, each one more than the one before.
func record(ctx context.Context, client *ams.Client, meters []string, rounds int) error {
	const each = readingsOfCall / metersOfCall
	first := time.Now().Add(-time.Duration(rounds*each) * time.Hour)
	for round := range rounds {
		for start := 0; start < len(meters); start += metersOfCall {
			rows := make([]map[string]any, 0, readingsOfCall)
			for hour := round * each; hour < (round+1)*each; hour++ {
				at := first.Add(time.Duration(hour) * time.Hour).UTC().Format(time.RFC3339)
				for _, meter := range meters[start : start+metersOfCall] {
					rows = append(rows, map[string]any{"meter_id": meter, "read_at": at, "value": float64(hour) + 0.5})
				}
			}
			if err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/meters/readings/bulk",
				Body: map[string]any{"data": rows}}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMeters: speed counts only when each meter has run what was recorded. The time is that of a list of all meters with their daily use.
func (b *bench) checkMeters(ctx context.Context, client *ams.Client, site string, rounds int) error {
	var list struct {
		Data []struct {
			TotalUsage   float64 `json:"total_usage"`
			DailyUsage90 float64 `json:"daily_usage_90"`
		} `json:"data"`
	}
	began := time.Now()
	if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/meters?per_page=1000&site_id=" + site}, &list); err != nil {
		return err
	}
	b.report.atMost("list of 1000 meters with their daily use", float64(time.Since(began).Milliseconds()), "ms", 500)
	hours := float64(rounds*readingsOfCall/metersOfCall - 1)
	for _, meter := range list.Data {
		if math.Abs(meter.TotalUsage-hours) > 1e-6 || meter.DailyUsage90 <= 0 {
			return fmt.Errorf("a meter says that it ran %v in all and %v a day; it ran %v", meter.TotalUsage, meter.DailyUsage90, hours)
		}
	}
	if len(list.Data) != metersRead {
		return fmt.Errorf("the list has %d meters, want %d", len(list.Data), metersRead)
	}
	return nil
}
