package postgres

// Connections is how many the pool of the first cell has.
func (db *DB) Connections() int32 { return db.first.pool.Stat().TotalConns() }

// WithArgument puts an argument in the place of the organization.
var WithArgument = withArgument

// MostTexts is how many texts a connection keeps.
const MostTexts = mostTexts

// Texts are those of one connection.
type Texts = texts

// Bind gives a statement as it is sent.
func (t texts) Bind(sql string, args []any, organization any) (string, []any) {
	return t.bind(sql, args, organization)
}

// AwaitFor is Await with another patience.
var AwaitFor = await
