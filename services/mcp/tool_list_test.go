package mcp

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// goldenList is the tool list of a caller with all permissions. make golden writes it.
const goldenList = "testdata/tools.json"

func wholeList(t *testing.T) []byte {
	t.Helper()
	list := []any{}
	for _, each := range tools {
		list = append(list, each.definition())
	}
	return encodeJSON(map[string]any{"tools": list})
}

func TestGoldenToolList(t *testing.T) {
	var got bytes.Buffer
	if err := json.Indent(&got, wholeList(t), "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if os.Getenv("AMS_GOLDEN") == "write" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenList, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenList)
	if err != nil {
		t.Fatalf("%v (make golden writes it)", err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the tools differ from %s: if that is meant, run make golden and say so in CHANGELOG.md", goldenList)
	}
}

// charactersPerToken is the least length of a token of JSON like this. Measured on the list of version 2.14.0: 4.05 with
// OpenAI's o200k_base, 3.90 with the tokenizer that Anthropic has published.
const charactersPerToken = 3.8

func TestTheListCostsFewTokens(t *testing.T) {
	list := wholeList(t)
	if tokens := float64(utf8.RuneCount(list)) / charactersPerToken; tokens >= 10_000 {
		t.Errorf("the list costs about %.0f tokens (%d characters)", tokens, utf8.RuneCount(list))
	} else {
		t.Logf("about %.0f tokens", tokens)
	}
	f := newToolFixture(t)
	sent, _ := f.list(fullCaller)
	if sent > len(list)+300 { // with serverInfo, which assistants do not read
		t.Errorf("a client gets %d bytes for a list of %d", sent, len(list))
	}
}

// list requests the tool list as a raw client does, and returns the size of the response and the names.
func (f *toolFixture) list(as caller) (int, []string) {
	f.t.Helper()
	f.caller = as
	status, _, message := f.post(protocols[0], "tools/list", nil)
	if status != 200 {
		f.t.Fatalf("%d %v", status, message)
	}
	var names []string
	for _, each := range at(message, "result")["tools"].([]any) {
		names = append(names, each.(map[string]any)["name"].(string))
	}
	return len(encodeJSON(message)) - 100, names
}

func TestEveryToolSaysAllOfItself(t *testing.T) {
	f := newToolFixture(t)
	_, _, message := f.post(protocols[0], "tools/list", nil)
	for _, each := range at(message, "result")["tools"].([]any) {
		listed := each.(map[string]any)
		hints := at(listed, "annotations")
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, isBool := hints[hint].(bool); !isBool {
				t.Errorf("%s: %s is %v", listed["name"], hint, hints[hint])
			}
		}
		if hints["title"] == "" || listed["description"] == "" || listed["outputSchema"] == nil ||
			at(listed, "inputSchema")["additionalProperties"] != false {
			t.Errorf("%s lacks something: %v", listed["name"], listed)
		}
		if hints["readOnlyHint"] == true && (hints["destructiveHint"] == true || hints["idempotentHint"] == false) {
			t.Errorf("%s reads, and its hints are %v", listed["name"], hints)
		}
	}
}

// A second equal POST writes again, be it later: a client must not repeat it unasked.
func TestOnlyChangesOfARecordCanBeRepeated(t *testing.T) {
	for _, each := range tools {
		harmless := !each.writes || strings.HasPrefix(each.operations[0], "PATCH ")
		if hint := each.definition().Annotations.IdempotentHint; hint != harmless {
			t.Errorf("%s: idempotentHint is %v", each.name, hint)
		}
	}
}

func TestNothingCanBeDeletedAndNoKeysWebhooksOrUsersChanged(t *testing.T) {
	for _, each := range tools {
		for _, operation := range each.operations {
			if strings.HasPrefix(operation, "DELETE") || strings.Contains(operation, "webhook") || strings.Contains(operation, "key") ||
				each.writes && strings.Contains(operation, "/v1/users") {
				t.Errorf("%s uses %s", each.name, operation)
			}
		}
	}
	if len(tools) != 30 || !slices.IsSortedFunc(tools, func(a, b *tool) int { return order(a.writes) - order(b.writes) }) {
		t.Errorf("there are %d tools, or they are not in order", len(tools))
	}
}

func order(writes bool) int {
	if writes {
		return 1
	}
	return 0
}

func TestTheDocumentationNamesEveryTool(t *testing.T) {
	content, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range tools {
		if !strings.Contains(string(content), "`"+each.name+"`") {
			t.Errorf("docs/mcp.md does not name %s", each.name)
		}
	}
	changes, err := os.ReadFile("CHANGELOG.md")
	if err != nil || !strings.Contains(string(changes), "## ["+version+"]") {
		t.Errorf("CHANGELOG.md does not speak of %s: %v", version, err)
	}
}
