package edge

import "sync"

const (
	// repeatShare is how many requests of a hundred are at most sent to one more instance because the first takes long. Where everything
	// takes long, asking twice would make it take longer.
	repeatShare = 0.1
	// repeatReserve is how many may be at once: those that wait for an instance in the moment in which it stops.
	repeatReserve = 50
)

// budget is how often another instance may be asked.
type budget struct {
	mu   sync.Mutex
	left float64
}

func newBudget() *budget { return &budget{left: repeatReserve} }

// earn adds the share of one request.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = min(b.left+repeatShare, repeatReserve)
}

// refund gives one back that nobody was asked for.
func (b *budget) refund() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left++
}

// spend takes one; false where there is none.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
