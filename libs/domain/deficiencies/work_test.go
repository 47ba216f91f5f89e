package deficiencies_test

import (
	"testing"

	"ams.internal/libs/domain/deficiencies"
)

func TestADeficiencyFollowsItsWork(t *testing.T) {
	order, other, project := "o", "p", "r"
	cost := 12.5
	of := func(status string, workOrder, project *string) deficiencies.Finding {
		return deficiencies.Finding{Status: status, WorkOrderID: workOrder, ProjectID: project, FoundOn: text("2026-03-01")}
	}
	for name, c := range map[string]struct {
		before       deficiencies.Finding
		stage        string
		status, code string
		holds, onDay string
	}{
		"planned":                      {before: of("open", nil, nil), stage: "planned", status: "planned", holds: order},
		"planned again":                {before: of("planned", &order, nil), stage: "planned", status: "planned", holds: order},
		"planned by a project as well": {before: of("planned", nil, &project), stage: "planned", status: "planned", holds: order},
		"planned by another one": {before: of("planned", &other, nil), stage: "planned", status: "planned", holds: other,
			code: "deficiency_planned"},
		"planned when it is corrected": {before: of("corrected", nil, nil), stage: "planned", status: "corrected",
			code: "deficiency_corrected"},
		"planned when it is waived":  {before: of("waived", nil, nil), stage: "planned", status: "waived", code: "deficiency_waived"},
		"begun":                      {before: of("planned", &order, nil), stage: "begun", status: "in_work", holds: order},
		"begun without a plan":       {before: of("open", nil, nil), stage: "begun", status: "in_work", holds: order},
		"begun when it is another's": {before: of("planned", &other, nil), stage: "begun", status: "planned", holds: other},
		"begun when it is corrected": {before: of("corrected", nil, nil), stage: "begun", status: "corrected"},
		"completed": {before: of("in_work", &order, nil), stage: "completed", status: "corrected", holds: order,
			onDay: "2026-04-01"},
		"completed out of nothing": {before: of("open", nil, nil), stage: "completed", status: "corrected", holds: order,
			onDay: "2026-04-01"},
		"completed by another effect": {before: of("corrected", &order, nil), stage: "completed", status: "corrected", holds: order},
		"completed when another one has done it": {before: of("corrected", &other, nil), stage: "completed", status: "corrected", holds: other,
			code: "deficiency_corrected"},
		"cancelled":                          {before: of("planned", &order, nil), stage: "cancelled", status: "open"},
		"cancelled in work":                  {before: of("in_work", &order, nil), stage: "cancelled", status: "open"},
		"cancelled while a project plans it": {before: of("in_work", &order, &project), stage: "cancelled", status: "planned"},
		"cancelled when it is another's":     {before: of("planned", &other, nil), stage: "cancelled", status: "planned", holds: other},
		"cancelled when it is corrected":     {before: of("corrected", &order, nil), stage: "cancelled", status: "corrected", holds: order},
		"completed before the day it was found": {before: deficiencies.Finding{Status: "open", FoundOn: text("2026-05-01")}, stage: "completed",
			status: "corrected", holds: order, onDay: "2026-05-01"},
	} {
		t.Run(name, func(t *testing.T) {
			f := c.before
			code, _ := f.Follow(deficiencies.Work{Stage: c.stage, WorkOrderID: order, On: "2026-04-01", Cost: &cost})
			holds, day := "", ""
			if f.WorkOrderID != nil {
				holds = *f.WorkOrderID
			}
			if f.CorrectedOn != nil {
				day = *f.CorrectedOn
			}
			if f.Status != c.status || code != c.code || holds != c.holds || day != c.onDay {
				t.Errorf("%s, held by %q, corrected on %q, refused with %q", f.Status, holds, day, code)
			}
		})
	}
	f := of("open", nil, nil)
	if code, _ := f.Follow(deficiencies.Work{Stage: "planned", ProjectID: project}); code != "" || *f.ProjectID != project ||
		f.WorkOrderID != nil {
		t.Errorf("of a project: %q %+v", code, f)
	}
}
