// Package placement is the rule by which the references that say where a record is agree with each other: the specific one
// fills the general one. A pump in a system is in the system's building and on the building's site.
package placement

// Reference is a general reference of a record that is being changed, such as its site.
type Reference struct {
	Before *string  // before the change; nil for none, and of a new record
	After  **string // after the change
}

// Stayed says whether the change leaves the reference as it was.
func (r Reference) Stayed() bool {
	if r.Before == nil || *r.After == nil {
		return r.Before == *r.After
	}
	return *r.Before == **r.After
}

// Fill sets the reference to what a more specific one implies. A reference that stayed as it was follows the specific one. One
// that the change sets to something else contradicts it: then Fill changes nothing and reports false.
func (r Reference) Fill(implied string) bool {
	if *r.After != nil && **r.After != implied && !r.Stayed() {
		return false
	}
	*r.After = &implied
	return true
}

// Clear takes the reference away, because the record has left what it referred to.
func (r Reference) Clear() { *r.After = nil }
