package edge

import (
	"math"
	"net/http"
	"sync"
	"time"

	"ams.internal/gateway/ratelimit"
)

const (
	// defaultHedgeDelay is how long a read waits while too few of its kind were seen.
	defaultHedgeDelay = time.Second
	minHedgeDelay     = 250 * time.Millisecond // a pause of the machine is no reason to ask another instance
	maxHedgeDelay     = 1500 * time.Millisecond
	enoughReads       = 20
	manyReads         = 2000 // then the older ones count half
	share             = 0.99
)

// latencies are how long reads of one service in one region take, by kind.
type latencies struct {
	mu  sync.RWMutex
	all map[readKind]*latency
}

// readKind is an operation, as far as the gateway tells them apart. There are few of them, whatever paths are asked for.
type readKind struct {
	route    *route
	method   string
	segments int  // of the path below the route's
	record   bool // the last is an id
}

const maxSegments = 4

// plainRead reports whether a request is a plain read, to which another instance would respond sooner than one that takes unusually long.
// Streams, long polls, archives and downloads have all the time that they are promised, and what has a body is sent once.
func plainRead(c *call, out *outbound) bool {
	return out.repeatable && c.kind == ratelimit.Plain && c.transfer == noTransfer
}

// of gives the latency of a plain read's kind.
func (l *latencies) of(c *call) *latency {
	kind := readKind{route: c.route, method: http.MethodGet}
	if c.r.Method == http.MethodHead {
		kind.method = http.MethodHead
	}
	kind.segments, kind.record = shape(c.r.URL.Path[len(c.route.prefix):])
	l.mu.RLock()
	found := l.all[kind]
	l.mu.RUnlock()
	if found != nil {
		return found
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if found = l.all[kind]; found == nil {
		found = new(latency)
		l.all[kind] = found
	}
	return found
}

// shape counts the segments of a path, and says whether the last is the id of a record.
func shape(path string) (segments int, record bool) {
	last := 0
	for i := range len(path) {
		if path[i] == '/' {
			segments, last = segments+1, i+1
		}
	}
	id := path[min(last, len(path)):]
	return min(segments, maxSegments), len(id) == 36 && id[8] == '-' && id[13] == '-'
}

// latency is how long reads of one kind took until their responses began: how many took at most a millisecond, at most √2 of them, and so
// on. The older count less.
type latency struct {
	mu     sync.Mutex
	counts [34]uint32
	total  uint32
}

func (l *latency) record(took time.Duration) {
	step := int(math.Ceil(2 * math.Log2(float64(took)/float64(time.Millisecond))))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[min(max(step, 0), len(l.counts)-1)]++
	if l.total++; l.total < manyReads {
		return
	}
	l.total = 0
	for i := range l.counts {
		l.counts[i] /= 2
		l.total += l.counts[i]
	}
}

// hedgeDelay is how long such a read waits for one instance until it is sent to another one as well: twice the 99th percentile, or the
// 99th percentile alone where the operation takes long by itself.
func (l *latency) hedgeDelay() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total < enoughReads {
		return defaultHedgeDelay
	}
	below, step := uint32(0), 0
	for step = range l.counts {
		if below += l.counts[step]; float64(below) >= share*float64(l.total) {
			break
		}
	}
	p99 := time.Duration(float64(time.Millisecond) * math.Exp2(float64(step)/2))
	return max(minHedgeDelay, p99, min(2*p99, maxHedgeDelay))
}
