// Package placement completes the references that locate a record, such as its system, building and site: the specific one fills the
// general one. A pump in a system is in the system's building and on the building's site. A record that is about one thing only,
// such as a meter, has one of them.
package placement

// Fields are the references that say where a record is, or what it is about.
var Fields = []string{"site_id", "building_id", "system_id", "asset_id", "segment_id"}

// One gives the only one of a record's references, in the order of Fields. None, and each after the first, goes to fieldError with the
// sentence that says why: "a meter is of one record".
func One(ids []*string, why string, fieldError func(field, format string, args ...any)) (field, id string) {
	for i, given := range ids {
		switch {
		case given == nil:
		case field == "":
			field, id = Fields[i], *given
		default:
			fieldError(Fields[i], "must be left out beside %s: %s", field, why)
		}
	}
	if field == "" {
		fieldError("asset_id", "is required, or one of site_id, building_id, system_id and segment_id: %s", why)
	}
	return field, id
}

// Reference is a general reference of a record that is being changed, such as its site.
type Reference struct {
	Before *string  // before the change; nil for none, and of a new record
	After  **string // after the change
}

// Stayed reports whether the change leaves the reference as it was.
func (r Reference) Stayed() bool {
	if r.Before == nil || *r.After == nil {
		return r.Before == *r.After
	}
	return *r.Before == **r.After
}

// Fill sets the reference to what a more specific one implies. It replaces a reference that stayed as it was. One that
// the change sets to something else contradicts the specific one: then Fill changes nothing and reports false.
func (r Reference) Fill(implied string) bool {
	if *r.After != nil && **r.After != implied && !r.Stayed() {
		return false
	}
	*r.After = &implied
	return true
}

// Clear empties the reference, because the record is no longer at what it referred to.
func (r Reference) Clear() { *r.After = nil }
