package requests

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"
)

//go:embed messages/*.json templates/*.html
var texts embed.FS

// language is a language of the pages: its messages, and the templates that use them.
type language struct {
	Code  string // "en", "fr"
	words map[string]string
	pages *template.Template
}

type languages map[string]*language

func loadLanguages() languages {
	all := languages{}
	for _, code := range []string{"en", "fr"} {
		content, err := texts.ReadFile("messages/" + code + ".json")
		if err != nil { // embedded
			panic(err)
		}
		l := &language{Code: code}
		if err := json.Unmarshal(content, &l.words); err != nil {
			panic(fmt.Sprintf("messages/%s.json: %v", code, err))
		}
		l.pages = template.Must(template.New("pages").Funcs(template.FuncMap{"say": l.translate}).ParseFS(texts, "templates/*.html"))
		all[code] = l
	}
	return all
}

// of is the language that somebody has chosen, else the first of the browser's that we have.
func (all languages) of(r *http.Request, chosen string) *language {
	if l := all[chosen]; l != nil {
		return l
	}
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		code, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if l := all[code]; l != nil {
			return l
		}
	}
	return all["en"]
}

// translate gives the message of a key. A missing one is shown as its key; a test makes sure that none is missing.
func (l *language) translate(key string, args ...any) string {
	words, found := l.words[key]
	if !found {
		return key
	}
	if len(args) == 0 {
		return words
	}
	return fmt.Sprintf(words, args...)
}

// name gives the text in the language, where there is one.
func (l *language) name(english string, french *string) string {
	if l.Code == "fr" {
		return either(french, english)
	}
	return english
}

// day writes a date: "21 November 2026", "21 novembre 2026".
func (l *language) day(at time.Time) string {
	day := fmt.Sprint(at.Day())
	if l.Code == "fr" && at.Day() == 1 {
		day = "1er"
	}
	return fmt.Sprintf("%s %s %d", day, l.translate(fmt.Sprintf("month.%d", at.Month())), at.Year())
}
