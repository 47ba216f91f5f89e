package service

import (
	"cmp"
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// garbage is by how much the heap grows between two collections, in percent of the live heap. The live heap of our processes is a few
// megabytes; with Go's default it would be collected many times a second under load.
const garbage = 200

// runProcess sets what a process has once, and runs what it does once, until stop is called.
func runProcess(garbage int) (stop func()) {
	setGarbageCollection(garbage)
	ctx, stop := context.WithCancel(context.Background())
	go returnMemory(ctx)
	return stop
}

// setGarbageCollection lets the heap grow by so much, unless GOGC is set; 0: by garbage.
func setGarbageCollection(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(cmp.Or(percent, garbage))
	}
}

// returnMemory returns memory that a burst needed (a bulk call, a stream, password hashes) to the system once the process has
// allocated little for a few seconds. Go by itself would keep it for minutes.
func returnMemory(ctx context.Context) {
	const pause, quiet, worthIt = 5 * time.Second, 8 << 20, 8 << 20
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}}
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	var allocated uint64
	held := uint64(0) // objects after the last return: live ones must not cause a collection again and again
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
