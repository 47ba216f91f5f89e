// Package docs has the documents of this repository that are for those who use the API. The developer's site of the gateway is made of
// them. It stands here, above them, because a program can only embed what is below its own folder: so each document exists once.
package docs

import "embed"

// Files are the guides, the documents and the changelog, by their paths in the repository.
//
//go:embed docs/guides/*.md docs/api.md docs/bi.md docs/documents.md docs/domain.md docs/import.md docs/keys-and-plans.md docs/mcp.md docs/webhooks.md CHANGELOG.md
var Files embed.FS
