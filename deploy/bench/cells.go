package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

const (
	// organizationsOfCells share the load. The cell with the fewest takes a new one, so two cells have two each.
	organizationsOfCells = 4
	// assetsOfCells is how many assets each organization has, in thousands.
	assetsOfCells = 2
	cellCallers   = 16
)

// measureCells compares the same mixed load on a stack of one cell and on one of two. Both run all the time, so what they do by
// themselves is in both figures.
func (b *bench) measureCells(ctx context.Context) error {
	var sides []load
	for i, name := range []string{"mixed load, one cell", "mixed load, two cells"} {
		cells := i + 1
		side := &bench{rows: b.rows, seconds: b.seconds, rounds: b.rounds, only: "cells", cells: cells,
			folder: filepath.Join(b.folder, fmt.Sprintf("cells-%d", cells))}
		defer side.stop()
		if err := side.start(ctx); err != nil {
			return err
		}
		requests, err := side.mixedLoad(ctx)
		if err != nil {
			return err
		}
		sides = append(sides, load{name: name, url: side.description.BaseURL, requests: requests, callers: cellCallers, seconds: b.seconds,
			cpu: side.everyProgram()})
	}
	results, err := best(b.folder, b.rounds, sides...)
	if err != nil {
		return err
	}
	b.report.add(results...)
	for _, f := range results {
		b.report.noFailures(f)
		b.logf("%s: %.0f a second, p95 %.1f ms", f.Name, f.PerSecond, f.P95)
	}
	one, two := results[0], results[1]
	b.report.atLeast("throughput of a mixed load, two cells ÷ one", two.PerSecond/one.PerSecond, "times", 0.95)
	b.report.cost("cells_one_processor_time", total(one.CPU), "µs")
	b.report.cost("cells_two_processor_time", total(two.CPU), "µs")
	return nil
}

// mixedLoad makes organizations with assets, and gives what is asked of them in turn: lists, records and searches, and one write in six.
func (b *bench) mixedLoad(ctx context.Context) (requests []request, err error) {
	asset := `{"name":"Pompe de circulation","category":"hvac","status":"in_service","install_year":2011,"replacement_cost":48500.00}`
	thousand := `{"data":[` + strings.Repeat(asset+",", 999) + asset + `]}`
	of := make([][]request, organizationsOfCells)
	for i := range of {
		_, key, err := b.neighbour(ctx)
		if err != nil {
			return nil, err
		}
		client := ams.NewClient(b.description.BaseURL, key)
		for range assetsOfCells {
			if err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/assets/bulk", Body: []byte(thousand)}, nil); err != nil {
				return nil, err
			}
		}
		if of[i], err = requestsOf(ctx, client, key, i%3); err != nil {
			return nil, err
		}
	}
	for n := range of[0] {
		for i := range of {
			requests = append(requests, of[i][n])
		}
	}
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, "UPDATE gateway.api_key SET rate_limit = 1000000000")
	return requests, errors.Join(err, db.Close(ctx))
}

// requestsOf gives what is asked of an organization with a thousand assets: lists, records and one write in six.
func requestsOf(ctx context.Context, client *ams.Client, key string, changed int) ([]request, error) {
	var requests []request
	var list struct{ Data []struct{ ID string } }
	if err := client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/assets?per_page=3"}, &list); err != nil {
		return nil, err
	}
	for _, r := range []request{
		{method: "GET", path: "/v1/assets"},
		{method: "GET", path: "/v1/assets/" + list.Data[0].ID},
		{method: "GET", path: "/v1/assets?category=hvac&page=5"},
		{method: "PATCH", path: "/v1/assets/" + list.Data[changed].ID, body: `{"condition_rating":4}`},
		{method: "GET", path: "/v1/assets/" + list.Data[2].ID},
		{method: "GET", path: "/v1/work-orders"},
	} {
		r.headers = map[string]string{"Authorization": "Bearer " + key, "Content-Type": "application/json"}
		requests = append(requests, r)
	}
	return requests, nil
}
