// Package migrations is the schema of the gateway: what both listeners keep in the database.
package migrations

import "embed"

// Files are the migrations, in the order of their names.
//
//go:embed *.sql
var Files embed.FS
