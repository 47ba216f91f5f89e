package transaction

import (
	"context"
	"strings"
	"testing"
)

func TestNothingOutsideIsWaitedForInATransaction(t *testing.T) {
	ctx := context.Background()
	MustNotRun(ctx, "look up a name")
	inside, cancel := context.WithCancel(Mark(ctx))
	defer cancel()
	if Runs(ctx) || !Runs(inside) {
		t.Error("a transaction runs in the context of one, and in no other")
	}
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "look up a name in a database transaction") {
			t.Errorf("said %q", said)
		}
	}()
	MustNotRun(inside, "look up a name")
}
