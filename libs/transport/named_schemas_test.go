package transport

import (
	"encoding/json"
	"strings"
	"testing"
)

const unnamed = `{"components":{"schemas":{
	"Thing":{"type":"object","properties":{"status":{"type":"string","enum":["open","done"],"description":"How far it is."},
		"size":{"type":["string","null"],"enum":["small","large",null]},"priority":{"type":"string","enum":["urgent","high","medium","low"]},
		"parts":{"type":"array","items":{"type":"object","properties":{"weight":{"type":"number"}}}}}},
	"ThingWrite":{"type":"object","properties":{"status":{"type":["string","null"],"enum":["open","done",null],"default":"open"},
		"parts":{"type":["array","null"],"items":{"type":"object","additionalProperties":false,"properties":{"weight":{"type":"number"}}}}}},
	"ThingTransition":{"type":"object","properties":{"to":{"type":"string","enum":["open","done"]}}}}},
	"paths":{"/v1/things":{"get":{"operationId":"list_things","parameters":[
		{"name":"status","in":"query","schema":{"type":"array","items":{"type":"string","enum":["open","done"]}}},
		{"name":"size","in":"query","schema":{"type":"array","items":{"type":"string","enum":["small","large","null"]}}}],
		"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ThingList"}}}}}}}}}`

func TestAListOfValuesIsOneComponentInRecordsBodiesAndParameters(t *testing.T) {
	var given map[string]any
	if err := json.Unmarshal([]byte(unnamed), &given); err != nil {
		t.Fatal(err)
	}
	named := string(WithNames(given))
	for _, want := range []string{
		`"ThingStatus":{"enum":["open","done"],"type":"string"}`,
		`"status":{"$ref":"#/components/schemas/ThingStatus","description":"How far it is."}`,
		`"status":{"anyOf":[{"$ref":"#/components/schemas/ThingStatus"},{"type":"null"}],"default":"open"}`,
		`"to":{"$ref":"#/components/schemas/ThingStatus"}`,
		`"items":{"$ref":"#/components/schemas/ThingStatus"},"type":"array"`,
		`"size":{"anyOf":[{"$ref":"#/components/schemas/ThingSize"},{"type":"null"}]}`,
		`"ThingSizeOrNull":{"enum":["small","large","null"],"type":"string"}`,
		`"priority":{"$ref":"#/components/schemas/Priority"}`,
		`"ThingPart":{"properties":{"weight":{"type":"number"}},"type":"object"}`,
		`"items":{"$ref":"#/components/schemas/ThingPart"},"type":["array","null"]`,
	} {
		if !strings.Contains(named, want) {
			t.Errorf("there is no %s in %s", want, named)
		}
	}
	if n := strings.Count(named, `"enum"`); n != 4 {
		t.Errorf("there are %d lists of values in %s", n, named)
	}
}
