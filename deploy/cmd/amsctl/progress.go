package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"ams.internal/deploy/cmd/amsctl/importer"
)

// progress shows how an import goes: a bar for a person, a line now and then for a log.
type progress struct {
	out     io.Writer
	name    string
	bar     *progressbar.ProgressBar // nil when nobody watches
	total   int64
	started time.Time
	before  importer.State // where a resumed import began
	printed time.Time
}

func newProgress(out io.Writer, name string) *progress {
	p := &progress{out: out, name: name}
	if _, watched := terminal(out); watched {
		p.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(name),
			progressbar.OptionFullWidth(), progressbar.OptionShowDescriptionAtLineEnd(), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// Start is told how long the file is, and where a resumed import begins.
func (p *progress) Start(totalBytes int64, resumed importer.State) {
	p.total, p.started, p.printed, p.before = totalBytes, time.Now(), time.Now(), resumed
	if resumed.Counts.Rows > 0 {
		p.Note(fmt.Sprintf("%s: going on at line %d", p.name, resumed.Position.Line))
	}
	if p.bar != nil {
		p.bar.ChangeMax64(max(1, totalBytes))
		_ = p.bar.Set64(resumed.Position.Offset) // what cannot be drawn must not stop an import
	}
}

// Advance is told the place after each acknowledged call.
func (p *progress) Advance(state importer.State) {
	elapsed := max(time.Since(p.started), time.Millisecond)
	rate := float64(state.Counts.Rows-p.before.Counts.Rows) / elapsed.Seconds()
	text := fmt.Sprintf("%s: %d rows (%.0f a second), %d rejected", p.name, state.Counts.Rows, rate, state.Counts.Rejected)
	if p.bar != nil {
		p.bar.Describe(text)
		_ = p.bar.Set64(state.Position.Offset)
		return
	}
	if time.Since(p.printed) < 5*time.Second {
		return
	}
	p.printed = time.Now()
	done := float64(state.Position.Offset-p.before.Position.Offset) / float64(max(1, p.total-p.before.Position.Offset))
	left := time.Duration(float64(elapsed) * (1 - done) / max(done, 1e-9)).Round(time.Second)
	fmt.Fprintf(p.out, "%s, %d %%, about %s left\n", text, 100*state.Position.Offset/max(1, p.total), left)
}

// Note says something without breaking the bar.
func (p *progress) Note(text string) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintln(p.out, text)
}

// Finish ends the bar.
func (p *progress) Finish(importer.State) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
