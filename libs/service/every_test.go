package service

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"
)

func TestWhatIsDoneAgainAndAgainGoesOnAfterAFailureAndEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	s := &Service{Log: slog.New(slog.DiscardHandler)}
	done := make(chan struct{})
	s.Every(time.Millisecond, "sweep", func(context.Context) error {
		done <- struct{}{}
		return errors.New("down")
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.background[0].run(ctx)
	}()
	<-done
	<-done
	cancel()
	for {
		select {
		case <-done: // one that was due already
		case <-ended:
			return
		case <-time.After(30 * time.Second):
			t.Fatal("it does not end")
		}
	}
}
