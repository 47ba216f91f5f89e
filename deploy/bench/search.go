package main

import (
	"context"
	"fmt"
	"math"
)

// searched is what people type, and the same in plain SQL without its accents and typing errors: what contains the text.
var searched = []struct{ name, query, contains string }{
	{"a word of 143,000", "q=arena", "aréna"},
	{"two words of 50,000", "q=hotel+ville", "hôtel de ville"},
	{"three words", "q=boiler+riverdale+trane", "boiler riverdale"},
	{"a code", "q=A-123456", "A-123456"},
	{"the beginning of a code", "q=A-1234", "A-1234"},
	{"a number", "q=123456", "123456"},
	{"two letters", "q=sn", "sn"},
	{"a typing error", "q=grunfos", "grundfos"},
	{"a word and a filter", "q=arena&status=planned", "aréna"},
	{"a word, the best first", "q=arena&sort=relevance", "aréna"},
	{"a word, page 4000", "q=arena&page=4000", "aréna"},
	{"nothing", "q=xyzzy", "xyzzy"},
}

// measureSearch measures lists of what people look for, beside plain SQL that counts with ILIKE.
func (b *bench) measureSearch(ctx context.Context) error {
	if err := b.awaitFold(ctx); err != nil {
		return err
	}
	r := &b.report
	const callers = 8
	var slowest float64
	cost := map[string]float64{}
	for _, c := range searched {
		plain := fmt.Sprintf(`SELECT count(*) FROM asset WHERE organization_id = '%[1]s'
			AND concat_ws(' ', name, asset_tag, serial_number, manufacturer) COLLATE "und-x-icu" ILIKE '%%%[2]s%%'`, b.Organization, c.contains)
		results, err := medians(b.rounds,
			load{name: "q, " + c.name, url: b.description.BaseURL, requests: b.keyed(request{method: "GET", path: "/v1/assets?" + c.query}),
				callers: callers, seconds: b.seconds, cpu: b.processors()}.in(b.folder),
			func() (metrics, error) { return b.pgbench("assets", "pgbench: "+c.name+", ILIKE", plain, 2) })
		if err != nil {
			return err
		}
		r.add(results...)
		r.noFailures(results[0])
		slowest = math.Max(slowest, results[0].P95)
		cost[c.name] = results[0].CPU["postgres"] + results[0].CPU["assets"]
		b.logf("q, %s: %.0f a second, PostgreSQL %.2f ms, service %.2f ms, p95 %.1f ms; with ILIKE %.1f a second", c.name, results[0].PerSecond,
			results[0].CPU["postgres"]/1000, results[0].CPU["assets"]/1000, results[0].P95, results[1].PerSecond)
	}
	r.atMost("p95 of q, at 8 callers", slowest, "ms", 50)
	slowest = 0
	for _, text := range []string{"arena", "hotel+ville", "boiler+riverdale+trane", "A-123456", "sn", "grunfos"} {
		results, err := medians(b.rounds, load{name: "search " + text, url: b.description.BaseURL,
			requests: b.keyed(request{method: "GET", path: "/v1/search?q=" + text}), callers: callers, seconds: b.seconds,
			cpu: b.everyProgram()}.in(b.folder))
		if err != nil {
			return err
		}
		r.add(results...)
		r.noFailures(results[0])
		slowest = math.Max(slowest, results[0].P95)
		b.logf("search %s: %.0f a second, all programs %.2f ms, p95 %.1f ms", text, results[0].PerSecond, total(results[0].CPU)/1000,
			results[0].P95)
	}
	r.atMost("p95 of /v1/search, at 8 callers", slowest, "ms", 50)
	r.atMost("page 4000 of what is found ÷ page 1", cost["a word, page 4000"]/cost["a word of 143,000"], "times", 3)
	return ctx.Err()
}
