package webhooks

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ams.internal/libs/domain/catalogue"
)

// The ids in examples. They exist nowhere.
const (
	exampleOrganization = "019a3c5e-0000-7000-8000-000000000001"
	exampleRecord       = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"
	exampleEvent        = "019a3c61-52fe-7b0a-8c1d-6f1e0b9d7a42"
)

var exampleTime = time.Date(2026, 5, 12, 14, 3, 7, 123456000, time.UTC)

// exampleOf gives an example of a type of event. Its object has the fields of every record; those of each kind of record are in
// the OpenAPI document.
func exampleOf(t catalogue.EventType) message {
	sequence := int64(20417)
	m := message{organizationID: exampleOrganization, id: exampleEvent, eventType: t.Name, collection: t.Collection, recordID: exampleRecord,
		version: 7, sequence: &sequence, at: exampleTime}
	object, changed, previous := exampleRecordJSON(7), `["tags"]`, `{"tags":[]}`
	switch verb := t.Name[strings.LastIndexByte(t.Name, '.')+1:]; {
	case t.Name == "import.completed":
		m.collection, m.version = "assets", 1
		object = `{"import_id":"` + exampleRecord + `","file_name":"assets.csv","created":1200,"updated":35,"unchanged":4,"rejected":2}`
		changed, previous = "[]", "{}"
	case t.Name == thresholdType:
		object, changed, previous = `{"percent":80,"used":4294967296,"limit":5368709120}`, "[]", "{}"
	case t.Name == testType:
		m.version, m.sequence = 1, nil
		object, changed, previous = testObject(exampleRecord), "[]", "{}"
	case verb == "created":
		m.version, object, previous = 1, exampleRecordJSON(1), `{"tags":null}`
	case verb == "deleted":
		m.version = 8
		changed, previous = `["tags"]`, `{"tags":["toiture"]}`
	}
	m.payload = payload(object, changed, previous, `{"type":"api_key","id":"019a3c5e-1111-7000-8000-000000000002","name":"GIS mirror"}`, "api",
		"019a3c61-52fe-7b0a-8c1d-000000000003")
	return m
}

func exampleRecordJSON(version int) string {
	actor := `{"type":"api_key","id":"019a3c5e-1111-7000-8000-000000000002","name":"GIS mirror"}`
	return fmt.Sprintf(`{"id":%q,"external_id":"SAP-10023","custom_fields":{},"tags":["toiture"],"version":%d,`+
		`"created_at":"2026-05-12T14:03:07.123456Z","updated_at":"2026-05-12T14:03:07.123456Z","created_by":%s,"updated_by":%s}`,
		exampleRecord, version, actor, actor)
}

// testObject is the object of a test: the endpoint that it goes to.
func testObject(endpointID string) string {
	return `{"id":"` + endpointID + `","message":"This is a test. Nothing has changed."}`
}

// payload gives an event's payload as services write it, in the order in which it is sent.
func payload(object, changed, previous, actor, origin, requestID string) json.RawMessage {
	request, err := json.Marshal(requestID)
	if err != nil {
		panic(err) // a string: cannot fail
	}
	if requestID == "" {
		request = []byte("null")
	}
	return json.RawMessage(`{"data":{"object":` + object + `,"changed":` + changed + `,"previous":` + previous + `},"actor":` + actor +
		`,"origin":"` + origin + `","bulk_id":null,"request_id":` + string(request) + `}`)
}
