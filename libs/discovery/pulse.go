package discovery

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// hungAfter is how long an instance may be silent, towards calls and probes, until the calls that run there are ended. Consul gives it
	// as long.
	hungAfter = ttl
	// hungAfterLeaving is the same for an instance that is in no list any more. One that drains refuses the connection of the probe, and
	// so does one that was killed: both are a response.
	hungAfterLeaving = time.Second
	// probeInterval is the time between two probes.
	probeInterval = time.Second
	// forgetAfter is how long an instance that hangs is probed. If it is still in a list then, the next call starts over.
	forgetAfter = time.Minute
)

// ErrHung is the cause of a call that was ended because its instance is silent. The call may or may not have been done.
var ErrHung = errors.New("the instance takes connections and says nothing")

// ErrLeftAlone is the error of a call that was not made, because its instance hangs.
var ErrLeftAlone = errors.New("the instance hangs, and is left alone until it answers")

// pulse is what this process knows of the liveness of one instance. A call that waits longer than it should probes the instance (/livez),
// on a connection of its own, and shares the probe with all other calls. Whatever the instance sends to anybody counts as a response, a
// refused connection too; only silence counts against it.
type pulse struct {
	address string
	heard   atomic.Int64 // when it last sent something, as Unix nanoseconds
	silent  atomic.Bool  // a call waits too long, and nothing came since: others are called first
	hung    atomic.Bool  // it is not called

	mu           sync.Mutex
	calls        map[*call]struct{} // that run there
	probeStarted time.Time          // of the running probe; zero: none runs
	left         bool               // it is in no list any more
}

// pulses are those of the instances that are called, by address.
type pulses struct {
	mu    sync.RWMutex
	all   map[string]*pulse
	swept time.Time
}

func (d *Directory) pulse(address string) *pulse {
	d.pulses.mu.RLock()
	p := d.pulses.all[address]
	d.pulses.mu.RUnlock()
	if p != nil {
		return p
	}
	d.pulses.mu.Lock()
	defer d.pulses.mu.Unlock()
	if p = d.pulses.all[address]; p == nil {
		d.sweep()
		p = &pulse{address: address, calls: map[*call]struct{}{}}
		d.pulses.all[address] = p
	}
	return p
}

// known gives the pulse of an instance that was called before; nil for others.
func (d *Directory) known(address string) *pulse {
	d.pulses.mu.RLock()
	defer d.pulses.mu.RUnlock()
	return d.pulses.all[address]
}

// sweep forgets the instances that nobody has heard of for a while: addresses change with every deployment. The caller holds the lock.
func (d *Directory) sweep() {
	if time.Since(d.pulses.swept) < forgetAfter {
		return
	}
	d.pulses.swept = time.Now()
	for address, p := range d.pulses.all {
		p.mu.Lock()
		if len(p.calls) == 0 && p.probeStarted.IsZero() && time.Since(time.Unix(0, p.heard.Load())) > forgetAfter {
			delete(d.pulses.all, address)
		}
		p.mu.Unlock()
	}
}

// Silent says whether an instance should not be called while there is another: somebody waits for it too long.
func (d *Directory) Silent(address string) bool {
	p := d.known(address)
	return p != nil && (p.silent.Load() || p.hung.Load())
}

// Hung says whether an instance is not called at all.
func (d *Directory) Hung(address string) bool {
	p := d.known(address)
	return p != nil && p.hung.Load()
}

// listed notes that an instance is in a list again, or in none any more. Calls at one that has left go on as long as it responds to probes:
// it may be draining, and it may be Consul that forgot it.
func (d *Directory) listed(address string, in bool) {
	p := d.known(address)
	if p == nil {
		return
	}
	p.mu.Lock()
	p.left = !in
	needsProbe := p.left && len(p.calls) > 0
	p.mu.Unlock()
	if needsProbe {
		d.startProbe(p)
	}
}

// startProbe probes an instance, unless a probe of it runs already.
func (d *Directory) startProbe(p *pulse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.probeStarted.IsZero() || d.ctx.Err() != nil {
		return
	}
	p.probeStarted = time.Now()
	d.tasks.Go(func() { d.probe(p, p.probeStarted) })
}

// probe repeats until the instance responds, or for a minute.
func (d *Directory) probe(p *pulse, began time.Time) {
	for {
		tried := time.Now()
		alive := d.lives(p.address) || p.heard.Load() > began.UnixNano()
		switch {
		case alive || d.ctx.Err() != nil || time.Since(began) > forgetAfter:
			if p.recover(); alive && time.Since(began) > hungAfterLeaving {
				d.log.Info("an instance says something again", "address", p.address, "after", time.Since(began).Round(time.Millisecond).String())
			}
			return
		case p.endCallsIfHung(time.Since(began)):
			d.log.Warn("an instance takes connections and says nothing; what ran there was ended", "address", p.address)
		}
		select {
		case <-d.ctx.Done():
		case <-time.After(time.Until(tried.Add(probeInterval))):
		}
	}
}

// lives sends one probe.
func (d *Directory) lives(address string) bool {
	ctx, cancel := context.WithTimeout(d.ctx, probeInterval)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/livez", nil)
	if err != nil {
		return true
	}
	response, err := d.questions.RoundTrip(request)
	if err == nil {
		_ = response.Body.Close()
		return true
	}
	var operation *net.OpError // a connection that was accepted and closed is no response: what lives responds
	return ctx.Err() == nil && errors.As(err, &operation) && operation.Op == "dial" && !operation.Timeout()
}

// endCallsIfHung ends the calls at an instance that has been silent for too long. It reports whether this silence is new.
func (p *pulse) endCallsIfHung(silence time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := hungAfter
	if p.left {
		limit = hungAfterLeaving
	}
	if silence < limit {
		return false
	}
	first := !p.hung.Swap(true)
	for c := range p.calls {
		c.cancel(ErrHung)
	}
	return first
}

// recover ends a probe.
func (p *pulse) recover() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probeStarted = time.Time{}
	p.silent.Store(false)
	p.hung.Store(false)
}

// hears notes that the instance sent something.
func (p *pulse) hears() {
	p.heard.Store(time.Now().UnixNano())
	if p.silent.Load() {
		p.silent.Store(false)
	}
}

// run adds a call; false where the instance hangs.
func (p *pulse) run(c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hung.Load() {
		return false
	}
	p.calls[c] = struct{}{}
	return true
}

func (p *pulse) end(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.calls, c)
}

// countHung is how many instances hang, as far as this process knows.
func (d *Directory) countHung() (count int64) {
	d.pulses.mu.RLock()
	defer d.pulses.mu.RUnlock()
	for _, p := range d.pulses.all {
		if p.hung.Load() {
			count++
		}
	}
	return count
}
