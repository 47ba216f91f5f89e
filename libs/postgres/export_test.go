package postgres

import "time"

// Connections is how many the pool of the first cell has.
func (db *DB) Connections() int32 { return db.first.pool.Stat().TotalConns() }

// IdleTimes are how long an idle connection of the first cell's pool stays, and how often the pool looks.
func (db *DB) IdleTimes() (stays, looks time.Duration) {
	config := db.first.pool.Config()
	return config.MaxConnIdleTime, config.HealthCheckPeriod
}

// CloseLivenessAfter sets how long the connection of liveness checks of the first cell stays that nobody needs. It is called before the
// first check.
func (db *DB) CloseLivenessAfter(unused time.Duration) { db.first.liveness.unused = unused }

// WithArgument puts an argument in the place of the organization.
var WithArgument = withArgument

// MostTexts is how many texts a connection keeps.
const MostTexts = maxTexts

// Texts are those of one connection.
type Texts = texts

// Bind gives a statement as it is sent.
func (t texts) Bind(sql string, args []any, organization any) (string, []any) {
	return t.bind(sql, args, organization)
}

// AwaitFor is Await with another timeout.
var AwaitFor = await
