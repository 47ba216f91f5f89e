package keys

// Everything is the scope that contains all others.
const Everything = "*:*"

// scopes are all that a key may have.
var scopes = func() []string {
	known := []string{Everything}
	for _, resource := range []string{"assets", "buildings", "infrastructure", "los", "projects", "sites", "systems", "users", "webhooks",
		"work_orders"} {
		known = append(known, resource+":read", resource+":write")
	}
	return known
}()

// Scopes are all that a key may have, in the order in which they are listed for people.
func Scopes() []string { return scopes }
