package webhooks

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func exampleMessage(payload string) message {
	sequence := int64(4711)
	return message{
		organizationID: "019a3c5e-0000-7000-8000-000000000001", id: "019a3c5e-0000-7000-8000-000000000002", eventType: "asset.updated",
		collection: "assets",
		recordID:   "019a3c5e-0000-7000-8000-000000000003", version: 7, sequence: &sequence,
		at: time.Date(2026, 5, 12, 12, 30, 0, 120000, time.UTC), payload: json.RawMessage(payload),
	}
}

const examplePayload = `{"data":{"object":{"id":"019a3c5e-0000-7000-8000-000000000003","name":"Pompe nº 2","version":7},` +
	`"changed":["name"],"previous":{"name":"Pompe"}},` +
	`"actor":{"type":"api_key","id":"019a3c5e-0000-7000-8000-000000000004","name":"BI – écriture"},` +
	`"origin":"api","bulk_id":null,"request_id":"r-1"}`

// What subscribers see is golden: it changes on purpose only.
func TestGoldenBodies(t *testing.T) {
	long := strings.Repeat("x", maxBody)
	test := exampleMessage(examplePayload)
	test.sequence = nil
	cloudEvent := func(payload, of string) []byte {
		_, body := shape{toHTTPS, formatCloudEvents, payload}.content(exampleMessage(of))
		return body
	}
	var got bytes.Buffer
	for _, row := range []struct {
		name string
		body []byte
	}{
		{"full", exampleMessage(examplePayload).body(false)},
		{"thin", exampleMessage(examplePayload).body(true)},
		{"a test", test.body(false)},
		{"too long for its object", exampleMessage(strings.Replace(examplePayload, "Pompe nº 2", long, 1)).body(false)},
		{"too long for its former values too", exampleMessage(strings.Replace(strings.Replace(examplePayload, "Pompe nº 2", long, 1), `"Pompe"`,
			`"`+long+`"`, 1)).body(false)},
		{"a CloudEvent", cloudEvent("full", examplePayload)},
		{"a thin CloudEvent", cloudEvent("thin", examplePayload)},
		{"a CloudEvent that is too long for its object", cloudEvent("full", strings.Replace(examplePayload, "Pompe nº 2",
			strings.Repeat("x", maxBody-len(cloudEvent("full", examplePayload))+len("Pompe nº 2")+1), 1))},
	} {
		if len(row.body) > maxBody {
			t.Errorf("%s has %d bytes", row.name, len(row.body))
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, row.body, "", "  "); err != nil {
			t.Fatalf("%s: %v: %s", row.name, err, row.body)
		}
		got.WriteString("// " + row.name + "\n" + indented.String() + "\n")
	}
	golden := filepath.Join("testdata", "bodies.txt")
	if os.Getenv("AMS_GOLDEN") == "write" {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the bodies have changed; AMS_GOLDEN=write writes them anew:\n%s", got.String())
	}
}

// A body of exactly the maximum length is sent whole, one that is a byte longer is not.
func TestTheObjectIsLeftOutAboveTheLimitOnly(t *testing.T) {
	short := len(exampleMessage(examplePayload).body(false))
	for more, whole := range map[int]bool{0: true, 1: false} {
		body := exampleMessage(strings.Replace(examplePayload, "Pompe nº 2", "Pompe nº 2"+strings.Repeat("x", maxBody-short+more), 1)).body(false)
		var event struct {
			Truncated bool
			Data      struct{ Object *struct{} }
		}
		if err := json.Unmarshal(body, &event); err != nil || event.Truncated == whole ||
			(event.Data.Object != nil) != whole || len(body) > maxBody {
			t.Errorf("%d bytes more: %+v %v", more, event, err)
		}
	}
}
