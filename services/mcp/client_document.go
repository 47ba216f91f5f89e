package main

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
	documentPatience = 5 * time.Second
	mostDocument     = 20 << 10 // bytes
	mostDocuments    = 200      // that are remembered
	documentsAtOnce  = 4        // that are fetched
	shortestMemory   = 5 * time.Minute
	longestMemory    = 24 * time.Hour
	usualMemory      = time.Hour
)

// documents finds clients whose id is the address of their own description (client id metadata documents). What was
// fetched is remembered for as long as its publisher says, within bounds, and for a day when the publisher is away.
type documents struct {
	http   *external.Client
	log    *slog.Logger
	places chan struct{}

	mu         sync.Mutex
	remembered map[string]rememberedClient
}

type rememberedClient struct {
	client      *client
	fetched     time.Time
	fresh, stay time.Time
}

func newDocuments(http *external.Client, log *slog.Logger) *documents {
	return &documents{http: http, log: log, places: make(chan struct{}, documentsAtOnce), remembered: map[string]rememberedClient{}}
}

// errBusy says that too many descriptions are being fetched.
var errBusy = &clientProblem{"client_busy"}

func (docs *documents) find(ctx context.Context, id string) (*client, error) {
	if !documentAddress(id) {
		return nil, &clientProblem{"client_unknown"}
	}
	now := time.Now()
	docs.mu.Lock()
	known, found := docs.remembered[id]
	docs.mu.Unlock()
	if found && now.Before(known.fresh) {
		return known.client, nil
	}
	select {
	case docs.places <- struct{}{}:
		defer func() { <-docs.places }()
	case <-time.After(documentPatience):
		return nil, errBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	fetched, life, err := docs.fetch(ctx, id)
	var problem *clientProblem
	switch {
	case err == nil:
		docs.remember(id, rememberedClient{fetched, now, now.Add(life), now.Add(max(life, longestMemory))})
		return fetched, nil
	case errors.As(err, &problem):
		return nil, err
	case found && now.Before(known.stay):
		return known.client, nil
	}
	docs.log.InfoContext(ctx, "the description of an assistant could not be fetched", "address", id, "error", err)
	return nil, &clientProblem{"client_away"}
}

// knows says whether a description is remembered and need not be fetched.
func (docs *documents) knows(id string) bool {
	docs.mu.Lock()
	defer docs.mu.Unlock()
	return time.Now().Before(docs.remembered[id].fresh)
}

// documentAddress says whether a client id may be the address of a description: https, with a path, in its plain form.
func documentAddress(id string) bool {
	address, err := url.Parse(id)
	return err == nil && address.Scheme == "https" && address.Host != "" && address.User == nil && address.Fragment == "" && !strings.Contains(id, "#") &&
		len(address.Path) > 1 && path.Clean(address.Path) == strings.TrimSuffix(address.Path, "/") && address.String() == id
}

// fetch reads a description. A *clientProblem is wrong with the description itself, any other error with the way there.
func (docs *documents) fetch(ctx context.Context, id string) (*client, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, documentPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil) // #nosec G704 -- sent by a client that reaches public addresses only
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
		return nil, 0, &clientProblem{"client_unknown"} // a redirect too: the address itself is the id
	}
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, 0, &clientProblem{"client_malformed"}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, mostDocument+1))
	if err != nil {
		return nil, 0, err
	}
	found, err := readDocument(id, body)
	return found, memoryOf(response.Header.Get("Cache-Control")), err
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
	if len(body) > mostDocument || json.Unmarshal(body, &document) != nil || document.ClientID != id || len(document.Redirects) == 0 || document.Secret != nil || !public() {
		return nil, &clientProblem{"client_malformed"}
	}
	address, err := url.Parse(id)
	if err != nil {
		return nil, err
	}
	return &client{id: id, name: plainName(document.Name), redirects: document.Redirects, publisher: address.Host}, nil
}

// memoryOf is how long a description may be remembered.
func memoryOf(cacheControl string) time.Duration {
	life := usualMemory
	for directive := range strings.SplitSeq(strings.ToLower(cacheControl), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return shortestMemory
		case "max-age":
			if seconds, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				life = time.Duration(min(max(seconds, 0), int(longestMemory/time.Second))) * time.Second
			}
		}
	}
	return min(max(life, shortestMemory), longestMemory)
}

// remember keeps a description, in the place of the oldest where there are many.
func (docs *documents) remember(id string, what rememberedClient) {
	docs.mu.Lock()
	defer docs.mu.Unlock()
	if _, known := docs.remembered[id]; !known && len(docs.remembered) >= mostDocuments {
		oldest := ""
		for each, entry := range docs.remembered {
			if oldest == "" || entry.fetched.Before(docs.remembered[oldest].fetched) {
				oldest = each
			}
		}
		delete(docs.remembered, oldest)
	}
	docs.remembered[id] = what
}
