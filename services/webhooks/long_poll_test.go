package webhooks

import (
	"context"
	"encoding/json"
	"net/http"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/localport"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// longPoll requests the feed in the background.
func (f *fixture) longPoll(t *testing.T, query string) <-chan resourcetest.Response {
	t.Helper()
	answered := make(chan resourcetest.Response, 1)
	go func() { answered <- f.Do(t, "GET", "/v1/events"+query, nil) }()
	return answered
}

func waitFor(t *testing.T, answered <-chan resourcetest.Response) resourcetest.Response {
	t.Helper()
	select {
	case answer := <-answered:
		if answer.Status != 200 {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
		return answer
	case <-time.After(testTimeout):
		t.Fatal("who waits for events is not answered")
	}
	return resourcetest.Response{}
}

func TestALongPollIsAnsweredWhenSomethingHappens(t *testing.T) {
	f := newFixture(t)
	elsewhere := f.anotherInstance(t)
	_, end, _ := f.readFeed(t, "")
	for name, through := range map[string]*fixture{"in this process": f, "in another": elsewhere} {
		answered := f.longPoll(t, "?wait=30&after="+end)
		f.otherOrganization().relayEvents(t, incomingEvent{Type: "asset.created"}) // another organization's wakes nobody
		through.relayEvents(t, incomingEvent{Type: "user.created", Collection: "users"}, incomingEvent{Type: "asset.created"})
		answer := waitFor(t, answered)
		if data := answer.JSON["data"].([]any); len(data) != 2 {
			t.Errorf("%s: %s", name, answer.Body)
		}
		end = answer.JSON["next"].(string)
	}
	// Events that the key may not read are passed over while it waits.
	answered := f.withScopes("webhooks:read", "assets:read").longPoll(t, "?wait=30&after="+end)
	f.relayEvents(t, incomingEvent{Type: "user.created", Collection: "users"})
	f.relayEvents(t, incomingEvent{Type: "asset.deleted"})
	if data := waitFor(t, answered).JSON["data"].([]any); len(data) != 1 || data[0].(fields)["type"] != "asset.deleted" {
		t.Errorf("%v", data)
	}
}

func TestALongPollHoldsNoConnectionWhileItWaits(t *testing.T) {
	f := newFixture(t).singleConnection(t)
	_, end, _ := f.readFeed(t, "")
	var waiting []<-chan resourcetest.Response
	for range 5 {
		waiting = append(waiting, f.longPoll(t, "?wait=30&after="+end))
	}
	for range 20 { // each by the only connection, while the polls read again and again
		f.Must(t, 200, "GET", endpointsPath, nil)
	}
	f.relayEvents(t, incomingEvent{Type: "asset.created"})
	for _, answered := range waiting {
		if data := waitFor(t, answered).JSON["data"].([]any); len(data) != 1 {
			t.Errorf("%v", data)
		}
	}
}

func TestALongPollIsAnsweredWithNothingAfterItsTime(t *testing.T) {
	f := newFixture(t)
	f.relayEvents(t, incomingEvent{Type: "asset.created"})
	_, end, _ := f.readFeed(t, "")
	answer := waitFor(t, f.longPoll(t, "?wait=1&after="+end))
	if len(answer.JSON["data"].([]any)) != 0 || answer.JSON["next"] != end || answer.JSON["has_more"] != false {
		t.Errorf("%s", answer.Body)
	}
}

func TestALongPollDoesNotHoldUpTheEndOfTheProcess(t *testing.T) {
	f := newFixture(t)
	_, end, _ := f.readFeed(t, "")
	before := f.longPoll(t, "?wait=30&after="+end)
	f.service.feedWaiters.release()
	waitFor(t, before)
	waitFor(t, f.longPoll(t, "?wait=30&after="+end)) // one that comes while it ends does not wait either
	f.service.feedWaiters.release()
}

func TestALongPollEndsWithItsCaller(t *testing.T) {
	f := newFixture(t)
	_, end, _ := f.readFeed(t, "")
	ctx, hangUp := context.WithCancel(principal.Into(t.Context(), f.Principal))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = public{db: f.service.db, feedWaiters: f.service.feedWaiters}.readFeed(ctx, feedRequest{After: &end, Limit: 1, Wait: 30})
	}()
	hangUp()
	select {
	case <-ended:
	case <-time.After(testTimeout):
		t.Fatal("it goes on waiting")
	}
}

// On SIGTERM the program ends long polls with a response, and cuts off no request.
func TestSIGTERMIsNotHeldUpByALongPoll(t *testing.T) {
	f := newFixture(t)
	address := localport.ForTest(t)
	t.Setenv("AMS_LISTEN", address)
	program := f.startProcess(t)
	get := func(path string) (int, fields, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			return 0, nil, err
		}
		request.Header.Set(principal.Header, f.Signer.Sign(f.Principal))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, nil, err
		}
		defer response.Body.Close()
		var body fields
		err = json.NewDecoder(response.Body).Decode(&body)
		return response.StatusCode, body, err
	}
	testwait.For(t, testTimeout, "the program serves", func() bool {
		status, _, err := get("/v1/events")
		return err == nil && status == http.StatusOK
	})
	type reply struct {
		status int
		body   fields
		err    error
	}
	answered := make(chan reply, 1)
	go func() {
		status, body, err := get("/v1/events?wait=30")
		answered <- reply{status, body, err}
	}()
	time.Sleep(500 * time.Millisecond) // it waits by now; were it not there yet, it would be answered all the same
	if err := program.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := <-answered; got.err != nil || got.status != http.StatusOK || got.body["next"] == nil {
		t.Errorf("who waits is answered %+v", got)
	}
	<-program.ended
	if code := program.command.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the program ends with %d: somebody was cut off", code)
	}
}
