package openapi

import (
	"encoding/json"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"

	"ams.internal/libs/transport"
)

// merge adds the services' parts to the gateway's own document and gives the whole as JSON. owner is the service that a path
// leads to: a service documents its own paths only.
func merge(whole map[string]any, parts map[string][]byte, owner func(path string) string, log *slog.Logger) []byte {
	paths, components := whole["paths"].(map[string]any), whole["components"].(map[string]any)
	tags, webhooks := map[string]bool{"me": true}, map[string]any{}
	for _, service := range slices.Sorted(maps.Keys(parts)) {
		var part map[string]any
		if err := json.Unmarshal(parts[service], &part); err != nil {
			log.Warn("the OpenAPI part of a service is no object; it is left out", "service", service, "error", err)
			continue
		}
		renamed := addComponents(components, service, part)
		for path, item := range object(part["paths"]) {
			if owner(path) != service {
				log.Warn("a service documents a path that is not routed to it; it is left out", "service", service, "path", path)
				continue
			}
			paths[path] = rename(item, renamed)
			collectTags(item, tags)
		}
		for name, item := range object(part["webhooks"]) {
			if webhooks[name] != nil {
				log.Warn("two services document a webhook of one name; the second is left out", "service", service, "webhook", name)
				continue
			}
			webhooks[name] = rename(item, renamed)
			collectTags(item, tags)
		}
	}
	if len(webhooks) > 0 {
		whole["webhooks"] = refer(webhooks, responses(paths))
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
	return encoded
}

// addComponents takes over a part's components. One that is called like a different one of another service gets the
// service's name before its own; what is returned maps the references that change by that.
func addComponents(components map[string]any, service string, part map[string]any) map[string]string {
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

// responses maps the id of each operation to the reference of its response.
func responses(paths map[string]any) map[string]string {
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

// refer puts the reference to an operation's response where a part could only name the operation, because another service
// has it. While that service has never been read, the mark stays, and the schema is that of any object.
func refer(value any, responses map[string]string) any {
	switch v := value.(type) {
	case map[string]any:
		if operation, marked := v[transport.ObjectOfKeyword].(string); marked && responses[operation] != "" {
			return map[string]any{"$ref": responses[operation]}
		}
		for name, member := range v {
			v[name] = refer(member, responses)
		}
	case []any:
		for i, entry := range v {
			v[i] = refer(entry, responses)
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
