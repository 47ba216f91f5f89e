package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
)

// manyRecords is the length of the list that the client libraries read.
const manyRecords = 200_000

// clientLibraries are the programs that read a whole list with a library. Each is called with the way (stream or pages), finds
// AMS_BASE_URL, AMS_API_KEY and AMS_FILTER (one filter, name=value; may be empty) in its environment, reads all assets, and
// prints how many there were.
func clientLibraries(ctx context.Context) ([]clientLibrary, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	root, err := devstack.Checkout()
	if err != nil {
		return nil, err
	}
	typescript, python := filepath.Join(root, "deploy", "clients", "typescript"), filepath.Join(root, "deploy", "clients", "python")
	for _, step := range [][]string{{"ci", "--ignore-scripts", "--no-audit", "--no-fund"}, {"run", "build"}} {
		npm := exec.CommandContext(ctx, "npm", step...)
		npm.Dir = typescript
		if out, err := npm.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm %s in %s: %w\n%s", strings.Join(step, " "), typescript, err, out)
		}
	}
	return []clientLibrary{
		{"Go", []string{own, "-serve", "client", "-target"}},
		{"TypeScript", []string{"node", filepath.Join(typescript, "bench", "list-all.mjs")}},
		{"Python",
			[]string{"env", "PYTHONPATH=" + filepath.Join(python, "src"), "/usr/bin/python3", filepath.Join(python, "bench", "list_all.py")}},
	}, nil
}

type clientLibrary struct {
	name    string
	command []string // the way is added
}

// readAll is the program of the Go library.
func readAll(way string) error {
	client, filters := ams.NewClient(os.Getenv("AMS_BASE_URL"), os.Getenv("AMS_API_KEY")), ams.Filters{}
	if name, value, given := strings.Cut(os.Getenv("AMS_FILTER"), "="); given {
		filters[name] = value
	}
	read := client.Assets.All
	if way == "stream" {
		read = client.Assets.Stream
	}
	count := 0
	for asset, err := range read(context.Background(), filters) {
		if err != nil {
			return err
		}
		if asset.Name != "" {
			count++
		}
	}
	fmt.Println(count)
	return nil
}

// measureClients reads a long list with each library, as a stream and by pages, in turn with curl, which only takes the bytes.
func (b *bench) measureClients(ctx context.Context) error {
	libraries, err := clientLibraries(ctx)
	if err != nil {
		return err
	}
	if err := b.awaitFold(ctx); err != nil {
		return err
	}
	filter := ""
	if b.rows > manyRecords {
		filter = "condition_rating=3" // every fifth asset
	}
	counted, err := b.countOf(ctx, filter)
	if err != nil {
		return err
	}
	for _, way := range []struct {
		name string
		curl func(ctx context.Context, filter string, records int) (float64, error)
	}{
		{"stream", b.curlStream},
		{"pages", b.curlPages},
	} {
		ratios, peaks := map[string][]float64{}, map[string]float64{}
		for range b.rounds {
			bare, err := way.curl(ctx, filter, counted)
			if err != nil {
				return fmt.Errorf("curl: %w", err)
			}
			for _, library := range libraries {
				run, err := b.read(ctx, append(library.command[:len(library.command):len(library.command)], way.name), filter)
				if err != nil {
					return fmt.Errorf("the %s library: %w", library.name, err)
				}
				if run.count != counted {
					return fmt.Errorf("the %s library read %d of %d records by %s", library.name, run.count, counted, way.name)
				}
				ratios[library.name] = append(ratios[library.name], run.seconds/bare)
				peaks[library.name] = max(peaks[library.name], run.peak)
				b.logf("%s of %d by %s: %.1f s and %.0f MB; curl %.1f s", library.name, counted, way.name, run.seconds, run.peak, bare)
			}
		}
		for _, library := range libraries {
			about := fmt.Sprintf("%s library, %d records by %s", library.name, counted, way.name)
			sorted := slices.Sorted(slices.Values(ratios[library.name]))
			b.report.atMost(about+" ÷ curl", sorted[len(sorted)/2], "times", 1.5)
			b.report.atMost(about+", memory", peaks[library.name], "MB", 150)
		}
	}
	return nil
}

// curlStream takes the bytes of the stream, and gives the seconds.
func (b *bench) curlStream(ctx context.Context, filter string, _ int) (float64, error) {
	began := time.Now()
	_, err := b.curl(ctx, filter, "-o", os.DevNull, "-H", "Accept: application/x-ndjson")
	return time.Since(began).Seconds(), err
}

var nextCursor = regexp.MustCompile(`"next_cursor":\s*"([^"]+)"`)

// curlPages takes the bytes of all pages, one after the other by cursor.
func (b *bench) curlPages(ctx context.Context, filter string, records int) (float64, error) {
	began, query := time.Now(), filter+"&per_page=1000"
	for address, pages := query, 1; ; pages++ {
		page, err := b.curl(ctx, address)
		if err != nil {
			return 0, err
		}
		next := nextCursor.FindSubmatch(page[max(0, len(page)-2000):]) // behind the records
		if next == nil && pages < (records+999)/1000 {
			return 0, fmt.Errorf("page %d has no next_cursor", pages)
		}
		if next == nil {
			return time.Since(began).Seconds(), nil
		}
		address = query + "&cursor=" + url.QueryEscape(string(next[1]))
	}
}

func (b *bench) curl(ctx context.Context, query string, options ...string) ([]byte, error) {
	arguments := append([]string{"-sS", "--fail", "-H", "Authorization: Bearer " + b.Keys[0], b.description.BaseURL + "/v1/assets?" + query},
		options...)
	return exec.CommandContext(ctx, "curl", arguments...).Output()
}

// countOf is how many assets a filter leaves.
func (b *bench) countOf(ctx context.Context, filter string) (int, error) {
	filters := ams.Filters{"per_page": 1}
	if name, value, given := strings.Cut(filter, "="); given {
		filters[name] = value
	}
	page, err := ams.NewClient(b.description.BaseURL, b.Keys[0]).Assets.List(ctx, filters)
	if err != nil {
		return 0, err
	}
	return page.Pagination.Total, nil
}

// reading is one run of a program that reads a list.
type reading struct {
	count         int // what it printed
	seconds, peak float64
}

func (b *bench) read(ctx context.Context, command []string, filter string) (r reading, err error) {
	program := exec.CommandContext(ctx, command[0], command[1:]...)
	program.Env = append(os.Environ(), "AMS_BASE_URL="+b.description.BaseURL, "AMS_API_KEY="+b.Keys[0], "AMS_FILTER="+filter)
	var printed bytes.Buffer
	program.Stdout, program.Stderr = &printed, os.Stderr
	began := time.Now()
	if err := program.Start(); err != nil {
		return r, err
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	// The peak of /proc only grows: what was seen last is the most, but for the last moment.
	for ticker := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case <-ticker.C:
			r.peak = max(r.peak, memory(program.Process.Pid, "VmHWM"))
			continue
		case err := <-ended:
			ticker.Stop()
			if err != nil {
				return r, fmt.Errorf("%s: %w", command[0], err)
			}
		}
		r.seconds = time.Since(began).Seconds()
		r.count, err = strconv.Atoi(strings.TrimSpace(printed.String()))
		return r, err
	}
}
