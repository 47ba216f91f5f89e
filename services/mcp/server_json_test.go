package mcp

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// server.json is what a registry of MCP servers is told. Its schema is the one that registry.modelcontextprotocol.io publishes, as the
// module github.com/modelcontextprotocol/registry has it in v1.8.9 (MIT and Apache 2.0).
func TestServerJSONIsAsTheRegistryHasIt(t *testing.T) {
	read := func(name string, into any) {
		t.Helper()
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var published jsonschema.Schema
	var document map[string]any
	read("testdata/server.schema.json", &published)
	read("server.json", &document)
	resolved, err := published.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(document); err != nil {
		t.Error(err)
	}
	if document["$schema"] != published.ID || document["version"] != version {
		t.Errorf("it is of %v by %v, and the server of %s by %s", document["version"], document["$schema"], version, published.ID)
	}
	remote := document["remotes"].([]any)[0].(map[string]any)
	described := map[string]string{}
	for _, each := range remote["headers"].([]any) {
		header := each.(map[string]any)
		described[header["name"].(string)] = header["description"].(string)
	}
	if !strings.HasSuffix(described[toolsetsHeader], ": "+strings.Join(toolsets, ", ")) || described[readOnlyHeader] == "" {
		t.Errorf("the headers are %v", described)
	}
	delete(remote, "url") // so that the schema is known to be looked at
	if resolved.Validate(document) == nil {
		t.Error("a remote without an address is taken")
	}
}
