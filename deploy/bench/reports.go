package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	ams "ams.internal/clients/go"
)

// stateOfInfrastructure is the report with its promise in seconds.
const stateOfInfrastructure = "state of infrastructure"

// measureReports measures figures that are added up while one waits for them, of today and of a day that is over, first in prices as
// recorded, then in prices of one year.
func (b *bench) measureReports(ctx context.Context) (err error) {
	if err := b.fillReports(ctx); err != nil {
		return err
	}
	if err := b.measureFigures(ctx, ""); err != nil {
		return err
	}
	index, err := b.makePriceIndex(ctx)
	if err != nil {
		return err
	}
	defer func() { // a reused folder is as it was
		err = errors.Join(err,
			b.city().Request(context.WithoutCancel(ctx), ams.Request{Method: http.MethodDelete, Path: "/v1/price-indexes/" + index}, nil))
	}()
	return b.measureFigures(ctx, ", in prices of one year")
}

// measureFigures judges a past day by today in the same rounds, by the processor time of all programs, which other users of the machine do
// not change: the report on infrastructure at most 4 times, other figures at most twice and 20 µs for each change since.
func (b *bench) measureFigures(ctx context.Context, prices string) error {
	statements, err := b.statementsOf(ctx, "/v1/reports/state-of-infrastructure")
	if err != nil {
		return err
	}
	b.report.atMost("statements of the "+stateOfInfrastructure+prices+", in all services", float64(len(statements)), "", 10)
	pastDay := time.Now().AddDate(0, 0, -pastDays).Format(time.DateOnly)
	for _, f := range []struct{ name, path string }{
		{stateOfInfrastructure, "/v1/reports/state-of-infrastructure"},
		{"state of assets", "/v1/reports/state-of-assets"},
		{"summary of a site", "/v1/sites/" + b.Municipality.Site + "/summary"},
		{"summary of a network", "/v1/infrastructure/networks/" + b.Municipality.Network + "/summary"},
	} {
		name := f.name + prices
		results, err := medians(b.rounds, b.timed(ctx, b.Municipality.Key, name, f.path),
			b.timed(ctx, b.Municipality.Key, name+", past day", f.path+"?as_of="+pastDay))
		if err != nil {
			return err
		}
		b.report.add(results...)
		b.report.noFailures(results[0])
		b.report.noFailures(results[1])
		today, past := total(results[0].CPU)/1000, total(results[1].CPU)/1000
		b.logf("%s: %.0f ms, of a past day %.0f ms; processor time %.0f and %.0f ms", name, results[0].P50, results[1].P50, today, past)
		if f.name == stateOfInfrastructure {
			b.report.atMost(name, results[0].P50/1000, "s", 2)
			b.report.atMost(name+", past day ÷ today", past/today, "times", 4)
			continue
		}
		const perChange = 0.020 // ms
		b.report.atMost(name+", past day less 20 µs a change ÷ today", (past-perChange*float64(b.changesReported()))/today, "times", 2)
	}
	return nil
}

// timed is a measurement of one caller with a key: so many whole requests as fit, at least three. The first one, which makes
// plans and reads files, is not counted.
func (b *bench) timed(ctx context.Context, key, name, path string) func() (metrics, error) {
	return func() (metrics, error) {
		m := metrics{Name: name, Callers: 1, CPU: map[string]float64{}}
		if _, err := b.succeeds(ctx, key, path); err != nil {
			return m, err
		}
		programs := b.processors()
		programs["infrastructure"] = group{pid: b.description.PIDs["infrastructure-1"]}
		for program, pids := range programs {
			m.CPU[program] = -float64(pids.cpu().Microseconds())
		}
		var times []float64
		began := time.Now()
		for len(times) < 3 || time.Since(began) < time.Duration(b.seconds)*time.Second {
			sent := time.Now()
			ok, err := b.succeeds(ctx, key, path)
			if err != nil {
				return m, err
			}
			if !ok {
				m.Failures++
			}
			times = append(times, float64(time.Since(sent).Microseconds())/1000)
		}
		m.Requests, m.PerSecond = len(times), float64(len(times))/time.Since(began).Seconds()
		for program, pids := range programs {
			m.CPU[program] = (m.CPU[program] + float64(pids.cpu().Microseconds())) / float64(m.Requests)
		}
		slices.Sort(times)
		m.P50, m.P95, m.P99 = times[len(times)/2], times[len(times)*95/100], times[len(times)*99/100]
		return m, nil
	}
}

// succeeds sends a request once, reads the response, and reports whether its status is 200.
func (b *bench) succeeds(ctx context.Context, key, path string) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.description.BaseURL+path, nil)
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode == http.StatusOK, errors.Join(err, response.Body.Close())
}

func (b *bench) city() *ams.Client {
	return ams.NewClient(b.description.BaseURL, b.Municipality.Key)
}

// makePriceIndex makes an index that all costs of the municipality are brought to one year's prices by.
func (b *bench) makePriceIndex(ctx context.Context) (id string, err error) {
	var made struct{ ID string }
	if err := b.city().Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/price-indexes",
		Body: map[string]any{"name": "Construction", "is_default": true}}, &made); err != nil {
		return "", err
	}
	var values []map[string]any
	for year := 1990; year <= time.Now().Year(); year++ {
		values = append(values, map[string]any{"year": year, "value": 50 + 3*(year-1990)})
	}
	return made.ID, b.city().Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/price-indexes/" + made.ID + "/values/bulk",
		Body: map[string]any{"data": values}}, nil)
}

// statementsOf gives the statements that services execute for a request of the municipality, as PostgreSQL's own log has them, without
// those that begin, set up and end a transaction.
func (b *bench) statementsOf(ctx context.Context, path string) ([]string, error) {
	log, err := b.logged(ctx, func() error {
		ok, err := b.succeeds(ctx, b.Municipality.Key, path)
		if err == nil && !ok {
			err = errors.New("GET " + path + " fails: see the log of the stack")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	statements := statementsFor(log, b.Municipality.Organization)
	if len(statements) == 0 {
		return nil, fmt.Errorf("the statements of %s are not in PostgreSQL's log", path)
	}
	return statements, nil
}

// statementsFor finds, in PostgreSQL's log, the statements of the transactions whose parameters name an organization.
func statementsFor(log, organization string) (found []string) {
	running, named := map[string][]string{}, map[string]bool{} // by session
	for _, entry := range entriesOf(log) {
		if entry.kind == "DETAIL" {
			named[entry.session] = named[entry.session] || strings.Contains(entry.text, organization)
			continue
		}
		parts := executed.FindStringSubmatch(entry.text)
		if parts == nil {
			continue
		}
		sql := strings.Join(strings.Fields(parts[1]), " ")
		switch word, _, _ := strings.Cut(strings.ToLower(sql), " "); {
		case word == "begin":
			running[entry.session], named[entry.session] = nil, false
		case word == "commit" && named[entry.session]:
			found = append(found, running[entry.session]...)
		case word != "set" && !strings.HasPrefix(strings.ToLower(sql), "select set_config("):
			running[entry.session] = append(running[entry.session], sql)
		}
	}
	return found
}
