// Package transaction tells whether a context carries a database transaction. Code that waits for somebody outside (a receiver of
// webhooks, a name server, a slow caller) must not hold one: its connection would be held for as long as they like.
package transaction

import "context"

type runningKey struct{}

// Mark gives the context of a transaction.
func Mark(ctx context.Context) context.Context { return context.WithValue(ctx, runningKey{}, true) }

// Runs says whether ctx is that of a transaction.
func Runs(ctx context.Context) bool { return ctx.Value(runningKey{}) != nil }

// MustNotRun panics in the context of a transaction. what is done outside: "call a receiver". It is a mistake of the program, which
// the first test of the operation finds.
func MustNotRun(ctx context.Context, what string) {
	if Runs(ctx) {
		panic("transaction: " + what + " in a database transaction")
	}
}
