package catalogue

import "strings"

// EffectKind is one way in which work changes a record of another service.
type EffectKind struct {
	Name    string // "close_deficiency"
	Staged  bool   // it follows the work from its planning on; all others happen once, when the work is completed
	Within  string // the field of the payload that has the body of a record to be made; empty where the payload names a record
	Targets []EffectTarget
}

// EffectTarget is what an effect changes, by the field of the payload (or of the body within) that says so.
type EffectTarget struct {
	Field      string // "deficiency_id"; empty: always
	Collection string // that a record is changed in, or made in. Its owner applies the effect; its scope and feature are needed
}

// EffectKinds gives all kinds.
func EffectKinds() []EffectKind {
	places := []EffectTarget{
		{"segment_id", "segments"}, {"asset_id", "assets"}, {"system_id", "systems"}, {"building_id", "buildings"}, {"site_id", "sites"},
	}
	return []EffectKind{
		{Name: "close_deficiency", Staged: true, Targets: []EffectTarget{
			{"deficiency_id", "deficiencies"}, {"infrastructure_deficiency_id", "infrastructure_deficiencies"},
		}},
		{Name: "rate", Targets: places},
		{Name: "read_meter", Targets: []EffectTarget{{"meter_id", "meters"}}},
		{Name: "create_deficiency", Within: "deficiency", Targets: []EffectTarget{
			{"segment_id", "infrastructure_deficiencies"}, {"", "deficiencies"},
		}},
		{Name: "create_work_order", Within: "work_order", Targets: []EffectTarget{{"", "work_orders"}}},
		{Name: "close_request", Targets: []EffectTarget{{"request_id", "requests"}}},
		{Name: "replace", Targets: []EffectTarget{{"asset_id", "assets"}}},
	}
}

// MoveToSuccessor is what the owner of a replaced asset sends to those whose records stand on it: they are its successor's from then on.
const MoveToSuccessor = "move_to_successor"

// WorkOfRequestMoved is what the owner of a work order that closes a request sends to the request besides: that it was cancelled, opened
// again, or completed once more.
const WorkOfRequestMoved = "work_of_request_moved"

// WorkForRequest is what the owner of a request that is accepted with a work order sends to that: its completion closes the request.
const WorkForRequest = "work_for_request"

// DocumentsOfRequest is what the owner of a request sends to the owner of documents when it is accepted: those of the request are on its
// work order as well.
const DocumentsOfRequest = "documents_of_request"

// internalKinds are those that no caller can ask for.
func internalKinds() []EffectKind {
	return []EffectKind{{Name: MoveToSuccessor, Targets: []EffectTarget{{"pm_plans_of", "pm_plans"}, {"meters_of", "meters"}}},
		{Name: WorkOfRequestMoved, Targets: []EffectTarget{{"request_id", "requests"}}},
		{Name: WorkForRequest, Targets: []EffectTarget{{"work_order_id", "work_orders"}}},
		{Name: DocumentsOfRequest, Targets: []EffectTarget{{"documents_of", "documents"}}}}
}

// FindEffectKind gives the kind of that name, also one that no caller can ask for.
func FindEffectKind(name string) (EffectKind, bool) {
	for _, kind := range append(EffectKinds(), internalKinds()...) {
		if kind.Name == name {
			return kind, true
		}
	}
	return EffectKind{}, false
}

// Target finds what a payload changes: the collection, and the id of the record, which is empty for a record to be made. found is false
// where the payload names nothing; the sentence in problem follows the name of field.
func (k EffectKind) Target(payload map[string]any) (target EffectTarget, id, field, problem string) {
	body := payload
	if k.Within != "" {
		within, ok := payload[k.Within].(map[string]any)
		if !ok {
			return target, "", k.Within, "must be an object: the record that is made"
		}
		body = within
	}
	var given []EffectTarget
	for _, t := range k.Targets {
		switch {
		case t.Field == "" && len(given) > 0:
		case t.Field == "" || body[t.Field] != nil:
			given = append(given, t)
		}
	}
	switch {
	case len(given) == 0:
		return target, "", "", "must name what is changed: " + strings.Join(k.fields(), " or ")
	case len(given) > 1 && k.Within == "":
		return target, "", given[1].Field, "names another record beside " + given[0].Field + "; give one of them"
	}
	target = given[0]
	if k.Within != "" {
		return target, "", "", ""
	}
	id, ok := body[target.Field].(string)
	if !ok || id == "" {
		return target, "", target.Field, "must be the id of a record"
	}
	return target, id, "", ""
}

func (k EffectKind) fields() []string {
	var names []string
	for _, t := range k.Targets {
		names = append(names, t.Field)
	}
	return names
}
