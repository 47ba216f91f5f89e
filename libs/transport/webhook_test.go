package transport_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestAWebhookStandsInTheDocument(t *testing.T) {
	t.Parallel()
	api := transport.New(resourcetest.NewSigner(t), nil, slog.New(slog.DiscardHandler))
	declared := transport.Webhook{
		Name: "site.created", Summary: "A site was created", Description: "Told once.", Tag: "events", Scope: "sites:read", Feature: "los",
		Headers: []transport.Parameter{{Name: "webhook-id", In: "header", Required: true, Description: "The event.",
			Schema: map[string]any{"type": "string"}}},
		Body:    map[string]any{"type": "object", "properties": map[string]any{"object": transport.ObjectOf("get_site")}},
		Example: json.RawMessage(`{"object":{}}`),
	}
	api.Webhook(declared)
	recorder := httptest.NewRecorder()
	api.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/internal/openapi.json", nil))
	var part map[string]any
	if err := json.Unmarshal(recorder.Body.Bytes(), &part); err != nil {
		t.Fatal(err)
	}
	part["info"] = map[string]any{"title": "A service", "version": "1"}
	whole, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	loader := openapi3.NewLoader()
	document, err := loader.LoadFromData(whole)
	if err == nil {
		err = document.Validate(loader.Context)
	}
	if err != nil {
		t.Fatalf("the document is not valid: %v", err)
	}
	call := document.Webhooks["site.created"].Post
	if call.OperationID != "on_site_created" || call.Extensions["x-scope"] != "sites:read" || call.Extensions["x-feature"] != "los" ||
		call.Tags[0] != "events" ||
		call.Parameters[0].Value.Name != "webhook-id" || !call.Parameters[0].Value.Required {
		t.Errorf("the webhook is documented as %+v", call)
	}
	if call.Security == nil || len(*call.Security) != 0 {
		t.Error("a call that we make must not seem to need a key of ours")
	}
	for _, status := range []string{"2XX", "410", "429", "503", "default"} {
		if call.Responses.Value(status) == nil {
			t.Errorf("it does not say what %s means", status)
		}
	}
	if !strings.Contains(recorder.Body.String(), `"x-object-of":"get_site"`) {
		t.Error("the object is not marked for the gateway")
	}
	defer func() {
		if recover() == nil {
			t.Error("a webhook can be declared twice")
		}
	}()
	api.Webhook(declared)
}

func TestADocumentWithoutWebhooksHasNoSuchSection(t *testing.T) {
	t.Parallel()
	client := server(t, t.Output())
	recorder := httptest.NewRecorder()
	client.Handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/internal/openapi.json", nil))
	if strings.Contains(recorder.Body.String(), `"webhooks"`) {
		t.Error("there is a section webhooks")
	}
}

// made is an output with a Location.
type made struct {
	Name string `json:"name"`
}

func (m made) Location() string { return "/v1/made/" + m.Name }

func TestWhatWasMadeSaysWhereItIs(t *testing.T) {
	t.Parallel()
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.DiscardHandler))
	transport.Post(api, transport.Operation{Path: "/v1/made", ID: "make", Scope: "things:write", Status: 201},
		func(context.Context, nothing) (made, error) { return made{"one"}, nil })
	response := resourcetest.NewClient(api.Handler(), signer).Must(t, 201, "POST", "/v1/made", nil)
	if got := response.Header.Get("Location"); got != "/v1/made/one" || response.JSON["name"] != "one" {
		t.Errorf("Location %q, %s", got, response.Body)
	}
}
