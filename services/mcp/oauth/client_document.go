package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ams.internal/libs/external"
)

const (
	documentTimeout      = 5 * time.Second
	maxDocumentSize      = 20 << 10 // bytes
	maxDocuments         = 200      // in the cache
	maxConcurrentFetches = 4        // at the same time
	minCacheLife         = 5 * time.Minute
	maxCacheLife         = 24 * time.Hour
	defaultCacheLife     = time.Hour
)

// documents finds clients whose id is the address of a client metadata document. A document is cached for as long as its
// Cache-Control allows, within limits. A cached document is used for a day while its host is unavailable.
type documents struct {
	http       *external.Client
	log        *slog.Logger
	fetchSlots chan struct{}

	mu     sync.Mutex
	cached map[string]cachedClient
}

type cachedClient struct {
	client                  *client
	fetched                 time.Time
	freshUntil, usableUntil time.Time
}

func newDocuments(http *external.Client, log *slog.Logger) *documents {
	return &documents{http: http, log: log, fetchSlots: make(chan struct{}, maxConcurrentFetches), cached: map[string]cachedClient{}}
}

// errBusy means that too many documents are being fetched.
var errBusy = &clientProblem{"client_busy"}

func (docs *documents) find(ctx context.Context, id string) (*client, error) {
	if !documentAddress(id) {
		return nil, &clientProblem{"client_unknown"}
	}
	now := time.Now()
	docs.mu.Lock()
	known, found := docs.cached[id]
	docs.mu.Unlock()
	if found && now.Before(known.freshUntil) {
		return known.client, nil
	}
	select {
	case docs.fetchSlots <- struct{}{}:
		defer func() { <-docs.fetchSlots }()
	case <-time.After(documentTimeout):
		return nil, errBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	fetched, life, err := docs.fetch(ctx, id)
	var problem *clientProblem
	switch {
	case err == nil:
		docs.store(id, cachedClient{fetched, now, now.Add(life), now.Add(max(life, maxCacheLife))})
		return fetched, nil
	case errors.As(err, &problem):
		return nil, err
	case found && now.Before(known.usableUntil):
		return known.client, nil
	}
	docs.log.InfoContext(ctx, "the description of an assistant could not be fetched", "address", id, "error", err)
	return nil, &clientProblem{"client_away"}
}

// isFresh reports whether a document is cached and need not be fetched.
func (docs *documents) isFresh(id string) bool {
	docs.mu.Lock()
	defer docs.mu.Unlock()
	return time.Now().Before(docs.cached[id].freshUntil)
}

// documentAddress reports whether a client id can be the address of a document: https, with a path, in canonical form.
func documentAddress(id string) bool {
	address, err := url.Parse(id)
	return err == nil && address.Scheme == "https" && address.Host != "" && address.User == nil &&
		address.Fragment == "" && !strings.Contains(id, "#") &&
		len(address.Path) > 1 && path.Clean(address.Path) == strings.TrimSuffix(address.Path, "/") && address.String() == id
}

// fetch reads a document. A *clientProblem means that the document is wrong; any other error means that it could not be
// read.
func (docs *documents) fetch(ctx context.Context, id string) (*client, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil) // #nosec G704 -- the client reaches public addresses only
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "ams-mcp")
	response, err := docs.http.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		if response.StatusCode >= http.StatusInternalServerError {
			return nil, 0, errors.New("it answered " + response.Status)
		}
		return nil, 0, &clientProblem{"client_unknown"} // a redirect is refused too: the address itself is the id
	}
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, 0, &clientProblem{"client_malformed"}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocumentSize+1))
	if err != nil {
		return nil, 0, err
	}
	found, err := readDocument(id, body)
	return found, cacheLife(response.Header.Get("Cache-Control")), err
}

func readDocument(id string, body []byte) (*client, error) {
	var document struct {
		ClientID      string          `json:"client_id"`
		Name          string          `json:"client_name"`
		Redirects     []string        `json:"redirect_uris"`
		AuthMethod    string          `json:"token_endpoint_auth_method"`
		AuthMethods   []string        `json:"token_endpoint_auth_methods_supported"`
		Secret        json.RawMessage `json:"client_secret"`
		ResponseTypes []string        `json:"response_types"`
	}
	public := func() bool {
		return document.AuthMethod == "" || document.AuthMethod == "none" || slices.Contains(document.AuthMethods, "none")
	}
	if len(body) > maxDocumentSize || json.Unmarshal(body, &document) != nil || document.ClientID != id || len(document.Redirects) == 0 ||
		document.Secret != nil || !public() {
		return nil, &clientProblem{"client_malformed"}
	}
	address, err := url.Parse(id)
	if err != nil {
		return nil, err
	}
	return &client{id: id, name: cleanName(document.Name), redirects: document.Redirects, publisher: address.Host}, nil
}

// cacheLife is how long a document may be cached.
func cacheLife(cacheControl string) time.Duration {
	life := defaultCacheLife
	for directive := range strings.SplitSeq(strings.ToLower(cacheControl), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return minCacheLife
		case "max-age":
			if seconds, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				life = time.Duration(min(max(seconds, 0), int(maxCacheLife/time.Second))) * time.Second
			}
		}
	}
	return min(max(life, minCacheLife), maxCacheLife)
}

// store caches a document. A full cache loses its oldest entry.
func (docs *documents) store(id string, what cachedClient) {
	docs.mu.Lock()
	defer docs.mu.Unlock()
	if _, known := docs.cached[id]; !known && len(docs.cached) >= maxDocuments {
		oldest := ""
		for each, entry := range docs.cached {
			if oldest == "" || entry.fetched.Before(docs.cached[oldest].fetched) {
				oldest = each
			}
		}
		delete(docs.cached, oldest)
	}
	docs.cached[id] = what
}
