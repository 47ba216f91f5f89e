package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Postman makes a Postman collection (v2.1) of the document for makers of clients: a folder for each tag, with the requests that it has.
// Lists work as imported, because their parameters are switched off until somebody wants them; bodies have what a record must have.
func Postman(clients []byte) ([]byte, error) {
	var document map[string]any
	if err := json.Unmarshal(clients, &document); err != nil {
		return nil, err
	}
	folders := map[string][]any{}
	for _, path := range slices.Sorted(maps.Keys(object(document["paths"]))) {
		item := object(object(document["paths"])[path])
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if operation := object(item[method]); operation != nil {
				for _, tag := range list(operation["tags"]) {
					name, _ := tag.(string)
					folders[name] = append(folders[name], postmanRequest(document, path, method, operation))
				}
			}
		}
	}
	var items []any
	for _, tag := range list(document["tags"]) {
		name := object(tag)["name"].(string)
		items = append(items, map[string]any{"name": name, "description": object(tag)["description"], "item": folders[name]})
	}
	return json.Marshal(map[string]any{
		"info": map[string]any{
			"name": object(document["info"])["title"], "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
			"description": "Set the variables base_url and key. Parameters are switched off; switch on what you want.",
		},
		"auth": map[string]any{"type": "bearer", "bearer": []any{map[string]any{"key": "token", "value": "{{key}}", "type": "string"}}},
		"variable": []any{map[string]any{"key": "base_url", "value": object(list(document["servers"])[0])["url"]},
			map[string]any{"key": "key", "value": ""}},
		"item": items,
	})
}

func postmanRequest(document map[string]any, path, method string, operation map[string]any) any {
	url := map[string]any{"host": []string{"{{base_url}}"}, "raw": "{{base_url}}" + strings.NewReplacer("{", ":", "}", "").Replace(path)}
	var segments []string
	var variables, query, headers []any
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if name, isVariable := strings.CutPrefix(segment, "{"); isVariable {
			segment = ":" + strings.TrimSuffix(name, "}")
			variables = append(variables, map[string]any{"key": segment[1:], "value": ""})
		}
		segments = append(segments, segment)
	}
	for _, parameter := range list(operation["parameters"]) {
		p := component(document, object(parameter))
		if p["in"] != "query" || !worthShowing(p) {
			continue
		}
		shown := map[string]any{"key": p["name"], "value": exampleValue(document, p)}
		if p["required"] != true {
			shown["disabled"] = true
		}
		query = append(query, shown)
	}
	url["path"] = segments
	request := map[string]any{"method": strings.ToUpper(method), "url": url}
	if variables != nil {
		url["variable"] = variables
	}
	if query != nil {
		url["query"] = query
	}
	if schema := object(object(object(object(operation["requestBody"])["content"])["application/json"])["schema"]); schema != nil {
		body, err := json.Marshal(Example(schema, object(document["components"])))
		if err == nil {
			request["body"] = map[string]any{"mode": "raw", "raw": string(body)}
			headers = append(headers, map[string]any{"key": "Content-Type", "value": "application/json"})
		}
	}
	if headers != nil {
		request["header"] = headers
	}
	return map[string]any{"name": operation["summary"], "request": request}
}

// worthShowing leaves the filters of single fields out, of which a list may have eighty: the reference has them.
func worthShowing(parameter map[string]any) bool {
	common := []string{"page", "per_page", "cursor", "sort", "fields", "expand", "q", "updated_since", "external_id", "ids", "status",
		"site_id", "atomic", "on_conflict"}
	return parameter["required"] == true || slices.Contains(common, parameter["name"].(string))
}

func exampleValue(document, parameter map[string]any) string {
	value := parameter["example"]
	if value == nil {
		schema := object(parameter["schema"])
		if value = schema["default"]; value == nil {
			value = Example(schema, object(document["components"]))
		}
	}
	var parts []string
	for _, each := range list(value) {
		parts = append(parts, text(each))
	}
	if parts != nil {
		return strings.Join(parts, ",")
	}
	return text(value)
}

// text is a value as a query has it; nothing for what has no example.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case nil, []any, map[string]any:
		return ""
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(encoded)
}

// resolved follows a reference to a component.
func component(document, described map[string]any) map[string]any {
	reference, isText := described["$ref"].(string)
	if !isText {
		return described
	}
	kind, name, _ := strings.Cut(strings.TrimPrefix(reference, "#/components/"), "/")
	return object(object(object(document["components"])[kind])[name])
}
