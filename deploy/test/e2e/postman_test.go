package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ams.internal/deploy/devstack/testtools"
)

// TestThePostmanCollectionRunsAsItIsImported sends, with Postman's own runner, every GET of the collection that needs no id.
func TestThePostmanCollectionRunsAsItIsImported(t *testing.T) {
	whole, err := os.ReadFile("../../clients/postman.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(whole) > 1_000_000 {
		t.Errorf("the collection has %d bytes", len(whole))
	}
	var collection map[string]any
	if err := json.Unmarshal(whole, &collection); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, folder := range collection["item"].([]any) {
		requests := []any{} // null would be a request
		for _, item := range folder.(map[string]any)["item"].([]any) {
			request := item.(map[string]any)["request"].(map[string]any)
			address := request["url"].(map[string]any)
			ofDeclaration := strings.Contains(fmt.Sprint(address["raw"]), "/custom-fields/exceptions") // of a key that was declared
			if request["method"] == "GET" && address["variable"] == nil && !ofDeclaration {
				requests = append(requests, item)
			}
		}
		folder.(map[string]any)["item"] = requests
		kept += len(requests)
	}
	if kept < 30 {
		t.Fatalf("only %d requests need no id", kept)
	}
	gets, err := json.Marshal(collection)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file, report := filepath.Join(folder, "collection.json"), filepath.Join(folder, "report.json")
	if err := os.WriteFile(file, gets, 0o600); err != nil {
		t.Fatal(err)
	}
	newman := testtools.NodePackagesOf("../document")(t)
	anne := fresh(t, city)
	theOne(t, anne, kindOf(t, "fiscal_year"))
	year := anne.create(t, "/v1/accounting/fiscal-years", map[string]any{"fiscal_year": 2026}) // that the examples ask for reports of
	t.Cleanup(func() { anne.must(t, 204, "DELETE", "/v1/accounting/fiscal-years/"+year, nil) })
	command := newman.Command(t, filepath.Join(newman.Package("newman"), "bin", "newman.js"), "run", file, "--env-var", "base_url="+anne.base,
		"--env-var", "key="+anne.key, "--reporters", "json", "--reporter-json-export", report)
	out, failed := command.CombinedOutput()
	content, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("%v %v\n%s", failed, err, out)
	}
	var result struct {
		Run struct {
			Failures []struct {
				Source struct{ Name string }
				Error  struct{ Message string }
			}
			Executions []struct {
				Item     struct{ Name string }
				Response struct{ Code int }
			}
		}
	}
	if err := json.Unmarshal(content, &result); err != nil {
		t.Fatal(err)
	}
	if failed != nil || len(result.Run.Failures) > 0 {
		t.Errorf("%v: %v", failed, result.Run.Failures)
	}
	if len(result.Run.Executions) != kept {
		t.Errorf("%d of %d requests were sent", len(result.Run.Executions), kept)
	}
	for _, sent := range result.Run.Executions {
		if sent.Response.Code != 200 {
			t.Errorf("%s: %d", sent.Item.Name, sent.Response.Code)
		}
	}
}
