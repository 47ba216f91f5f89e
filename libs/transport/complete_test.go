package transport_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestAPartHasNotWhatEveryOperationHasAndACompletedOneHas(t *testing.T) {
	t.Parallel()
	api := transport.New(resourcetest.NewSigner(t), nil, slog.New(slog.DiscardHandler))
	transport.Post(api, transport.Operation{Path: "/v1/x", ID: "x", Scope: "x:write", Versioned: true},
		func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	recorder := httptest.NewRecorder()
	api.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/internal/openapi.json", nil))
	part := recorder.Body.String()
	every := []string{`"401":{"$ref":"#/components/responses/Unauthorized"}`, `"503":{"$ref":"#/components/responses/ServiceUnavailable"}`,
		`"X-Request-Id":{"$ref":"#/components/headers/X-Request-Id"}`, `"Unauthorized":{"content"`, `"Retry-After":{"description"`}
	own := `"ETag":{"$ref":"#/components/headers/ETag"}`
	if slices.ContainsFunc(every, func(each string) bool { return strings.Contains(part, each) }) || !strings.Contains(part, own) {
		t.Errorf("the part is %s", part)
	}
	var document map[string]any
	if err := json.Unmarshal([]byte(part), &document); err != nil {
		t.Fatal(err)
	}
	transport.Complete(document)
	completed, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range append(every, own) {
		if !strings.Contains(string(completed), each) {
			t.Errorf("there is no %s in %s", each, completed)
		}
	}
}
