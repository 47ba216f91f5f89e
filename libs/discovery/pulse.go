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
	// hungAfter is how long an instance may say nothing, to anybody here and to the question whether it lives, until what runs there is
	// ended. Consul gives it as long.
	hungAfter = ttl
	// hungAfterLeaving is the same for an instance that is in no list any more. One that drains refuses the connection of the question, and
	// one that was killed does: both are an answer.
	hungAfterLeaving = time.Second
	// askInterval is the time between two questions.
	askInterval = time.Second
	// forgetAfter is how long an instance that hangs is asked. Whoever calls it then, if it is still in a list, is the next to find out.
	forgetAfter = time.Minute
)

// ErrHung is why a call was ended whose instance says nothing at all. It may or may not have been done.
var ErrHung = errors.New("the instance takes connections and says nothing")

// ErrLeftAlone is why a call was not made: its instance hangs. It has not seen the call.
var ErrLeftAlone = errors.New("the instance hangs, and is left alone until it answers")

// pulse is what this process knows of one instance: whether it says anything. A call that waits longer than it should asks the instance
// whether it lives (/livez), on a connection of its own, and shares the question with all others. Whatever the instance says to anybody
// counts as an answer, a refused connection too; only silence counts against it.
type pulse struct {
	address string
	heard   atomic.Int64 // when it last said something, as Unix nanoseconds
	silent  atomic.Bool  // somebody waits too long, and it has said nothing since: others are called first
	hung    atomic.Bool  // nobody is called there

	mu    sync.Mutex
	calls map[*call]struct{} // that run there
	asked time.Time          // when the question began that has no answer; zero: there is none
	left  bool               // it is in no list any more
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
		if len(p.calls) == 0 && p.asked.IsZero() && time.Since(time.Unix(0, p.heard.Load())) > forgetAfter {
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

// listed notes that an instance is in a list again, or in none any more. What runs at one that has left goes on as long as it says that
// it lives: it may be draining, and it may be Consul that forgot it.
func (d *Directory) listed(address string, in bool) {
	p := d.known(address)
	if p == nil {
		return
	}
	p.mu.Lock()
	p.left = !in
	asks := p.left && len(p.calls) > 0
	p.mu.Unlock()
	if asks {
		d.ask(p)
	}
}

// ask asks an instance whether it lives, unless somebody does already.
func (d *Directory) ask(p *pulse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked.IsZero() || d.ctx.Err() != nil {
		return
	}
	p.asked = time.Now()
	d.tasks.Go(func() { d.question(p, p.asked) })
}

// question asks until there is an answer, or for a minute.
func (d *Directory) question(p *pulse, began time.Time) {
	for {
		tried := time.Now()
		answered := d.lives(p.address) || p.heard.Load() > began.UnixNano()
		switch {
		case answered || d.ctx.Err() != nil || time.Since(began) > forgetAfter:
			if p.recover(); answered && time.Since(began) > hungAfterLeaving {
				d.log.Info("an instance says something again", "address", p.address, "after", time.Since(began).Round(time.Millisecond).String())
			}
			return
		case p.judge(time.Since(began)):
			d.log.Warn("an instance takes connections and says nothing; what ran there was ended", "address", p.address)
		}
		select {
		case <-d.ctx.Done():
		case <-time.After(time.Until(tried.Add(askInterval))):
		}
	}
}

// lives asks once.
func (d *Directory) lives(address string) bool {
	ctx, cancel := context.WithTimeout(d.ctx, askInterval)
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
	var operation *net.OpError // a connection that was taken and closed is none: what lives responds
	return ctx.Err() == nil && errors.As(err, &operation) && operation.Op == "dial" && !operation.Timeout()
}

// judge ends what runs at an instance that has been silent for too long. It says whether the instance was found hung now.
func (p *pulse) judge(silence time.Duration) bool {
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

// recover ends a question.
func (p *pulse) recover() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = time.Time{}
	p.silent.Store(false)
	p.hung.Store(false)
}

// hears notes that the instance said something.
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
