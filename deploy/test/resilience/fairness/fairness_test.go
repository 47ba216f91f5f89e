package fairness

import (
	"testing"
	"time"
)

// evaluate finds each promise that is broken.
func TestABrokenPromiseIsFound(t *testing.T) {
	well := func() Result {
		fine := watch{times: []time.Duration{time.Millisecond}}
		return Result{Before: fine, During: fine, After: fine}
	}
	for name, spoil := range map[string]func(r *Result){
		"a refused neighbour":    func(r *Result) { r.During.refused = outcomes{{503, "database_unavailable"}: 1} },
		"no answer at all":       func(r *Result) { r.During.times = nil },
		"too much memory":        func(r *Result) { r.Peak = peak{process: "mcp-1", bytes: memoryLimit + 1} },
		"a process that ended":   func(r *Result) { r.Peak.ended = "mcp-1" },
		"a 503 to the attacker":  func(r *Result) { r.Attacks = outcomes{{503, "database_unavailable"}: 1} },
		"a refusal without code": func(r *Result) { r.Own.refused = outcomes{{429, ""}: 1} },
		"a broken connection":    func(r *Result) { r.Attacks = outcomes{{0, "EOF"}: 1} },
		"nothing was refused":    func(r *Result) { r.Attacks = outcomes{{200, ""}: 1} },
	} {
		r := well()
		r.Attacks = outcomes{{429, "too_many_streams"}: 1}
		if spoil(&r); func() bool { r.evaluate(attack{refused: "too_many_streams"}); return len(r.Broken) == 0 }() {
			t.Errorf("%s passes", name)
		}
	}
	r := well()
	r.During.times = []time.Duration{time.Second}
	if r.evaluate(attack{}); len(r.Broken) != 0 || len(r.Late) != 1 {
		t.Errorf("a slow answer: %v, %v", r.Broken, r.Late)
	}
	r = well()
	r.OwnBefore, r.Own = watch{times: []time.Duration{8 * time.Millisecond}}, watch{times: []time.Duration{16 * time.Millisecond}}
	if r.evaluate(attack{p95: 1.5}); len(r.Late) != 1 {
		t.Errorf("twice as long as before: %v", r.Late)
	}
	r = well()
	r.Cheap, r.During = watch{times: []time.Duration{20 * time.Millisecond}}, watch{times: []time.Duration{61 * time.Millisecond}}
	if r.evaluate(attack{cheap: 3}); len(r.Late) != 1 {
		t.Errorf("more than three times as long as beside cheap reads: %v", r.Late)
	}
}
