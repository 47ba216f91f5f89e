package documents

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// An organization is told once of each threshold that what it keeps has reached; the same bytes again reach none.
func TestThresholdsOfStorageAreTold(t *testing.T) {
	f := newFixture(t)
	told := func() (objects []string) {
		t.Helper()
		if err := f.registry.DB.Read(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx,
				`SELECT payload #>> '{data,object,percent}' || ' ' || (payload #>> '{data,object,used}') || ' ' || (payload #>> '{data,object,limit}')
				FROM outbox WHERE organization_id = current_organization() AND type = 'storage.threshold_reached' ORDER BY created_at`)
			if err != nil {
				return err
			}
			objects, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return objects
	}
	send := func(letter string, size int) {
		t.Helper()
		upload(t, f.Client, http.StatusCreated, letter+".txt", []byte(strings.Repeat(letter, size)), nil)
	}
	for _, step := range []struct {
		letter string
		size   int
		limit  int64
		want   string
	}{
		{"a", 799, 1000, "[]"},
		{"b", 1, 1000, "[80 800 1000]"},
		{"b", 1, 1000, "[80 800 1000]"}, // known bytes
		{"c", 149, 1000, "[80 800 1000]"},
		{"d", 1, 1000, "[80 800 1000 95 950 1000]"},
		{"e", 50, 1000, "[80 800 1000 95 950 1000 100 1000 1000]"},
		{"f", 9000, 10_000, "[80 800 1000 95 950 1000 100 1000 1000 100 10000 10000]"}, // of several that are reached at once, the highest
	} {
		f.Principal.StorageLimit = step.limit
		send(step.letter, step.size)
		if got := fmt.Sprint(told()); got != step.want {
			t.Errorf("after %d bytes of %s: %s, want %s", step.size, step.letter, got, step.want)
		}
	}
}
