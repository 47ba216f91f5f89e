package site

import (
	"fmt"

	"ams.internal/docs"
)

// guide is a document of the repository and its place on the site.
type guide struct {
	Path, Label string
	article
	language *language
	others   []*guide // the same in other languages
}

// Lang is the language of the guide.
func (g *guide) Lang() string { return g.language.Code }

// group is a part of the navigation.
type group struct {
	Title  string
	Guides []*guide
}

type guides struct {
	groups []group
	at     map[string]*guide // by path on the site
}

// chapters are the guides in their order: where each is on the site, how the navigation calls it, and the document that it is made of.
var chapters = []struct {
	group, slug, label, document string
	language                     *language
}{
	{"Begin", "first-steps", "First steps", "docs/guides/first-steps.md", english},
	{"Begin", "premiers-pas", "Premiers pas", "docs/guides/premiers-pas.md", french},
	{"Begin", "migration", "Moving from another product", "docs/guides/migration.md", english},
	{"Guides", "paging", "Pages and streams", "docs/guides/paging.md", english},
	{"Guides", "filters", "Filters and search", "docs/guides/filters.md", english},
	{"Guides", "bulk", "Bulk and import", "docs/guides/bulk.md", english},
	{"Guides", "files", "Photos and files", "docs/guides/files.md", english},
	{"Guides", "errors", "Errors", "docs/guides/errors.md", english},
	{"Guides", "events", "Hear of changes", "docs/guides/events.md", english},
	{"Guides", "limits", "Limits", "docs/guides/limits.md", english},
	{"Guides", "bi", "Spreadsheets and BI", "docs/guides/bi.md", english},
	{"In full", "api", "The API", "docs/api.md", english},
	{"In full", "business-intelligence", "Business intelligence", "docs/bi.md", english},
	{"In full", "domain", "What the records mean", "docs/domain.md", english},
	{"In full", "documents", "Documents", "docs/documents.md", english},
	{"In full", "webhooks", "Webhooks", "docs/webhooks.md", english},
	{"In full", "mcp", "AI assistants (MCP)", "docs/mcp.md", english},
	{"In full", "business-intelligence", "Business intelligence", "docs/bi.md", english},
	{"In full", "import", "Importing files", "docs/import.md", english},
	{"In full", "keys-and-plans", "Keys and plans", "docs/keys-and-plans.md", english},
}

// changelogDocument is the changelog of the product; its page is beside the guides, as a feed has one address for long.
const changelogDocument = "CHANGELOG.md"

// readGuides reads all guides of an installation whose API is at baseURL.
func readGuides(baseURL string) (*guides, error) {
	all := &guides{at: map[string]*guide{}}
	addresses := map[string]string{changelogDocument: changelogPath}
	for _, c := range chapters {
		addresses[c.document] = guidesPath + "/" + c.slug
	}
	read := func(path, label, document string, in *language) (*guide, error) {
		source, err := docs.Files.ReadFile(document)
		if err != nil {
			return nil, err
		}
		found, err := read(source, baseURL, linker(document, addresses))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", document, err)
		}
		g := &guide{Path: path, Label: label, article: found, language: in}
		all.at[path] = g
		return g, nil
	}
	for _, c := range chapters {
		g, err := read(addresses[c.document], c.label, c.document, c.language)
		if err != nil {
			return nil, err
		}
		if last := len(all.groups) - 1; last < 0 || all.groups[last].Title != c.group {
			all.groups = append(all.groups, group{Title: c.group})
		}
		last := &all.groups[len(all.groups)-1]
		last.Guides = append(last.Guides, g)
	}
	changes, err := read(changelogPath, "Changelog", changelogDocument, english)
	if err != nil {
		return nil, err
	}
	last := &all.groups[len(all.groups)-1]
	last.Guides = append(last.Guides, changes)
	first, premiers := all.at[guidesPath+"/first-steps"], all.at[guidesPath+"/premiers-pas"]
	first.others, premiers.others = []*guide{premiers}, []*guide{first}
	return all, nil
}
