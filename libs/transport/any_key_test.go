package transport_test

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestAnOperationForAnyKeyNeedsNoScope(t *testing.T) {
	t.Parallel()
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, nil, slog.New(slog.DiscardHandler))
	type query struct {
		Word string `query:"word" required:"true" doc:"To be repeated."`
	}
	type echo struct {
		Word string `json:"word"`
	}
	repeat := func(_ context.Context, in query) (echo, error) { return echo(in), nil }
	transport.Get(api, transport.Operation{Path: "/v1/echo", ID: "echo", AnyKey: true, Summary: "Repeat a word"}, repeat)
	client := resourcetest.NewClient(api.Handler(), signer)
	client.Principal.Scopes = nil
	if answer := client.Must(t, 200, "GET", "/v1/echo?word=a", nil); answer.JSON["word"] != "a" {
		t.Errorf("%s", answer.Body)
	}
	if answer := client.Must(t, 400, "GET", "/v1/echo", nil); !slices.Equal(answer.Fields(), []string{"word"}) {
		t.Errorf("without what is required: %s", answer.Body)
	}
	client.Must(t, 401, "GET", "/v1/echo?word=a", nil, principal.Header, "")
	document := string(client.Do(t, http.MethodGet, "/internal/openapi.json", nil).Body)
	if strings.Contains(document, "x-scope") || !strings.Contains(document, `"required":true`) {
		t.Errorf("%s", document)
	}
	defer func() {
		if reason, _ := recover().(string); !strings.Contains(reason, "declares no scope") {
			t.Errorf("an operation that says nothing about scopes: %q", reason)
		}
	}()
	transport.Get(api, transport.Operation{Path: "/v1/secrets", ID: "secrets", Summary: "Show secrets"}, repeat)
}
