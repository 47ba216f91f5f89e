package site

import (
	"net/http"
	"strings"
	"time"

	accepted "golang.org/x/text/language"
)

// language is a language of the site and its words around the guides.
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
	OnlyEnglish        string // above a guide that has no other language
	InEnglish          string // behind a link to one
	find
	missing
	home
}

// find is the words of the page of the search.
type find struct{ Find, NothingFound, HowToFind string }

// missing is the words of the page in the place of one that does not exist.
type missing struct{ Missing, FindIn, TheDocuments, OrSearch string }

// home is the words of the page at /.
type home struct {
	Lead, FirstCall, FirstCallText, FirstCallResult string
	Cards                                           []card
}

// card is a place to go to from /.
type card struct{ Title, Text, Path string }

var english = &language{
	Code: "en", Locale: "en-CA", Name: "English", Product: "Asset management", Skip: "Skip to the content", Documentation: "Documentation",
	Reference: "Reference", Search: "Search the documentation", Guides: "Guides", Contents: "On this page",
	OtherLanguage: "In another language",
	Status:        "Status", Settings: "Settings", Copy: "Copy", Copied: "Copied",
	find:    find{"Search", "Nothing was found for “%s”.", "Type words into the field above. Accents and capitals do not matter."},
	missing: missing{"There is no such page", "Look for it in", "the documentation", ", or search above."},
	home: home{
		Lead: "An API for what a public owner looks after: sites, buildings, assets, pipes and roads, their condition, work orders, projects, " +
			"levels of service, and the figures that follow from them.",
		FirstCall: "First call", FirstCallText: "An Administrator makes a key on the settings screens. Then:",
		FirstCallResult: "It answers with your organization, your plan, and what the key may do.",
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
	OnlyEnglish: "Cette page n’existe qu’en anglais.", InEnglish: "en anglais",
	find: find{"Recherche", "Rien n’a été trouvé pour « %s ».",
		"Écrivez des mots dans le champ ci-dessus. Les accents et les majuscules ne comptent pas."},
	missing: missing{"Cette page n’existe pas", "Cherchez-la dans", "la documentation", ", ou dans le champ ci-dessus."},
	home: home{
		Lead: "Une API pour ce dont un propriétaire public prend soin : sites, bâtiments, actifs, conduites et rues, leur état, les bons de " +
			"travail, les projets, les niveaux de service et les chiffres qui en découlent.",
		FirstCall: "Premier appel", FirstCallText: "Un administrateur crée une clé dans les paramètres. Ensuite :",
		FirstCallResult: "La réponse nomme votre organisation, votre forfait et ce que la clé permet.",
		Cards: []card{
			{"Premiers pas", "D’une clé à un premier actif, avec curl, TypeScript, Python ou Go : cinq minutes.", guidesPath + "/first-steps"},
			{"Référence", "Chaque opération, paramètre et champ (en anglais), chaque opération avec un formulaire pour l’essayer.", referencePath},
			{"Guides", "Pages et flux, filtres, lots et erreurs; webhooks, limites et informatique décisionnelle en anglais.", docsPath},
			{"Paramètres", "Clés, webhooks, utilisation, membres et journal d’audit, pour les administrateurs.", "/settings"},
			{"Assistants IA", "Un serveur du Model Context Protocol à /mcp, avec les mêmes clés (en anglais).", guidesPath + "/mcp"},
			{"État", "Si cette installation prend des requêtes en ce moment.", "/readyz"},
		},
	},
}

// siteLanguages are all of them, the first for those who speak none.
var siteLanguages = []*language{english, french}

// languageCookie has the language that somebody chose, whatever the browser's is.
const languageCookie = "ams_site_language"

// languageOf is the language of a code, or nil.
func languageOf(code string) *language {
	for _, in := range siteLanguages {
		if in.Code == code {
			return in
		}
	}
	return nil
}

// spoken is the language of whoever asks for a page: what its link names, else what was chosen before, else the first of the browser's that
// the site has.
func spoken(r *http.Request) *language {
	if named := languageOf(r.URL.Query().Get("lang")); named != nil {
		return named
	}
	if cookie, err := r.Cookie(languageCookie); err == nil && languageOf(cookie.Value) != nil {
		return languageOf(cookie.Value)
	}
	tags, _, err := accepted.ParseAcceptLanguage(strings.Join(r.Header["Accept-Language"], ","))
	if err != nil {
		return english
	}
	for _, tag := range tags {
		base, _ := tag.Base()
		if in := languageOf(base.String()); in != nil {
			return in
		}
	}
	return english
}

// remember has the browser keep the language that a link names, so that the links of the page need not name it.
func (s *Site) remember(r *http.Request, response *http.Response) {
	if named := languageOf(r.URL.Query().Get("lang")); named != nil && response.Header.Get("Content-Language") != "" {
		cookie := http.Cookie{ // #nosec G124 -- Secure where people have the API by https; it has a language, nothing else
			Name: languageCookie, Value: named.Code, Path: "/", MaxAge: int(year.Seconds()), HttpOnly: true,
			SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.baseURL, "https:"),
		}
		response.Header.Set("Set-Cookie", cookie.String())
	}
}

const year = 365 * 24 * time.Hour
