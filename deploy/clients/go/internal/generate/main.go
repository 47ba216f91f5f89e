// Command generate writes the record types of package ams from the OpenAPI document: "make clients" runs it in the module's folder.
//
// The types are made by oapi-codegen, in the version of deploy/tools/oapi-codegen. Patches are made apart from the others, with fields that
// can say absent, null and value. The document goes to it without what is no type: paths, webhooks, and null among the values of an
// enumeration, which it would give a name.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Below the module's folder, where this runs.
const (
	document  = "../openapi.json"
	generator = "../../tools/oapi-codegen"
)

// What package ams has types of its own for, or no use: answers around records are generic there, and events are of one type.
var (
	ownTypes    = []string{"Error", "Pagination", "BulkRowResult", "BulkSummary", "FieldProblem", "FeedEvent", "EventEnvelope"}
	ownSuffixes = []string{"List", "BulkCreate", "BulkPatch", "BulkDelete", "BulkDeleteRow", "BulkResult"}
	// Of lists of values: of those that only parameters have, whose types are texts here.
	ownLists = []string{"Expansion", "Field", "Sort", "OrNull", "EventType", "GroupBy"}
)

// renamed are types whose names in the document are those of something else in package ams.
var renamed = map[string]string{"Request": "ServiceRequest", "RequestWrite": "ServiceRequestWrite", "RequestPatch": "ServiceRequestPatch"}

func own(name string, schema any) bool {
	ends := func(suffix string) bool { return strings.HasSuffix(name, suffix) }
	if described, _ := schema.(map[string]any); described["enum"] != nil && slices.ContainsFunc(ownLists, ends) {
		return true
	}
	return slices.Contains(ownTypes, name) || strings.HasSuffix(name, "Event") && name != "Event" ||
		slices.ContainsFunc(ownSuffixes, ends)
}

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func generate() (err error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	var described map[string]any
	if err := json.Unmarshal(text, &described); err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	described["paths"] = map[string]any{}
	delete(described, "webhooks")
	components, _ := described["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	if len(schemas) == 0 {
		return fmt.Errorf("%s has no schemas", document)
	}
	described["components"] = map[string]any{"schemas": schemas}
	withoutNull(described)
	for name, other := range renamed {
		if schema, found := schemas[name].(map[string]any); found {
			schema["x-go-name"] = other
		}
	}
	var patches, others, without []string
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		switch {
		case own(name, schemas[name]):
			without = append(without, name)
		case strings.HasSuffix(name, "Patch") || strings.HasSuffix(name, "PatchRow"):
			patches = append(patches, name)
		default:
			others = append(others, name)
		}
	}
	work, err := os.MkdirTemp("", "ams-generate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	reduced := filepath.Join(work, "openapi.json")
	if err := writeJSON(reduced, described); err != nil {
		return err
	}
	if err := run(reduced, filepath.Join(work, "types.json"), "types.gen.go", map[string]any{
		"exclude-schemas": slices.Concat(patches, without), "prefer-skip-optional-pointer-on-container-types": true,
	}); err != nil {
		return err
	}
	if err := run(reduced, filepath.Join(work, "patches.json"), "patches.gen.go", map[string]any{
		"exclude-schemas": slices.Concat(others, without), "nullable-type": true,
	}); err != nil {
		return err
	}
	return appendTo("patches.gen.go", "\n// api.go says what it is for.\ntype runMakeBuildFirst struct{}\n")
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func run(reduced, configuration, output string, options map[string]any) error {
	output, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	maps.Copy(options, map[string]any{
		"skip-prune": true, "skip-enum-validate": true, "name-normalizer": "ToCamelCaseWithInitialisms",
		"generate-types-for-anonymous-schemas": true,
		"type-mapping": map[string]any{"string": map[string]any{"formats": map[string]any{
			"uuid": map[string]string{"type": "string"}, "date": map[string]string{"type": "string"}, "email": map[string]string{"type": "string"},
		}}},
	})
	if err := writeJSON(configuration, map[string]any{ // JSON is YAML
		"package": "ams", "generate": map[string]bool{"models": true},
		"compatibility": map[string]bool{"always-prefix-enum-values": true, "disable-required-readonly-as-pointer": true},
		"output":        output, "output-options": options,
	}); err != nil {
		return err
	}
	command := exec.Command("go", "tool", "oapi-codegen", "-config", configuration, reduced)
	command.Dir, command.Env = generator, append(os.Environ(), "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("oapi-codegen: %w\n%s", err, out)
	}
	return nil
}

func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// withoutNull takes null out of enumerations: the type says it already.
func withoutNull(value any) {
	switch value := value.(type) {
	case map[string]any:
		if values, is := value["enum"].([]any); is {
			value["enum"] = slices.DeleteFunc(values, func(one any) bool { return one == nil })
		}
		for _, inner := range value {
			withoutNull(inner)
		}
	case []any:
		for _, inner := range value {
			withoutNull(inner)
		}
	}
}
