// Package docs embeds the documents for users of the API. The gateway renders the developer's site from them. The package stands
// above them, because a program can only embed what is below its own folder: so each document exists once.
package docs

import "embed"

// Files are the guides, the documents and the changelog, by their paths in the repository.
//
//go:embed docs/guides/*.md docs/api.md docs/bi.md docs/documents.md docs/domain.md docs/import.md docs/keys-and-plans.md docs/mcp.md docs/webhooks.md CHANGELOG.md
var Files embed.FS
