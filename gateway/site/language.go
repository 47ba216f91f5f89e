package site

import (
	"net/http"
	"strings"

	accepted "golang.org/x/text/language"
)

// language is a language of the site and its words around the guides. The guides are English, and the first steps are French as well.
type language struct {
	Code, Locale, Name string
	Product            string
	Skip               string // to the content
	Documentation      string
	Reference          string
	Search             string
	Guides             string
	Contents           string
	OtherLanguage      string
	Status             string
	Settings           string
	Copy, Copied       string
	home
}

// home is the words of the page at /.
type home struct {
	Lead, FirstCall, FirstCallText, Answer string
	Cards                                  []card
}

// card is a place to go to from /.
type card struct{ Title, Text, Path string }

var english = &language{
	Code: "en", Locale: "en-CA", Name: "English", Product: "Asset management", Skip: "Skip to the content", Documentation: "Documentation",
	Reference: "Reference", Search: "Search the documentation", Guides: "Guides", Contents: "On this page", OtherLanguage: "In another language",
	Status: "Status", Settings: "Settings", Copy: "Copy", Copied: "Copied",
	home: home{
		Lead: "An API for what a public owner looks after: sites, buildings, assets, pipes and roads, their condition, work orders, projects, " +
			"levels of service, and the figures that follow from them.",
		FirstCall: "First call", FirstCallText: "An Administrator makes a key on the settings screens. Then:",
		Answer: "It answers with your organization, your plan, and what the key may do.",
		Cards: []card{
			{"First steps", "From a key to a first asset, in curl, TypeScript, Python or Go: five minutes.", guidesPath + "/first-steps"},
			{"Reference", "Every operation, parameter and field, each operation with a form to try it.", referencePath},
			{"Guides", "Pages and streams, filters, bulk, errors, webhooks, limits, BI.", docsPath},
			{"Settings", "Keys, webhooks, usage, members and the audit trail, for Administrators.", "/settings"},
			{"AI assistants", "A server of the Model Context Protocol at /mcp, with the same keys.", guidesPath + "/mcp"},
			{"Status", "Whether this installation takes requests now.", "/readyz"},
		},
	},
}

var french = &language{
	Code: "fr", Locale: "fr-CA", Name: "Français", Product: "Gestion des actifs", Skip: "Aller au contenu", Documentation: "Documentation",
	Reference: "Référence", Search: "Chercher dans la documentation", Guides: "Guides", Contents: "Sur cette page",
	OtherLanguage: "Dans une autre langue", Status: "État", Settings: "Paramètres", Copy: "Copier", Copied: "Copié",
	home: home{
		Lead: "Une API pour ce dont un propriétaire public prend soin : sites, bâtiments, actifs, conduites et rues, leur état, les bons de " +
			"travail, les projets, les niveaux de service et les chiffres qui en découlent.",
		FirstCall: "Premier appel", FirstCallText: "Un administrateur crée une clé dans les paramètres. Ensuite :",
		Answer: "La réponse nomme votre organisation, votre forfait et ce que la clé permet.",
		Cards: []card{
			{"Premiers pas", "D’une clé à un premier actif, avec curl, TypeScript, Python ou Go : cinq minutes.", guidesPath + "/premiers-pas"},
			{"Référence", "Chaque opération, paramètre et champ (en anglais), chaque opération avec un formulaire pour l’essayer.", referencePath},
			{"Guides", "Pages et flux, filtres, lots, erreurs, webhooks, limites, BI (en anglais).", docsPath},
			{"Paramètres", "Clés, webhooks, utilisation, membres et journal d’audit, pour les administrateurs.", "/settings"},
			{"Assistants IA", "Un serveur du Model Context Protocol à /mcp, avec les mêmes clés (en anglais).", guidesPath + "/mcp"},
			{"État", "Si cette installation prend des requêtes en ce moment.", "/readyz"},
		},
	},
}

// others are the other languages of a page that has one path for all.
func (l *language) others(path string) (others []alternate) {
	for _, other := range []*language{english, french} {
		if other != l {
			others = append(others, alternate{other, path + "?lang=" + other.Code})
		}
	}
	return others
}

// spoken is the language of whoever asks for a page: what its link names, else the first of the browser's that there is.
func spoken(r *http.Request) *language {
	if named := r.URL.Query().Get("lang"); named == english.Code {
		return english
	} else if named == french.Code {
		return french
	}
	tags, _, err := accepted.ParseAcceptLanguage(strings.Join(r.Header["Accept-Language"], ","))
	if err != nil {
		return english
	}
	for _, tag := range tags {
		switch base, _ := tag.Base(); base.String() {
		case english.Code:
			return english
		case french.Code:
			return french
		}
	}
	return english
}
