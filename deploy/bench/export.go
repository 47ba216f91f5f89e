package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	pq "github.com/parquet-go/parquet-go"

	ams "ams.internal/clients/go"
	"ams.internal/libs/parquet"
)

// measureExport streams the whole collection as NDJSON and as Parquet, in turn, and watches the memory of those who stream it.
func (b *bench) measureExport(ctx context.Context) error {
	counted, err := b.count(ctx)
	if err != nil {
		return err
	}
	var ratios []float64
	for round := range b.rounds {
		lines, err := b.export(ctx, "NDJSON", "application/x-ndjson", counted, countLines)
		if err != nil {
			return err
		}
		if round == 0 { // what a service had once, it gives back late
			b.exportMemory("NDJSON", 100)
		}
		rows, err := b.export(ctx, "Parquet", parquet.MediaType, counted, b.countRows)
		if err != nil {
			return err
		}
		if round == 0 {
			b.exportMemory("Parquet", 160)
		}
		ratios = append(ratios, rows/lines)
	}
	slices.Sort(ratios)
	b.report.atMost("time of the export as Parquet ÷ as NDJSON", ratios[len(ratios)/2], "times", 2)
	return nil
}

// export streams the whole collection once, and gives the seconds.
func (b *bench) export(ctx context.Context, name, mediaType string, counted int, count func(io.Reader) (int, error)) (float64, error) {
	service, gateway := b.description.PIDs["assets-1"], b.description.PIDs["gateway-1"]
	if err := errors.Join(resetPeak(service), resetPeak(gateway)); err != nil {
		return 0, err
	}
	before, began := cpuOf(service), time.Now()
	response, err := ams.NewClient(b.description.BaseURL, b.Keys[0]).Open(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/assets",
		Accept: mediaType, Timeout: time.Hour})
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	rows, err := count(response.Body)
	if err != nil {
		return 0, err
	}
	elapsed := time.Since(began).Seconds()
	if rows != counted {
		return 0, fmt.Errorf("the export as %s has %d rows of %d", name, rows, counted)
	}
	b.report.add(metrics{Name: fmt.Sprintf("%s export, rows of %d", name, rows), Callers: 1, Requests: rows,
		PerSecond: float64(rows) / elapsed,
		CPU:       map[string]float64{"assets": float64((cpuOf(service) - before).Microseconds()) / float64(rows)}})
	b.logf("export as %s: %d rows in %.1f s", name, rows, elapsed)
	return elapsed, nil
}

// exportMemory says what service and gateway held at most during the export before.
func (b *bench) exportMemory(name string, limit float64) {
	b.report.atMost("memory of the service during the export as "+name, memory(b.description.PIDs["assets-1"], "VmHWM"), "MB", limit)
	b.report.atMost("memory of the gateway during the export as "+name, memory(b.description.PIDs["gateway-1"], "VmHWM"), "MB", 100)
}

func countLines(body io.Reader) (lines int, err error) {
	for piece := make([]byte, 1<<20); err == nil; {
		var n int
		n, err = body.Read(piece)
		lines += bytes.Count(piece[:n], []byte{'\n'})
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return lines, err
}

// countRows keeps a file and gives what its footer says of its rows.
func (b *bench) countRows(body io.Reader) (int, error) {
	file, err := os.Create(filepath.Join(b.folder, "export.parquet"))
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	size, err := io.Copy(file, body)
	if err != nil {
		return 0, err
	}
	read, err := pq.OpenFile(file, size)
	if err != nil {
		return 0, err
	}
	b.logf("the Parquet file has %d MB in %d groups", size>>20, len(read.RowGroups()))
	return int(read.NumRows()), nil
}
