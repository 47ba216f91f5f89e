// Package openapi is the OpenAPI document of the whole API, merged from what the services document, and the page that shows it.
package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/telemetry"
)

const (
	interval    = 15 * time.Second // between two readings of the services' parts
	minInterval = time.Second      // the first pause while a service has never been read; it doubles
	readTimeout = 5 * time.Second
	maxPart     = 16 << 20
)

// Config says what a document is made of.
type Config struct {
	BaseURL  string                   // public URL of the API
	Region   string                   // of this gateway
	Services []string                 // whose paths are in the document
	Owner    func(path string) string // the service that a path leads to
}

// Document is the OpenAPI document of the whole API: the parts that services make from the declarations they validate
// by, read in the background, merged with the gateway's own. The last part of a service that is unavailable stays. Parts are
// kept as they came: decoded they take many times the memory.
type Document struct {
	config    Config
	directory *discovery.Directory
	log       *slog.Logger
	client    *http.Client
	parts     map[string][]byte
	merged    atomic.Pointer[asset]
}

// NewDocument gives the document as it is before any service was read.
func NewDocument(config Config, directory *discovery.Directory, log *slog.Logger) *Document {
	transport := telemetry.Transport(&http.Transport{MaxIdleConns: 8, IdleConnTimeout: 10 * time.Second})
	d := &Document{config: config, directory: directory, log: log, parts: map[string][]byte{},
		client: &http.Client{Timeout: readTimeout, Transport: transport}}
	d.merge()
	return d
}

// Respond is the response to a request for the document.
func (d *Document) Respond(r *http.Request) *http.Response {
	response := d.merged.Load().respond(r)
	response.Header["Access-Control-Allow-Origin"] = []string{"*"} // public, and tools load it from their own pages
	return response
}

// Run reads the services' parts until ctx ends.
func (d *Document) Run(ctx context.Context) {
	next := minInterval
	for all := true; ; {
		changed, missing := d.refresh(ctx, all)
		if changed {
			d.merge()
		}
		pause := interval
		if all = !missing || next >= interval; !all { // only what is missing is read again so soon
			pause, next = next, 2*next
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// refresh reads the parts of all services, or of those only that were never read.
func (d *Document) refresh(ctx context.Context, all bool) (changed, missing bool) {
	for _, service := range d.config.Services {
		if !all && d.parts[service] != nil {
			continue
		}
		part, err := d.read(ctx, service)
		if err != nil {
			missing = missing || d.parts[service] == nil
			d.log.Debug("the OpenAPI part of a service could not be read", "service", service, "error", err)
			continue
		}
		if !bytes.Equal(part, d.parts[service]) {
			d.parts[service], changed = part, true
		}
	}
	return changed, missing
}

func (d *Document) read(ctx context.Context, service string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	address, err := d.directory.Pick(ctx, service)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/internal/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	response, err := d.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s responded %s", service, response.Status)
	}
	part, err := io.ReadAll(io.LimitReader(response.Body, maxPart))
	if err == nil && !json.Valid(part) {
		err = errors.New("it is not JSON")
	}
	if err != nil {
		return nil, fmt.Errorf("part of %s: %w", service, err)
	}
	return part, nil
}

func (d *Document) merge() {
	merged := merge(ownDocument(d.config.BaseURL, d.config.Region), d.parts, d.config.Owner, d.log)
	d.merged.Store(newAsset("application/json", merged))
}
