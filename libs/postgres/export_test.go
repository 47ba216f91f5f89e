package postgres

// Connections is how many the pool of the first cell has.
func (db *DB) Connections() int32 { return db.first.pool.Stat().TotalConns() }
