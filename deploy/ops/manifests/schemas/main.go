// Command schemas makes the JSON schemas that kubeconform reads out of the description that Kubernetes publishes of its own API: one
// complete file for each kind, in which an unknown field is an error.
//
//	schemas swagger.json folder
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const prefix = "#/definitions/"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: schemas swagger.json folder")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(swagger, folder string) error {
	text, err := os.ReadFile(swagger)
	if err != nil {
		return err
	}
	var document struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	for _, definition := range document.Definitions {
		if definition["properties"] != nil && definition["additionalProperties"] == nil {
			definition["additionalProperties"] = false
		}
	}
	// What may be a number or a text says so in its format only.
	document.Definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"] = map[string]any{"type": []string{"string", "integer"}}
	document.Definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"] = map[string]any{"type": []string{"string", "number"}}
	for name, definition := range document.Definitions {
		kinds, ok := definition["x-kubernetes-group-version-kind"].([]any)
		if !ok {
			continue
		}
		reached := map[string]map[string]any{}
		reach(document.Definitions, name, reached)
		for _, each := range kinds {
			kind := each.(map[string]any)
			version := kind["version"].(string)
			if group, _, _ := strings.Cut(kind["group"].(string), "."); group != "" {
				version = group + "-" + version
			}
			whole := map[string]any{"$ref": prefix + name, "definitions": reached}
			content, err := json.Marshal(whole)
			if err != nil {
				return err
			}
			file := strings.ToLower(fmt.Sprintf("%s-%s.json", kind["kind"], version))
			if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// reach collects a definition and all that it leads to.
func reach(all map[string]map[string]any, name string, reached map[string]map[string]any) {
	if reached[name] != nil || all[name] == nil {
		return
	}
	reached[name] = all[name]
	var follow func(value any)
	follow = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			if reference, ok := value["$ref"].(string); ok {
				reach(all, strings.TrimPrefix(reference, prefix), reached)
			}
			for _, each := range value {
				follow(each)
			}
		case []any:
			for _, each := range value {
				follow(each)
			}
		}
	}
	for _, value := range all[name] {
		follow(value)
	}
}
