package keys

import "ams.internal/libs/domain/catalogue"

// Everything is the scope that contains all others.
const Everything = "*:*"

// Scopes are all that a key may have, in the order in which they are listed for people.
func Scopes() []string { return append([]string{Everything}, catalogue.Product().Scopes()...) }
