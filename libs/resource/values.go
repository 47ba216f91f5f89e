package resource

import (
	"context"

	"ams.internal/libs/principal"
)

// Same says whether two optional values are equal.
func Same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Today is the day that it is for the caller's organization, in its time zone. SQL has it as indicators.Today.
func Today(ctx context.Context) string { return principal.From(ctx).Calendar().Today() }
