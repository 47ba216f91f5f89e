package devstack

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress tells people what happens, each line with the seconds since the start.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	began time.Time
}

func newProgress(out io.Writer) *progress { return &progress{out: out, began: time.Now()} }

func (p *progress) logf(format string, arguments ...any) {
	p.line(fmt.Sprintf("%6.1f s  %s", time.Since(p.began).Seconds(), fmt.Sprintf(format, arguments...)))
}

// line writes one line as it is, whole, whoever else writes.
func (p *progress) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.out, text)
}
