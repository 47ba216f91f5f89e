package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	documents "ams.internal/deploy/test/resilience/load"
)

const (
	// transfersAtOnce is how many files are sent, and as many read, at once; of each organization and key transfersOfKey.
	transfersAtOnce, transfersOfKey = 16, 4
	// farOffset is where a content is read from far from its beginning; one of farSize bytes has it.
	farOffset, farSize = 4 << 30, 5 << 30
	// firstBytes is how many times the first byte is waited for.
	firstBytes = 41
	// bytesOfPrefix is what makes the same file another content each time.
	bytesOfPrefix = 20
)

// documentSize is how large the files are that are sent and read at once, in bytes: 1 GiB, or less when -rows says less.
func (b *bench) documentSize() int64 {
	switch {
	case b.rows > 50_000:
		return 1 << 30
	case b.rows < 50_000:
		return 16 << 20
	}
	return 64 << 20
}

// holder is an organization with a site that has documents.
type holder struct {
	organization, key, site string
	client                  *ams.Client
}

// measureDocuments measures how fast contents are sent and read, against a bare proxy before a handler that does only that, what memory it
// takes, and what is sent twice when an upload is interrupted.
func (b *bench) measureDocuments(ctx context.Context) error {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	holders := make([]holder, transfersAtOnce/transfersOfKey)
	for i := range holders {
		h := &holders[i]
		if h.organization, h.key, err = b.neighbour(ctx); err != nil {
			return err
		}
		h.client = ams.NewClient(b.description.BaseURL, h.key)
		var site struct{ ID string }
		if err := h.client.Request(ctx,
			ams.Request{Method: http.MethodPost, Path: "/v1/sites", Body: map[string]any{"name": "Garage"}}, &site); err != nil {
			return err
		}
		h.site = site.ID
	}
	far, err := b.farDocument(ctx, db, holders[0])
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return b.measureManyTransfers(ctx, holders, far) },
		func() error { return b.measureFirstByte(ctx, holders[0], far) },
		func() error { return b.measureTransfers(ctx, holders[0]) },
		func() error { return b.measureResume(ctx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// farDocument makes a document whose content is longer than farOffset: a short one, whose file is lengthened without being written.
func (b *bench) farDocument(ctx context.Context, db *pgx.Conn, of holder) (path string, err error) {
	made, err := of.send(ctx, b.description.BaseURL, strings.NewReader("\x00far"), 4)
	if err != nil {
		return "", err
	}
	var blob string
	if err := db.QueryRow(ctx, `WITH content AS (SELECT organization_id, blob_id FROM documents.document_revision WHERE document_id = $1)
		UPDATE documents.blob b SET size = $2 FROM content c WHERE b.organization_id = c.organization_id
			AND b.id = c.blob_id RETURNING b.id::text`, made.ID, int64(farSize)).Scan(&blob); err != nil {
		return "", err
	}
	return "/v1/documents/" + made.ID + "/content",
		os.Truncate(filepath.Join(b.options.Folder, "documents", "objects", of.organization, blob), farSize)
}

// measureManyTransfers takes the memory of documents and gateways while as many files are sent and read at once as an instance takes.
func (b *bench) measureManyTransfers(ctx context.Context, holders []holder, far string) error {
	size := b.documentSize()
	for { // a file is there in parts and whole for a moment
		free, err := freeBytes(b.folder)
		if err != nil {
			return err
		}
		if free > (2*transfersAtOnce+2)*size {
			break
		}
		size /= 2
	}
	idle, peak := map[string]float64{}, map[string]float64{}
	for name, pid := range b.description.PIDs {
		if strings.HasPrefix(name, "gateway-") {
			peak[name] = 64
		} else if strings.HasPrefix(name, "documents-") {
			peak[name] = 220
		} else {
			continue
		}
		idle[name] = memory(pid, "VmRSS")
		if err := resetPeak(pid); err != nil {
			return err
		}
	}
	began := time.Now()
	failures := make([]error, 2*transfersAtOnce)
	var all sync.WaitGroup
	for i := range transfersAtOnce {
		all.Go(func() {
			content := io.MultiReader(strings.NewReader(prefix(i)), io.LimitReader(zeros{}, size-bytesOfPrefix))
			_, failures[i] = holders[i%len(holders)].send(ctx, b.description.BaseURL, content, size)
		})
		all.Go(func() {
			_, failures[transfersAtOnce+i] = holders[0].read(ctx, b.description.BaseURL, far, fmt.Sprintf("bytes=0-%d", size-1), size)
		})
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	what := fmt.Sprintf("%d uploads and %d downloads of %d MiB at once", transfersAtOnce, transfersAtOnce, size>>20)
	b.logf("%s took %.0f s", what, time.Since(began).Seconds())
	for _, name := range slices.Sorted(maps.Keys(idle)) {
		grown := memory(b.description.PIDs[name], "VmHWM") - idle[name]
		b.report.atMost("memory of "+name+", more than idle, "+what, grown, "MB", peak[name])
		b.logf("%s: %.0f MB idle, %.0f MB more", name, idle[name], grown)
	}
	return nil
}

// measureFirstByte compares how long the first byte takes from farOffset on and from the beginning, in turn.
func (b *bench) measureFirstByte(ctx context.Context, of holder, path string) error {
	times := map[int64][]time.Duration{}
	for range firstBytes {
		for _, from := range []int64{0, farOffset} {
			first, err := of.read(ctx, b.description.BaseURL, path, fmt.Sprintf("bytes=%d-%d", from, from+64<<10-1), 64<<10)
			if err != nil {
				return err
			}
			times[from] = append(times[from], first)
		}
	}
	for _, each := range times {
		slices.Sort(each)
	}
	near, far := milliseconds(times[0], 0.5), milliseconds(times[farOffset], 0.5)
	b.logf("the first byte at 4 GiB comes after %.2f ms, at 0 after %.2f ms", far, near)
	b.report.atMost("first byte of a download at 4 GiB ÷ at 0", far/near, "times", 2)
	return nil
}

// measureTransfers compares the time of one upload and of one download through gateway and service with that of the same file through a
// bare proxy before a handler that only writes it to the disk with its SHA-256, and serves it from there.
func (b *bench) measureTransfers(ctx context.Context, of holder) error {
	size := min(b.documentSize(), 512<<20)
	folder := filepath.Join(b.folder, "files")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	name := filepath.Join(folder, "file.bin")
	if err := writeNoise(name, size); err != nil {
		return err
	}
	files, _, err := b.startOwn("files", folder)
	if err != nil {
		return err
	}
	bare, _, err := b.startOwn("proxy", files)
	if err != nil {
		return err
	}
	number := 0
	send := func(base string) (made documents.Document, err error) {
		file, err := os.Open(name)
		if err != nil {
			return made, err
		}
		defer file.Close()
		number++
		return of.send(ctx, base,
			io.MultiReader(strings.NewReader(prefix(number)), io.NewSectionReader(file, bytesOfPrefix, size-bytesOfPrefix)), size)
	}
	made, err := send(b.description.BaseURL)
	if err == nil {
		_, err = send(bare)
	}
	if err != nil {
		return err
	}
	what := fmt.Sprintf(" of %d MiB", size>>20)
	results, err := medians(b.rounds,
		timed("upload"+what+", gateway and documents", func() error { _, err := send(b.description.BaseURL); return err }),
		timed("upload"+what+", bare proxy and handler", func() error { _, err := send(bare); return err }),
		timed("download"+what+", gateway and documents", func() error {
			_, err := of.read(ctx, b.description.BaseURL, "/v1/documents/"+made.ID+"/content", "", size)
			return err
		}),
		timed("download"+what+", bare proxy and handler", func() error { _, err := of.read(ctx, bare, "/file.bin", "", size); return err }),
	)
	if err != nil {
		return err
	}
	b.report.add(results...)
	for i, bound := range []float64{0.5, 0.6} {
		own, other := results[2*i], results[2*i+1]
		b.logf("%s: %.0f ms; %s: %.0f ms", own.Name, own.P50, other.Name, other.P50)
		b.report.atLeast("throughput, "+own.Name+" ÷ bare proxy and handler", own.PerSecond/other.PerSecond, "times", bound)
	}
	return nil
}

// timed is one call as a measurement.
func timed(name string, call func() error) func() (metrics, error) {
	return func() (metrics, error) {
		began := time.Now()
		err := call()
		took := time.Since(began)
		return metrics{Name: name, Callers: 1, Requests: 1, PerSecond: 1 / took.Seconds(), P50: float64(took.Microseconds()) / 1000}, err
	}
}

var transfers = &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 2 * transfersAtOnce}}

// send makes a document of so many bytes.
func (h holder) send(ctx context.Context, base string, content io.Reader, size int64) (made documents.Document, err error) {
	before, after, contentType := documents.DocumentForm("sites", h.site, "Visite")
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/documents",
		io.MultiReader(strings.NewReader(string(before)), content, strings.NewReader(string(after))))
	if err != nil {
		return made, err
	}
	request.ContentLength = int64(len(before)) + size + int64(len(after))
	request.Header.Set("Content-Type", contentType)
	response, err := h.do(request, http.StatusCreated)
	if err != nil {
		return made, err
	}
	defer response.Body.Close()
	return made, json.NewDecoder(response.Body).Decode(&made)
}

