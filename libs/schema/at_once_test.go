package schema_test

import (
	"sync"
	"testing"

	"ams.internal/libs/schema"
)

type sheet struct {
	Title string `json:"title" required:"true" doc:"Its title." example:"Plan"`
	Pages int    `json:"pages" doc:"How many it has." example:"3"`
}

type binder struct {
	Cover  sheet   `json:"cover" doc:"The first sheet."`
	Sheets []sheet `json:"sheets" doc:"All others."`
}

// Programs of one process declare, each when it is made, what others validate with already. The race detector sees what they share.
func TestSchemasAreDeclaredWhileOthersValidate(t *testing.T) {
	t.Parallel()
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 20 {
				s := schema.Of[binder]()
				var problems schema.Problems
				s.Field("cover").Check("cover", map[string]any{"pages": 1.5}, &problems)
				if len(problems) == 0 {
					t.Error("a sheet without a title passed")
				}
			}
		})
	}
	work.Wait()
}
