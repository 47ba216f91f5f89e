package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

const (
	documentInterval = 15 * time.Second // between two readings of the services' parts
	documentHurry    = time.Second      // the first pause while a service has never been read; it doubles
	documentTimeout  = 5 * time.Second
	documentMost     = 16 << 20
)

// document is the OpenAPI document of the whole API: the parts that services make from the declarations they validate
// by, read in the background, merged with the gateway's own. A service that is away keeps its last part. Parts are kept
// as they came: decoded they take many times the memory.
type document struct {
	directory *discovery.Directory
	config    *Config
	log       *slog.Logger
	client    *http.Client
	parts     map[string][]byte
	merged    atomic.Pointer[asset]
}

func newDocument(directory *discovery.Directory, config *Config, log *slog.Logger) *document {
	d := &document{directory: directory, config: config, log: log, parts: map[string][]byte{},
		client: &http.Client{Timeout: documentTimeout, Transport: telemetry.Transport(&http.Transport{MaxIdleConns: 8, IdleConnTimeout: 10 * time.Second})}}
	d.merge()
	return d
}

func (d *document) answer(c *call) (*http.Response, error) {
	response := d.merged.Load().answer(c, "no-cache")
	response.Header["Access-Control-Allow-Origin"] = []string{"*"} // public, and tools load it from their own pages
	return response, nil
}

// follow reads the services' parts until ctx ends.
func (d *document) follow(ctx context.Context) {
	hurry := documentHurry
	for whole := true; ; {
		changed, missing := d.refresh(ctx, whole)
		if changed {
			d.merge()
		}
		pause := documentInterval
		if whole = !missing || hurry >= documentInterval; !whole { // only what is missing is asked for again so soon
			pause, hurry = hurry, 2*hurry
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// refresh reads the parts of all services, or of those only that were never read.
func (d *document) refresh(ctx context.Context, all bool) (changed, missing bool) {
	for _, service := range documented() {
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

// documented are the services whose paths are in the document: those behind keys.
func documented() []string {
	var names []string
	for _, r := range routes {
		if r.keyed() && r.service != "" && !slices.Contains(names, r.service) {
			names = append(names, r.service)
		}
	}
	return names
}

func (d *document) read(ctx context.Context, service string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
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
		return nil, fmt.Errorf("%s answered %s", service, response.Status)
	}
	part, err := io.ReadAll(io.LimitReader(response.Body, documentMost))
	if err == nil && !json.Valid(part) {
		err = errors.New("it is not JSON")
	}
	if err != nil {
		return nil, fmt.Errorf("part of %s: %w", service, err)
	}
	return part, nil
}

// merge makes the whole of the parts and puts it in the place of the last one.
func (d *document) merge() {
	whole := ownDocument(d.config.BaseURL, d.config.Region)
	paths, components := whole["paths"].(map[string]any), whole["components"].(map[string]any)
	tags, webhooks := map[string]bool{"me": true}, map[string]any{}
	for _, service := range slices.Sorted(maps.Keys(d.parts)) {
		var part map[string]any
		if err := json.Unmarshal(d.parts[service], &part); err != nil {
			d.log.Warn("the OpenAPI part of a service is no object; it is left out", "service", service, "error", err)
			continue
		}
		renamed := d.addComponents(components, service, part)
		for path, item := range object(part["paths"]) {
			if findRoute(path).service != service {
				d.log.Warn("a service documents a path that is not routed to it; it is left out", "service", service, "path", path)
				continue
			}
			paths[path] = rename(item, renamed)
			collectTags(item, tags)
		}
		for name, item := range object(part["webhooks"]) {
			if webhooks[name] != nil {
				d.log.Warn("two services document a webhook of one name; the second is left out", "service", service, "webhook", name)
				continue
			}
			webhooks[name] = rename(item, renamed)
			collectTags(item, tags)
		}
	}
	if len(webhooks) > 0 {
		whole["webhooks"] = refer(webhooks, answers(paths))
	}
	list := []any{}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, map[string]any{"name": tag, "description": "Operations on " + strings.ReplaceAll(tag, "-", " ") + "."})
	}
	whole["tags"] = list
	for path, item := range paths {
		paths[path] = secured(item)
	}
	encoded, err := json.Marshal(whole)
	if err != nil { // it was JSON before
		panic(err)
	}
	d.merged.Store(newAsset("application/json", encoded))
}

// addComponents takes over a part's components. One that is called like a different one of another service gets the
// service's name before its own; the answer maps the references that change by that.
func (d *document) addComponents(components map[string]any, service string, part map[string]any) map[string]string {
	renamed := map[string]string{}
	for before := -1; before != len(renamed); { // what refers to something renamed is different too
		before = len(renamed)
		for kind, named := range object(part["components"]) {
			for name, content := range object(named) {
				if present, taken := object(components[kind])[name]; taken && !reflect.DeepEqual(present, rename(content, renamed)) {
					renamed["#/components/"+kind+"/"+name] = "#/components/" + kind + "/" + service + "_" + name
				}
			}
		}
	}
	for kind, named := range object(part["components"]) {
		if components[kind] == nil {
			components[kind] = map[string]any{}
		}
		for name, content := range object(named) {
			changed := rename(content, renamed)
			if renamed["#/components/"+kind+"/"+name] != "" {
				name = service + "_" + name
			}
			object(components[kind])[name] = changed
		}
	}
	return renamed
}

// rename gives value with its references changed; it does not change value itself.
func rename(value any, references map[string]string) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if reference, isText := member.(string); isText && name == "$ref" && references[reference] != "" {
				member = references[reference]
			}
			out[name] = rename(member, references)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, entry := range v {
			out[i] = rename(entry, references)
		}
		return out
	}
	return value
}

// answers maps the id of each operation to the reference of what it answers.
func answers(paths map[string]any) map[string]string {
	found := map[string]string{}
	for _, item := range paths {
		for _, operation := range object(item) {
			id, _ := object(operation)["operationId"].(string)
			success := object(object(object(operation)["responses"])["200"])
			schema := object(object(object(success["content"])["application/json"])["schema"])
			if reference, isReference := schema["$ref"].(string); isReference && id != "" {
				found[id] = reference
			}
		}
	}
	return found
}

// refer puts the reference to an operation's answer where a part could only name the operation, because another service
// has it. While that service has never been read, the mark stays, and the schema is that of any object.
func refer(value any, answers map[string]string) any {
	switch v := value.(type) {
	case map[string]any:
		if operation, marked := v[transport.ObjectOfMark].(string); marked && answers[operation] != "" {
			return map[string]any{"$ref": answers[operation]}
		}
		for name, member := range v {
			v[name] = refer(member, answers)
		}
	case []any:
		for i, entry := range v {
			v[i] = refer(entry, answers)
		}
	}
	return value
}

// secured adds what the gateway adds to every operation.
func secured(item any) any {
	for method, operation := range object(item) {
		described, isOperation := operation.(map[string]any)
		if !isOperation || described["responses"] == nil {
			continue
		}
		if described["security"] == nil {
			described["security"] = []any{map[string]any{"api_key": []any{}}}
		}
		object(item)[method] = described
	}
	return item
}

func collectTags(item any, tags map[string]bool) {
	for _, operation := range object(item) {
		list, _ := object(operation)["tags"].([]any)
		for _, tag := range list {
			if name, isText := tag.(string); isText {
				tags[name] = true
			}
		}
	}
}

func object(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}
