package postgres

import (
	"context"
	"strconv"
	"time"
)

type byKey struct{}

// By gives the statements of the transactions of a context until then, where they would have longer otherwise: the database itself ends one
// that takes longer. Nobody waits for it then, and the connection is used again, which it is not where the context ends in a statement.
func By(ctx context.Context, then time.Time) context.Context {
	return context.WithValue(ctx, byKey{}, then)
}

// timeLeft is what By leaves, in milliseconds as text; one at least, since none would be no limit.
func timeLeft(ctx context.Context) (milliseconds string, limited bool) {
	then, limited := ctx.Value(byKey{}).(time.Time)
	left := time.Until(then)
	if !limited || left >= statementTimeout {
		return "", false
	}
	return strconv.FormatInt(max(1, left.Milliseconds()), 10), true
}
