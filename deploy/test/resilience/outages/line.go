package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// line is the way of our programs to something that they need, which can be cut, stalled and slowed down.
type line struct{ proxy *toxiproxy.Proxy }

// newLine gives a line to a target, host:port.
func newLine(name, target string) (line, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	var err error
	for range 100 {
		// Below the range that the kernel takes for outgoing connections, and below the ports of a stack: a line that was cut
		// finds its port free when it is mended.
		l := line{toxiproxy.NewProxy(server, name, fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(5000)), target)}
		if err = l.proxy.Start(); err == nil {
			return l, nil
		}
	}
	return line{}, fmt.Errorf("no port for the line to %s: %w", name, err)
}

// address is where our programs find what is at the other end.
func (l line) address() string { return l.proxy.Listen }

// cut breaks what is connected, and refuses new connections.
func (l line) cut() { l.proxy.Stop() }

// mend undoes cut.
func (l line) mend() error {
	if err := l.proxy.Start(); !errors.Is(err, toxiproxy.ErrProxyAlreadyStarted) {
		return err
	}
	return nil
}

// stall lets connections be made and requests through; answers never come, and nobody is told.
func (l line) stall() error {
	const toxic = `{"name": "stall", "type": "timeout", "stream": "downstream", "attributes": {"timeout": 0}}`
	if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		return fmt.Errorf("stalling %s: %w", l.proxy.Name, err)
	}
	return nil
}

// clear undoes stall; what was connected meanwhile breaks.
func (l line) clear(ctx context.Context) { l.proxy.Toxics.ResetToxics(ctx) }
