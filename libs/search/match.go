package search

// Match is how well a record fits a query, the best first.
type Match int

// The ways in which a record fits.
const (
	ByCode       Match = iota // one of its codes is the query, or has that number
	ByCodePrefix              // one of its codes begins with the query
	ByName                    // its name has the words of the query and no others
	ByNamePrefix              // its name begins with the query
	ByWords                   // all words of the query are in its name
	Anywhere                  // they are in all of its fields together
	Similar                   // they are after a correction
)

// Matches are the names of the ways, the best first.
var Matches = []string{"code", "code_prefix", "name", "name_prefix", "words", "anywhere", "similar"}

func (m Match) String() string { return Matches[m] }
