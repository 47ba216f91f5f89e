package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"ams.internal/libs/look"
)

//go:embed messages/*.json templates/*.html
var pageTexts embed.FS

// pageAssets are style and typeface: those of the settings screens.
var pageAssets = look.Under("/oauth/assets")

// language is a language that the page can be read in: its words, and the pages made with them.
type language struct {
	Code, Locale, Name string
	words              map[string]string
	pages              *template.Template
}

// languages are the languages, the usual one first.
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
	l.pages = template.Must(template.New("").Funcs(template.FuncMap{"t": l.say, "asset": pageAssets.Path}).ParseFS(pageTexts, "templates/*.html"))
	return l
}

// say gives a sentence of the catalogue. A key that is not there is shown itself; the tests let none be missing.
func (l *language) say(key string, arguments ...any) string {
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
		return l.say("problem.slow." + unit + ".one")
	}
	return l.say("problem.slow."+unit, strconv.Itoa(count))
}

// languageOf gives the language with a code, or nil.
func languageOf(code string) *language {
	for _, l := range languages {
		if l.Code == code {
			return l
		}
	}
	return nil
}

// preferredLanguage is the first language of ours that the assistant asks for (ui_locales), else that the browser prefers.
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
