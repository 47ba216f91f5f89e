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

// proxy is between our programs and something that they need. It can be cut and stalled.
type proxy struct{ toxi *toxiproxy.Proxy }

// newProxy gives one to a target, host:port.
func newProxy(name, target string) (proxy, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	var err error
	for range 100 {
		// Below the range that the kernel takes for outgoing connections, and below the ports of a stack: a proxy that was cut
		// finds its port free when it is mended.
		p := proxy{toxiproxy.NewProxy(server, name, fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(5000)), target)}
		if err = p.toxi.Start(); err == nil {
			return p, nil
		}
	}
	return proxy{}, fmt.Errorf("no port for the proxy of %s: %w", name, err)
}

// address is where our programs find the target.
func (p proxy) address() string { return p.toxi.Listen }

// cut breaks the connections, and refuses new ones.
func (p proxy) cut() { p.toxi.Stop() }

// mend undoes cut.
func (p proxy) mend() error {
	if err := p.toxi.Start(); !errors.Is(err, toxiproxy.ErrProxyAlreadyStarted) {
		return err
	}
	return nil
}

// stall accepts connections and passes requests on; responses never come.
func (p proxy) stall() error {
	const toxic = `{"name": "stall", "type": "timeout", "stream": "downstream", "attributes": {"timeout": 0}}`
	if _, err := p.toxi.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		return fmt.Errorf("stalling %s: %w", p.toxi.Name, err)
	}
	return nil
}

// clear undoes stall; connections that were made meanwhile break.
func (p proxy) clear(ctx context.Context) { p.toxi.Toxics.ResetToxics(ctx) }
