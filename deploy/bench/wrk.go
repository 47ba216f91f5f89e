package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// load is one measurement: requests that are sent in turn, over and over, by a number of callers.
type load struct {
	name     string
	url      string // scheme and host
	requests []request
	callers  int
	seconds  int
	cpu      map[string]group // whose processor time is taken, by name
}

type request struct {
	method, path string
	headers      map[string]string
	body         string
}

// metrics are what came out.
type metrics struct {
	Name      string             `json:"name"`
	Callers   int                `json:"callers"`
	Requests  int                `json:"requests"`
	Failures  int                `json:"failures"` // statuses of 400 and above, and broken connections
	PerSecond float64            `json:"requests_per_second"`
	P50       float64            `json:"p50_ms"`
	P95       float64            `json:"p95_ms"`
	P99       float64            `json:"p99_ms"`
	CPU       map[string]float64 `json:"cpu_microseconds_per_request"`
}

// run measures with wrk, which takes little of the machine for itself.
func (l load) run(folder string) (metrics, error) {
	script := filepath.Join(folder, "load.lua")
	if err := os.WriteFile(script, []byte(l.script()), 0o600); err != nil {
		return metrics{}, err
	}
	before := map[string]time.Duration{}
	for name, pids := range l.cpu {
		before[name] = pids.cpu()
	}
	command := exec.Command("wrk", "-t1", "-c"+strconv.Itoa(l.callers), "-d"+strconv.Itoa(l.seconds)+"s", "--timeout", "30s", "-s", script,
		l.url)
	var out, failed bytes.Buffer
	command.Stdout, command.Stderr = &out, &failed
	if err := command.Run(); err != nil {
		return metrics{}, fmt.Errorf("%s: wrk (Debian package wrk): %w: %s%s", l.name, err, out.String(), failed.String())
	}
	_, text, found := strings.Cut(out.String(), "FIGURES")
	if !found {
		return metrics{}, fmt.Errorf("%s: wrk printed no figures: %s", l.name, out.String())
	}
	f := metrics{Name: l.name, Callers: l.callers, CPU: map[string]float64{}}
	var micro struct{ Duration, P50, P95, P99 float64 }
	if err := errors.Join(json.Unmarshal([]byte(text), &f), json.Unmarshal([]byte(text), &micro)); err != nil {
		return metrics{}, fmt.Errorf("%s: %w in %s", l.name, err, text)
	}
	if f.Requests == 0 && l.seconds < 16 { // a slow call in a short run, or a busy machine
		l.seconds *= 4
		return l.run(folder)
	}
	if f.Requests == 0 {
		return metrics{}, fmt.Errorf("%s: nothing was answered", l.name)
	}
	f.PerSecond, f.P50, f.P95, f.P99 = float64(f.Requests)/micro.Duration*1e6, micro.P50/1e3, micro.P95/1e3, micro.P99/1e3
	for name, pids := range l.cpu {
		f.CPU[name] = float64((pids.cpu() - before[name]).Microseconds()) / float64(f.Requests)
	}
	return f, nil
}

// script is what wrk runs: every request is made ready before the first is sent.
func (l load) script() string {
	var lua strings.Builder
	lua.WriteString("local ready, at = {}, 0\ninit = function()\n")
	for _, r := range l.requests {
		lua.WriteString("ready[#ready+1] = wrk.format(" + quoted(r.method) + "," + quoted(r.path) + ",{")
		names := make([]string, 0, len(r.headers))
		for name := range r.headers {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			lua.WriteString("[" + quoted(name) + "]=" + quoted(r.headers[name]) + ",")
		}
		lua.WriteString("}," + quoted(r.body) + ")\n")
	}
	lua.WriteString(`end
request = function() at = at % #ready + 1; return ready[at] end
done = function(s, latency)
  local e = s.errors
  io.write(string.format('FIGURES{"requests":%d,"failures":%d,"duration":%d,"p50":%f,"p95":%f,"p99":%f}',
    s.requests, e.status + e.connect + e.read + e.write + e.timeout, s.duration, latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
`)
	return lua.String()
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(text) + `"`
}

// in is the measurement, to be run in a folder.
func (l load) in(folder string) func() (metrics, error) {
	return func() (metrics, error) { return l.run(folder) }
}

// best is medians of loads.
func best(folder string, rounds int, loads ...load) ([]metrics, error) {
	var measures []func() (metrics, error)
	for _, l := range loads {
		measures = append(measures, l.in(folder))
	}
	return medians(rounds, measures...)
}

// medians runs several measurements in turn, several times over, and keeps the median by throughput of each: a machine that
// is busy for a moment then disturbs one round, not one side of a comparison.
func medians(rounds int, measures ...func() (metrics, error)) ([]metrics, error) {
	all := make([][]metrics, len(measures))
	for range rounds {
		for i, measure := range measures {
			f, err := measure()
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], f)
		}
	}
	chosen := make([]metrics, len(measures))
	for i, runs := range all {
		slices.SortFunc(runs, func(a, b metrics) int { return cmp.Compare(a.PerSecond, b.PerSecond) })
		chosen[i] = runs[len(runs)/2]
	}
	return chosen, nil
}
