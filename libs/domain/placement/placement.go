// Package placement is the rule for the references that locate a record, such as its system, building and site: the specific one
// fills the general one. A pump in a system is in the system's building and on the building's site.
package placement

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