// read reads a content, or a range of it, of so many bytes, and gives the time to the first.
func (h holder) read(ctx context.Context, base, path, part string, size int64) (first time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		return 0, err
	}
	status := http.StatusOK
	if part != "" {
		request.Header.Set("Range", part)
		status = http.StatusPartialContent
	}
	began := time.Now()
	response, err := h.do(request, status)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if _, err := io.ReadFull(response.Body, make([]byte, 1)); err != nil {
		return 0, err
	}
	first = time.Since(began)
	n, err := io.Copy(io.Discard, response.Body)
	if err == nil && n+1 != size {
		err = fmt.Errorf("%s: %d bytes came, want %d", path, n+1, size)
	}
	return first, err
}

func (h holder) do(request *http.Request, status int) (*http.Response, error) {
	request.Header.Set("Authorization", "Bearer "+h.key)
	response, err := transfers.Do(request)
	if err != nil || response.StatusCode == status {
		return response, err
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 2000)) // as far as it comes
	return nil, fmt.Errorf("%s %s: %s: %s", request.Method, request.URL.Path, response.Status, text)
}

// prefix begins a content, so that it is another one than all before.
func prefix(n int) string {
	return fmt.Sprintf("\x00%0*d", bytesOfPrefix-1, time.Now().UnixNano()+int64(n))
}

// zeros has no end.
type zeros struct{}

func (zeros) Read(piece []byte) (int, error) {
	clear(piece)
	return len(piece), nil
}

// writeNoise writes a file that cannot be compressed.
func writeNoise(name string, size int64) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	to := bufio.NewWriterSize(file, 1<<20)
	_, err = io.CopyN(to, rand.NewChaCha8([32]byte{1}), size)
	return errors.Join(err, to.Flush(), file.Close())
}

// freeBytes is how much may be written to the disk of a folder.
func freeBytes(folder string) (int64, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, fmt.Errorf("the disk of %s: %w", folder, err)
	}
	return int64(disk.Bavail) * disk.Bsize, nil // #nosec G115 -- no disk is as large
}
