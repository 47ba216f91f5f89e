package site

import (
	"fmt"

	"ams.internal/docs"
)

// guide is a document of the repository and its place on the site, for readers of a language.
type guide struct {
	Path, Label string
	article
	Language   *language // of the text: English where there is no other
	Translated bool      // whether there is a text in each language
}

// group is a part of the navigation.
type group struct {
	Title  string
	Guides []*guide
}

// guides are all of them, for readers of a language.
type guides struct {
	groups []group
	at     map[string]*guide // by path on the site
}

// edition is a guide in a language: how the navigation calls it, and the document that it is made of.
type edition struct{ label, document string }

// chapter is a guide. It has one address for all languages.
type chapter struct {
	group, slug     string
	english, french edition // no French document: the English one is shown, and the page says so
}

// chapters are the guides in their order.
var chapters = []chapter{
	{"Begin", "first-steps", edition{"First steps", "docs/guides/first-steps.md"}, edition{"Premiers pas", "docs/guides/premiers-pas.md"}},
	{"Begin", "migration", edition{"Moving from another product", "docs/guides/migration.md"}, edition{"Migrer d’un autre produit", ""}},
	{"Guides", "paging", edition{"Pages and streams", "docs/guides/paging.md"}, edition{"Pages et flux", "docs/guides/pages-et-flux.md"}},
	{"Guides", "filters", edition{"Filters and search", "docs/guides/filters.md"}, edition{"Filtres et recherche", "docs/guides/filtres.md"}},
	{"Guides", "bulk", edition{"Bulk and import", "docs/guides/bulk.md"}, edition{"Lots et importation", "docs/guides/lots.md"}},
	{"Guides", "files", edition{"Photos and files", "docs/guides/files.md"}, edition{"Photos et fichiers", ""}},
	{"Guides", "errors", edition{"Errors", "docs/guides/errors.md"}, edition{"Erreurs", "docs/guides/erreurs.md"}},
	{"Guides", "events", edition{"Hear of changes", "docs/guides/events.md"}, edition{"Suivre les changements", ""}},
	{"Guides", "limits", edition{"Limits", "docs/guides/limits.md"}, edition{"Limites", ""}},
	{"Guides", "bi", edition{"Spreadsheets and BI", "docs/guides/bi.md"}, edition{"Tableurs et informatique décisionnelle", ""}},
	{"In full", "api", edition{"The API", "docs/api.md"}, edition{"L’API", ""}},
	{"In full", "business-intelligence", edition{"Business intelligence", "docs/bi.md"}, edition{"Informatique décisionnelle", ""}},
	{"In full", "domain", edition{"What the records mean", "docs/domain.md"}, edition{"Ce que les fiches veulent dire", ""}},
	{"In full", "documents", edition{"Documents", "docs/documents.md"}, edition{"Documents", ""}},
	{"In full", "webhooks", edition{"Webhooks", "docs/webhooks.md"}, edition{"Webhooks", ""}},
	{"In full", "mcp", edition{"AI assistants (MCP)", "docs/mcp.md"}, edition{"Assistants IA (MCP)", ""}},
	{"In full", "import", edition{"Importing files", "docs/import.md"}, edition{"Importer des fichiers", ""}},
	{"In full", "keys-and-plans", edition{"Keys and plans", "docs/keys-and-plans.md"}, edition{"Clés et forfaits", ""}},
	{"In full", "", edition{"Changelog", changelogDocument}, edition{"Journal des modifications", ""}},
}

// frenchGroups are the groups of the navigation in French.
var frenchGroups = map[string]string{"Begin": "Commencer", "Guides": "Guides", "In full": "En détail"}

// path is where the guide is. The changelog is beside the guides, as a feed has one address for long.
func (c chapter) path() string {
	if c.slug == "" {
		return changelogPath
	}
	return guidesPath + "/" + c.slug
}

// changelogDocument is the changelog of the product.
const changelogDocument = "CHANGELOG.md"

// readGuides reads all guides in English, for an installation whose API is at baseURL.
func readGuides(baseURL string) (*guides, error) {
	all := &guides{at: map[string]*guide{}}
	for _, c := range chapters {
		g := &guide{Path: c.path(), Label: c.english.label, Language: english, Translated: c.french.document != ""}
		if err := g.read(c.english.document, baseURL, nil); err != nil {
			return nil, err
		}
		all.add(c.group, g)
	}
	return all, nil
}

// readFrench reads the guides for those who read French: the English ones where there are no others.
func readFrench(baseURL string, originals *guides) (*guides, error) {
	all := &guides{at: map[string]*guide{}}
	for _, c := range chapters {
		original := originals.at[c.path()]
		g := &guide{Path: c.path(), Label: c.french.label, article: original.article, Language: english}
		if c.french.document != "" {
			g.Language, g.Translated = french, true
			if err := g.read(c.french.document, baseURL, &original.article); err != nil {
				return nil, err
			}
		}
		all.add(frenchGroups[c.group], g)
	}
	return all, nil
}

// read reads the text of the guide. original is the article of which it is a translation, or nil.
func (g *guide) read(document, baseURL string, original *article) error {
	source, err := docs.Files.ReadFile(document)
	if err != nil {
		return err
	}
	if original != nil {
		if source, err = withSamples(source, document); err != nil {
			return fmt.Errorf("%s: %w", document, err)
		}
	}
	if g.article, err = read(source, baseURL, linker(document, addresses()), original); err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return nil
}

// addresses are where the documents are on the site.
func addresses() map[string]string {
	all := map[string]string{}
	for _, c := range chapters {
		all[c.english.document] = c.path()
		if c.french.document != "" {
			all[c.french.document] = c.path()
		}
	}
	return all
}

func (all *guides) add(title string, g *guide) {
	if last := len(all.groups) - 1; last < 0 || all.groups[last].Title != title {
		all.groups = append(all.groups, group{Title: title})
	}
	last := &all.groups[len(all.groups)-1]
	last.Guides = append(last.Guides, g)
	all.at[g.Path] = g
}
