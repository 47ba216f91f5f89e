package deficiencies

// Work is what happened to a work order or a project that closes a deficiency.
type Work struct {
	Stage                  string // planned, begun, completed or cancelled
	WorkOrderID, ProjectID string // whose it is: one of them
	On                     string // the day
	Cost                   *float64
}

// Follow brings a deficiency to where the work is: planned, in_work, corrected on the day of completion with what it cost, or open again
// when it was cancelled and nobody else plans it. What does not suit is refused: code and problem say why, and the deficiency is as it was.
// Work that is begun or cancelled while the deficiency is no longer live, or another's, changes nothing.
func (f *Finding) Follow(w Work) (code, problem string) {
	holder, id := &f.WorkOrderID, w.WorkOrderID
	if w.ProjectID != "" {
		holder, id = &f.ProjectID, w.ProjectID
	}
	ours := *holder != nil && **holder == id
	switch w.Stage {
	case "planned":
		switch {
		case !f.Live():
			return f.over()
		case *holder != nil && !ours:
			return "deficiency_planned", "is planned with another one already; withdraw it there first"
		}
		*holder = &id
		if f.Status == "open" || ours && f.Status == "in_work" {
			f.Status = "planned"
		}
	case "begun":
		if f.Live() && (*holder == nil || ours) {
			*holder, f.Status = &id, "in_work"
		}
	case "completed":
		if ours && f.Status == "corrected" { // by another effect of the same work
			if f.ActualCost == nil {
				f.ActualCost = w.Cost
			}
			return "", ""
		}
		if !f.Live() {
			return f.over()
		}
		day := w.On
		if f.FoundOn != nil && day < *f.FoundOn {
			day = *f.FoundOn
		}
		*holder, f.Status, f.CorrectedOn, f.ActualCost = &id, "corrected", &day, w.Cost
	case "cancelled":
		if !ours || !f.Live() {
			return "", ""
		}
		*holder = nil
		if f.WorkOrderID == nil && f.ProjectID == nil {
			f.Status = "open"
		} else {
			f.Status = "planned"
		}
	}
	return "", ""
}

// over is the refusal for one of which nothing is to be done any more.
func (f *Finding) over() (code, problem string) {
	return "deficiency_" + f.Status, "is " + f.Status + " already; leave it out, or open it first"
}

// FromWork completes the body of a deficiency that work has found: the day, and where it comes from, unless it says so itself. cause is the
// collection of the work.
func FromWork(body map[string]any, cause, id, on string) {
	if body["found_on"] == nil {
		body["found_on"] = on
	}
	if body["source"] != nil {
		return
	}
	source := map[string]string{"work_orders": "work_order", "requests": "request", "form_responses": "form", "inspections": "inspection",
		"condition_assessments": "assessment"}[cause]
	if source == "" {
		return
	}
	body["source"] = source
	if body["source_id"] == nil {
		body["source_id"] = id
	}
}
