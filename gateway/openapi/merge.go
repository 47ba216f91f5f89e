package openapi

import (
	"encoding/json"
	"log/slog"
	"maps"
	"reflect"
	"slices"

	"ams.internal/libs/transport"
)

// Merge adds the services' parts to the gateway's own document and gives its views.
func Merge(config Config, parts map[string][]byte, log *slog.Logger) Views {
	return newViews(merge(ownDocument(config.BaseURL, config.Region), parts, config.Owner, log))
}

// merge gives the whole document. owner is the service that a path leads to: a service documents its own paths only.
func merge(whole map[string]any, parts map[string][]byte, owner func(path string) string, log *slog.Logger) map[string]any {
	paths, components := whole["paths"].(map[string]any), whole["components"].(map[string]any)
	webhooks := map[string]any{}
	for _, service := range slices.Sorted(maps.Keys(parts)) {
		var part map[string]any
		if err := json.Unmarshal(parts[service], &part); err != nil {
			log.Warn("the OpenAPI part of a service is no object; it is left out", "about_service", service, "error", err)
			continue
		}
		transport.Complete(part)
		renamed := addComponents(components, service, part)
		for path, item := range object(part["paths"]) {
			if owner(path) != service {
				log.Warn("a service documents a path that is not routed to it; it is left out", "about_service", service, "path", path)
				continue
			}
			paths[path] = rename(item, renamed)
		}
		for name, item := range object(part["webhooks"]) {
			if webhooks[name] != nil {
				log.Warn("two services document a webhook of one name; the second is left out", "about_service", service, "webhook", name)
				continue
			}
			webhooks[name] = rename(item, renamed)
		}
	}
	components["schemas"] = refer(components["schemas"], responses(paths))
	if len(webhooks) > 0 {
		whole["webhooks"] = refer(webhooks, responses(paths))
		completeExamples(webhooks, components)
	}
	return whole
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
// has it. While that service has never been read, the schema is that of any object.
func refer(value any, responses map[string]string) any {
	switch v := value.(type) {
	case map[string]any:
		if operation, marked := v[transport.ObjectOfKeyword].(string); marked && responses[operation] != "" {
			return map[string]any{"$ref": responses[operation]}
		} else if marked {
			return map[string]any{"type": "object"}
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
