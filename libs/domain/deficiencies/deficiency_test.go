package deficiencies_test

import (
	"fmt"
	"testing"

	"ams.internal/libs/domain/deficiencies"
)

func text(s string) *string { return &s }

func TestADeficiencyIsCompleted(t *testing.T) {
	const today = "2026-11-23"
	cost, more, old := 4200.0, 4300.0, 2024
	for name, c := range map[string]struct {
		before, after *deficiencies.Finding
		sent          []string
		wrong         string // field
		check         func(f *deficiencies.Finding) string
	}{
		"found today, in prices of the year": {
			after: &deficiencies.Finding{Status: "open", EstimatedCost: &cost},
			check: func(f *deficiencies.Finding) string {
				return fmt.Sprint(*f.FoundOn, " ", *f.CostYear) + "=2026-11-23 2026"
			}},
		"in prices of the year in which it was found": {
			after: &deficiencies.Finding{Status: "open", EstimatedCost: &cost, FoundOn: text("2023-02-01")},
			check: func(f *deficiencies.Finding) string { return fmt.Sprint(*f.CostYear) + "=2023" }},
		"another cost is in prices of today": {
			before: &deficiencies.Finding{Status: "open", EstimatedCost: &cost, CostYear: &old, FoundOn: text("2024-02-01")},
			after:  &deficiencies.Finding{Status: "open", EstimatedCost: &more, CostYear: &old, FoundOn: text("2024-02-01")},
			check:  func(f *deficiencies.Finding) string { return fmt.Sprint(*f.CostYear) + "=2026" }},
		"another cost with its year": {
			before: &deficiencies.Finding{Status: "open", EstimatedCost: &cost, CostYear: &old, FoundOn: text("2024-02-01")},
			after:  &deficiencies.Finding{Status: "open", EstimatedCost: &more, CostYear: &old, FoundOn: text("2024-02-01")},
			sent:   []string{"cost_year"},
			check:  func(f *deficiencies.Finding) string { return fmt.Sprint(*f.CostYear) + "=2024" }},
		"found tomorrow":            {after: &deficiencies.Finding{Status: "open", FoundOn: text("2026-11-24")}, wrong: "found_on"},
		"waived without reason":     {after: &deficiencies.Finding{Status: "waived"}, wrong: "waive_reason"},
		"a reason while it is open": {after: &deficiencies.Finding{Status: "open", WaiveReason: text("x")}, wrong: "waive_reason"},
		"entered as corrected":      {after: &deficiencies.Finding{Status: "corrected"}, wrong: "corrected_on"},
		"a correction while open":   {after: &deficiencies.Finding{Status: "open", CorrectedOn: text(today)}, wrong: "corrected_on"},
		"what it cost while open":   {after: &deficiencies.Finding{Status: "open", ActualCost: &cost}, wrong: "actual_cost"},
		"corrected before it was": {after: &deficiencies.Finding{Status: "corrected", FoundOn: text("2026-02-01"),
			CorrectedOn: text("2026-01-31")}, wrong: "corrected_on"},
		"corrected in the future": {after: &deficiencies.Finding{Status: "corrected", CorrectedOn: text("2026-11-24")}, wrong: "corrected_on"},
		"the move to corrected stamps": {
			before: &deficiencies.Finding{Status: "open", FoundOn: text("2026-02-01")}, after: &deficiencies.Finding{Status: "corrected",
				FoundOn: text("2026-02-01")}, check: func(f *deficiencies.Finding) string { return *f.CorrectedOn + "=" + today }},
		"the way back clears": {
			before: &deficiencies.Finding{Status: "corrected", FoundOn: text("2026-02-01"), CorrectedOn: text(today), ActualCost: &cost},
			after:  &deficiencies.Finding{Status: "open", FoundOn: text("2026-02-01"), CorrectedOn: text(today), ActualCost: &cost},
			check: func(f *deficiencies.Finding) string {
				return fmt.Sprint(f.CorrectedOn == nil, f.ActualCost == nil) + "=true true"
			}},
		"and the reason": {
			before: &deficiencies.Finding{Status: "waived", FoundOn: text("2026-02-01"), WaiveReason: text("x")},
			after:  &deficiencies.Finding{Status: "open", FoundOn: text("2026-02-01"), WaiveReason: text("x")},
			check:  func(f *deficiencies.Finding) string { return fmt.Sprint(f.WaiveReason == nil) + "=true" }},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := ""
			c.after.Check(c.before, func(field string) bool { return len(c.sent) > 0 && c.sent[0] == field }, today,
				func(field, _ string, _ ...any) { wrong = field })
			if wrong != c.wrong {
				t.Fatalf("objects to %q, want %q", wrong, c.wrong)
			}
			if c.check == nil {
				return
			}
			if got, want, _ := cut(c.check(c.after)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func cut(s string) (string, string, bool) {
	for i := range s {
		if s[i] == '=' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

func TestEveryMoveIsBetweenStates(t *testing.T) {
	states := map[string]bool{"open": true, "planned": true, "in_work": true, "corrected": true, "waived": true, "void": true}
	for from, all := range deficiencies.Moves {
		for _, to := range all {
			if !states[from] || !states[to] || from == to {
				t.Errorf("%s → %s", from, to)
			}
		}
	}
	if len(deficiencies.Moves["void"]) > 0 {
		t.Error("void is not final")
	}
}
