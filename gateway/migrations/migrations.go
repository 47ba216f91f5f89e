// Package migrations embeds the migrations of the gateway's schema, which both listeners use.
package migrations

import "embed"

// Files are the migrations, in the order of their names.
//
//go:embed *.sql
var Files embed.FS
