package service

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// collectSeldom lets the heap grow to three times what lives in it between two collections, unless GOGC says otherwise: few
// megabytes live in our processes, and Go's own choice would collect them many times a second under load.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}

// returnMemory gives memory that a burst has needed (a bulk, a stream, passwords being checked) back to the system
// once the process has been quiet for a few seconds, where Go by itself would keep it for minutes.
func returnMemory(ctx context.Context) {
	const pause, quiet, worthIt = 5 * time.Second, 8 << 20, 8 << 20
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	var allocated uint64
	held := uint64(0) // objects after the last return: what only looks like garbage is not collected again and again
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		metrics.Read(samples)
		before := allocated
		allocated = samples[0].Value.Uint64()
		free, objects := samples[1].Value.Uint64(), samples[2].Value.Uint64()
		if allocated-before > quiet || free < worthIt && objects < held+worthIt {
			continue
		}
		debug.FreeOSMemory()
		metrics.Read(samples)
		held = samples[2].Value.Uint64()
	}
}
