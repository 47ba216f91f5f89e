// Package openapi merges the OpenAPI document of the whole API from the services' documents.
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
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ams.internal/gateway/static"
	"ams.internal/libs/discovery"
	"ams.internal/libs/fault"
	"ams.internal/libs/telemetry"
)

const (
	interval        = 15 * time.Second       // between two readings of the services' parts
	missingInterval = 200 * time.Millisecond // between two readings of a part that was never read
	readTimeout     = 5 * time.Second
	maxPart         = 16 << 20
)

// Config says what a document is made of.
type Config struct {
	BaseURL  string                   // public URL of the API
	Region   string                   // of this gateway
	Services []string                 // whose paths are in the document
	Owner    func(path string) string // the service that a path leads to
}

// Document is the OpenAPI document of the whole API: the parts that services make from the declarations they validate
// by, read in the background, merged with the gateway's own. The last part of a service that is unavailable stays; until each was read
// once, the document is refused, because a client that is made from a half of it lacks the other half and nobody sees it. Parts are
// kept as they came: decoded they take many times the memory.
type Document struct {
	config    Config
	directory *discovery.Directory
	log       *slog.Logger
	client    *http.Client
	parts     map[string][]byte
	views     atomic.Pointer[map[string]*static.Asset]
	paths     atomic.Pointer[[]documentedPath]
	missing   atomic.Pointer[[]string] // services that were never read
}

// NewDocument gives the document as it is before any service was read.
func NewDocument(config Config, directory *discovery.Directory, log *slog.Logger) *Document {
	transport := telemetry.Transport(&http.Transport{MaxIdleConns: 8, IdleConnTimeout: 10 * time.Second})
	d := &Document{config: config, directory: directory, log: log, parts: map[string][]byte{},
		client: &http.Client{Timeout: readTimeout, Transport: transport}}
	d.merge()
	return d
}

// Respond is the response to a request for the document: for the view that makers of clients need, unless the query asks for the full one.
func (d *Document) Respond(r *http.Request) (*http.Response, error) {
	view := viewClients
	if views := r.URL.Query()["view"]; len(views) > 0 {
		view = strings.Join(views, ",")
	}
	incomplete := d.Incomplete() // before the views are looked at, which are whole when nothing is missing
	found := (*d.views.Load())[view]
	if found == nil {
		return nil, fault.InvalidFields(fault.Field{Field: "view",
			Message: "must be " + viewClients + ", which is what programs that make clients read, or " + viewFull})
	}
	if incomplete != nil {
		return nil, incomplete
	}
	response := found.Respond(r)
	response.Header["Access-Control-Allow-Origin"] = []string{"*"} // public, and tools load it from their own pages
	return response, nil
}

// Incomplete is the error to respond with while a service was never read; nil when all were.
func (d *Document) Incomplete() error {
	missing := *d.missing.Load()
	if len(missing) == 0 {
		return nil
	}
	return fault.Unavailable("document_incomplete", "The description of the API is not complete: since this gateway started, "+
		"it has heard nothing from %s. Try again when they are there.", strings.Join(missing, ", "))
}

// Whole gives the document as JSON, as far as it was read, which is not to be changed, and what identifies it.
func (d *Document) Whole() (content []byte, version string) {
	merged := (*d.views.Load())[viewFull]
	return merged.Plain(), merged.ETag()
}

// Clients is the document for makers of clients, as it is served, which is not to be changed.
func (d *Document) Clients() []byte { return (*d.views.Load())[viewClients].Plain() }

// Run reads the services' parts until ctx ends.
func (d *Document) Run(ctx context.Context) {
	var read time.Time  // all of them
	var warned []string // the services that a warning has named
	for {
		all := time.Since(read) >= interval
		missing := *d.missing.Load()
		if late := all && !read.IsZero(); late && len(missing) > 0 && !slices.Equal(missing, warned) {
			d.log.Warn("services were never read; the OpenAPI document is refused until they are", "services", missing)
			warned = missing
		}
		if all {
			read = time.Now()
		}
		if d.refresh(ctx, all) {
			d.merge()
		}
		pause := interval
		if len(*d.missing.Load()) > 0 {
			pause = missingInterval
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// refresh reads the parts of all services, or of those only that were never read, and says whether one has changed.
func (d *Document) refresh(ctx context.Context, all bool) (changed bool) {
	for _, service := range d.config.Services {
		if !all && d.parts[service] != nil {
			continue
		}
		part, err := d.read(ctx, service)
		if err != nil {
			d.log.Debug("the OpenAPI part of a service could not be read", "about_service", service, "error", err)
			continue
		}
		if !bytes.Equal(part, d.parts[service]) {
			d.parts[service], changed = part, true
		}
	}
	return changed
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
	merged := Merge(d.config, d.parts, d.log)
	paths := pathsOf(merged.Clients)
	d.paths.Store(&paths)
	d.views.Store(&map[string]*static.Asset{
		viewClients: static.New("application/json", merged.Clients), viewFull: static.New("application/json", merged.Full),
	})
	missing := slices.DeleteFunc(slices.Clone(d.config.Services), func(service string) bool { return d.parts[service] != nil })
	d.missing.Store(&missing) // last: whoever sees that nothing is missing, sees all of it
}
