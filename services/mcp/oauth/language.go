package oauth

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"ams.internal/libs/webassets"
)

//go:embed messages/*.json templates/*.html
var pageTexts embed.FS

// pageAssets are the style sheet and the typeface of the settings screens.
var pageAssets = webassets.Under("/oauth/assets")

// language is a language of the page: its messages, and the templates that use them.
type language struct {
	Code, Locale, Name string
	words              map[string]string
	pages              *template.Template
}

// languages are all languages, the default first.
var languages = []*language{newLanguage("en", "en-CA", "English"), newLanguage("fr", "fr-CA", "Français")}

func newLanguage(code, locale, name string) *language {
	l := &language{Code: code, Locale: locale, Name: name}
	content, err := pageTexts.ReadFile("messages/" + code + ".json")
	if err == nil {
		err = json.Unmarshal(content, &l.words)
	}
	if err != nil { // embedded, and read by every test
		panic(err)
	}
	l.pages = template.Must(template.New("").Funcs(template.FuncMap{"t": l.translate, "asset": pageAssets.Path}).ParseFS(pageTexts,
		"templates/*.html"))
	return l
}

// translate returns the message of a key. A missing one is returned itself; the tests make sure that none is missing.
func (l *language) translate(key string, arguments ...any) string {
	words, found := l.words[key]
	switch {
	case !found:
		return key
	case len(arguments) == 0:
		return words
	}
	return fmt.Sprintf(words, arguments...)
}

// waitMessage says how long to wait.
func (l *language) waitMessage(seconds int) string {
	unit, count := "seconds", seconds
	if seconds >= 90 {
		unit, count = "minutes", (seconds+59)/60
	}
	if count == 1 {
		return l.translate("problem.slow." + unit + ".one")
	}
	return l.translate("problem.slow."+unit, strconv.Itoa(count))
}

// languageOf returns the language with a code, or nil.
func languageOf(code string) *language {
	for _, l := range languages {
		if l.Code == code {
			return l
		}
	}
	return nil
}

// preferredLanguage is the first language of ours in the client's list (ui_locales), else in the browser's.
func preferredLanguage(locales, accepted string) *language {
	for each := range strings.FieldsFuncSeq(strings.ToLower(locales), func(c rune) bool { return c == ' ' || c == ',' }) {
		if l := languageOf(strings.SplitN(each, "-", 2)[0]); l != nil {
			return l
		}
	}
	for each := range strings.SplitSeq(strings.ToLower(accepted), ",") {
		language, _, _ := strings.Cut(strings.TrimSpace(each), ";")
		if l := languageOf(strings.SplitN(language, "-", 2)[0]); l != nil {
			return l
		}
	}
	return languages[0]
}
