package edge

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-kit/kit/endpoint"

	"ams.internal/libs/discovery"
)

// race is the attempts of one request: one after the other and, of a plain read whose instance takes longer than such reads do, a second
// beside the first. The first response is given, the other attempts are ended.
type race struct {
	sender     *sender
	ctx        context.Context
	call       *call
	to         *forwarding
	way        way
	results    chan *attempt
	running    []*attempt
	hedgeDelay time.Duration // after which another instance is tried; zero: none is
}

// attempt is one try to have an instance respond.
type attempt struct {
	out      *outbound
	upstream *upstream
	region   string
	spare    bool // an instance that is silent is passed over
	begin    time.Time
	end      context.CancelFunc

	address  string // of the instance
	response *http.Response
	err      error
}

// run gives the first response, or the error of the last attempt.
func (r *race) run() (*http.Response, error) {
	r.results = make(chan *attempt, 1)
	if !r.start(r.way.next) {
		return nil, errNoInstance
	}
	var late <-chan time.Time
	if r.hedgeDelay > 0 {
		timer := time.NewTicker(r.hedgeDelay)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case a := <-r.results:
			if response, over, err := r.ended(a); over {
				r.endOthers()
				return response, err
			}
		case <-late:
			r.startLate(r.running[0].upstream.budget)
		}
	}
}

// startLate asks one more instance, if there is one and the budget allows it.
func (r *race) startLate(allowed *budget) {
	switch {
	case !allowed.spend():
	case r.start(r.way.elsewhere):
		r.sender.metrics.repeated(r.ctx, r.to.service, "late")
	default:
		allowed.refund()
	}
}

// ended takes the result of an attempt in, and begins another where that is allowed and nothing is running beside it.
func (r *race) ended(a *attempt) (response *http.Response, over bool, err error) {
	r.running = without(r.running, a)
	if !errors.Is(a.err, discovery.ErrLeftAlone) {
		r.to.tried(a.region, a.address)
		r.sender.metrics.attempted(r.ctx, r.to.service, a.region, a.err)
	}
	if a.err == nil {
		r.call.served = a.region
		if r.hedgeDelay > 0 {
			a.upstream.latencies.of(r.call).record(time.Since(a.begin))
		}
		return a.response, true, nil
	}
	a.end()
	if refusal := r.sender.final(r.ctx, r.call, a, r.to); refusal != nil {
		return nil, true, refusal
	}
	if len(r.running) > 0 {
		if errors.Is(a.err, discovery.ErrLeftAlone) { // it was to be the other one
			r.start(r.way.elsewhere)
		}
		return nil, false, nil
	}
	if !r.start(r.way.next) {
		return nil, true, &nobodyError{a.err}
	}
	if !neverReached(a.err) {
		r.sender.metrics.repeated(r.ctx, r.to.service, outcomeOf(a.err))
	}
	return nil, false, nil
}

// nobodyError says that there is no instance that can be tried any more, and how the last try ended.
type nobodyError struct{ last error }

// Error implements error.
func (e *nobodyError) Error() string { return e.last.Error() }

// Unwrap gives the error of the last try.
func (e *nobodyError) Unwrap() error { return e.last }

// start begins an attempt; false where no instance is left.
func (r *race) start(choose func() (endpoint.Endpoint, *attempt)) bool {
	instance, a := choose()
	if a == nil {
		return false
	}
	if len(r.running) == 0 && r.hedgeDelay == 0 && plainRead(r.call, a.out) {
		r.hedgeDelay = a.upstream.latencies.of(r.call).hedgeDelay()
	}
	a.begin = time.Now()
	var ctx context.Context
	ctx, a.end = context.WithCancel(r.ctx) // of the one that answers: ended with the request
	r.running = append(r.running, a)
	go func() {
		var response any
		if response, a.err = instance(ctx, a); a.err == nil {
			a.response = response.(*http.Response)
		}
		r.results <- a
	}()
	return true
}

// endOthers ends what still runs. Nobody waits for it.
func (r *race) endOthers() {
	for _, a := range r.running {
		a.end()
		r.to.tries++
		r.sender.metrics.overtaken(r.ctx, r.to.service, a.region)
	}
	if left := len(r.running); left > 0 {
		go func() {
			for range left {
				if a := <-r.results; a.err == nil {
					_ = a.response.Body.Close()
				}
			}
		}()
	}
}

func without(all []*attempt, one *attempt) (rest []*attempt) {
	for _, a := range all {
		if a != one {
			rest = append(rest, a)
		}
	}
	return rest
}

// way is where a request may be sent: the instances of one region in turn, those that answer before those that are silent, then those of
// the next region.
type way struct {
	build    func(region string) *outbound
	upstream func(region string) *upstream
	regions  []string // not tried yet
	current  *upstream
	region   string
	out      *outbound
	turn     uint64
	tried    int // instances of the region
}

// next gives the instance to try now; nil where there is none.
func (w *way) next() (endpoint.Endpoint, *attempt) {
	return w.choose(func(known int) int { return max(maxAttempts, 2*known) })
}

// elsewhere is next without an instance that was tried already.
func (w *way) elsewhere() (endpoint.Endpoint, *attempt) {
	return w.choose(func(known int) int { return known })
}

// choose gives the next instance of a region; maxTries limits how often the region is tried, by how many of its instances are known.
func (w *way) choose(maxTries func(known int) int) (endpoint.Endpoint, *attempt) {
	for {
		if w.current != nil {
			if instances := w.current.instances(); len(instances) > 0 && w.tried < maxTries(len(instances)) {
				at := (w.turn + uint64(w.tried)) % uint64(len(instances))
				spare := w.tried < len(instances)
				w.tried++
				return instances[at], &attempt{out: w.out, upstream: w.current, region: w.region, spare: spare}
			}
		}
		if len(w.regions) == 0 {
			return nil, nil
		}
		w.region, w.regions = w.regions[0], w.regions[1:]
		if w.current = w.upstream(w.region); w.current == nil {
			continue
		}
		w.out, w.turn, w.tried = w.build(w.region), w.current.turns.Add(1), 0
		w.current.budget.earn()
	}
}
