package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

// sends gives a function that sends a body for an organization to an operation that does work with it.
func sends(work func(body []byte)) func(ctx context.Context, organization string, body io.Reader) error {
	api := New(nil, nil, nil)
	do := api.inTurn(func(_ context.Context, request any) (any, error) {
		work(request.(*Request).Body)
		return nil, nil
	})
	op := Operation{Method: http.MethodPost, MaxBody: MaxBulkBody}
	return func(ctx context.Context, organization string, body io.Reader) error {
		ctx, ended := context.WithCancel(ctx)
		defer ended()
		ctx = principal.Into(ctx, principal.Principal{OrganizationID: organization})
		request, err := readRequest(httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/sites/bulk", body), &op)
		if err != nil {
			return err
		}
		_, err = do(ctx, request)
		return err
	}
}

func TestALargeBodyIsGivenWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, largeBody - 1, largeBody, largeBody + 1, MaxBulkBody} {
		sent := make([]byte, size)
		for i := range sent {
			sent[i] = byte(i ^ i>>8 ^ i>>16)
		}
		var got []byte
		send := sends(func(body []byte) { got = body })
		if err := send(t.Context(), "a", bytes.NewReader(sent)); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d bytes: %v; %d of them arrived, or other ones", size, err, len(got))
		}
	}
	send := sends(func([]byte) { t.Error("a body that is too large was given") })
	var refusal *fault.Error
	if err := send(t.Context(), "a", bytes.NewReader(make([]byte, MaxBulkBody+1))); !errors.As(err, &refusal) ||
		refusal.Code != "body_too_large" {
		t.Errorf("one byte more: %v", err)
	}
}

func TestLargeBodiesAreWorkedOnInTurn(t *testing.T) {
	t.Parallel()
	began, finish := make(chan bool, 100), make(chan bool)
	send := sends(func([]byte) {
		began <- true
		<-finish
	})
	large := make([]byte, largeBody)
	var sending sync.WaitGroup
	defer sending.Wait()
	defer close(finish)
	for range largeBodies - 1 {
		sending.Go(func() {
			if err := send(t.Context(), "a", bytes.NewReader(large)); err != nil {
				t.Error(err)
			}
		})
	}
	for range largeBodies - 1 {
		<-began
	}

	tired, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var refusal *fault.Error
	if err := send(tired, "a", bytes.NewReader(large)); !errors.As(err, &refusal) || refusal.Code != "too_many_in_flight" {
		t.Errorf("one more of a: %v", err)
	}
	sending.Go(func() {
		if err := send(t.Context(), "b", bytes.NewReader(large)); err != nil {
			t.Error(err)
		}
	})
	<-began
	tired, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := send(tired, "c", bytes.NewReader(large)); !errors.As(err, &refusal) || refusal.Code != "busy" {
		t.Errorf("one of c: %v", err)
	}
}

// A sender that takes its time holds nobody's place.
func TestASlowSenderHoldsNoPlace(t *testing.T) {
	t.Parallel()
	send := sends(func([]byte) {})
	var slow sync.WaitGroup
	defer slow.Wait()
	for range 2 * largeBodies {
		body, sender := io.Pipe()
		defer sender.Close()
		slow.Go(func() { _ = send(t.Context(), "a", body) })
		if _, err := sender.Write(make([]byte, largeBody)); err != nil { // returns when all of it was read
			t.Fatal(err)
		}
	}
	sent := make(chan error)
	go func() { sent <- send(t.Context(), "a", bytes.NewReader(make([]byte, largeBody))) }()
	testwait.For(t, 10*time.Second, "a quick sender is served", func() bool {
		select {
		case err := <-sent:
			return err == nil
		default:
			return false
		}
	})
}
