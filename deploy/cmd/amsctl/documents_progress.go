package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// byteProgress shows how the bytes of several files go: a bar with rate and time left for a person, a line now and then for a log.
type byteProgress struct {
	mu      sync.Mutex
	out     io.Writer
	bar     *progressbar.ProgressBar // nil when nobody watches
	total   int64
	done    int64
	skipped int64 // of done: was there before
	started time.Time
	printed time.Time
}

func newByteProgress(out io.Writer) *byteProgress {
	p := &byteProgress{out: out, started: time.Now(), printed: time.Now()}
	if _, watched := terminal(out); watched {
		p.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(out), progressbar.OptionShowBytes(true), progressbar.OptionFullWidth(),
			progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	return p
}

// Expect is told of further bytes.
func (p *byteProgress) Expect(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total += bytes
	if p.bar != nil {
		p.bar.ChangeMax64(max(1, p.total))
	}
}

// Skip is told of bytes that are there already.
func (p *byteProgress) Skip(bytes int64) {
	p.mu.Lock()
	p.skipped += bytes
	p.mu.Unlock()
	p.Add(bytes)
}

// Add is told of bytes that have arrived.
func (p *byteProgress) Add(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += bytes
	if p.bar != nil {
		_ = p.bar.Set64(min(p.done, max(1, p.total))) // what cannot be drawn must not stop anything
		return
	}
	if time.Since(p.printed) < 5*time.Second {
		return
	}
	p.printed = time.Now()
	rate := float64(p.done-p.skipped) / max(time.Since(p.started).Seconds(), 0.001)
	left := time.Duration(float64(p.total-p.done) / max(rate, 1) * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(p.out, "%d of %d bytes, %.1f MB a second, about %s left\n", p.done, p.total, rate/1e6, left)
}

// Note says something without breaking the bar.
func (p *byteProgress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintln(p.out, plain(text))
}

// Finish ends the bar.
func (p *byteProgress) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
