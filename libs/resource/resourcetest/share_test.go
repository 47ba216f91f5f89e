package resourcetest_test

import (
	"context"
	"testing"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

// What a test says to the other services is for its own organizations, and for the others of its client.
func TestOtherServicesAnswerEachTestAsItSays(t *testing.T) {
	signer := resourcetest.NewSigner(t)
	shared := &resourcetest.Shared{Client: resourcetest.NewClient(nil, signer), Peers: resourcetest.NewPeers(t, signer)}
	shared.Peers.Respond("/internal/greeting", map[string]string{"text": "to all"})
	ask := func(client *resourcetest.Client) (string, error) {
		var found struct {
			Text string `json:"text"`
		}
		ctx := principal.Into(context.Background(), client.Principal)
		err := shared.Peers.References.PostRepeatable(ctx, "los", "/internal/greeting", struct{}{}, &found)
		return found.Text, err
	}
	var ended *resourcetest.Client
	t.Run("a test", func(t *testing.T) {
		one, peers := shared.Share(t)
		other, _ := shared.Share(t)
		peers.Respond("/internal/greeting", map[string]string{"text": "to one"})
		peers.Keep("sites", reference.Entry{ID: "x"})
		for client, want := range map[*resourcetest.Client]string{
			one: "to one", one.Other(): "to one", one.Sandbox(): "to one", other: "to all", shared.Client: "to all",
		} {
			if got, err := ask(client); got != want || err != nil {
				t.Errorf("%q, want %q: %v", got, want, err)
			}
		}
		if got := peers.Requests("/internal/greeting"); got != 3 {
			t.Errorf("the test counts %d requests", got)
		}
		ended = one
	})
	if got, err := ask(ended); err == nil || fault.From(err).Kind != fault.KindNotFound {
		t.Errorf("after its test, an organization is told %q: %v", got, err)
	}
}
