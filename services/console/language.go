package console

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/domain/catalogue"
)

//go:embed messages/*.json templates/*.html
var texts embed.FS

// language is a language of the pages: its messages, and the templates that use them.
type language struct {
	Code   string // "en", "fr"
	Locale string // of the users who have it: "en-CA"
	words  map[string]string
	pages  map[string]*template.Template
}

type languages []*language

func loadLanguages() (languages, error) {
	var all languages
	for _, locale := range []string{"en-CA", "fr-CA"} {
		l := &language{Code: locale[:2], Locale: locale}
		content, err := texts.ReadFile("messages/" + l.Code + ".json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(content, &l.words); err != nil {
			return nil, fmt.Errorf("messages/%s.json: %w", l.Code, err)
		}
		l.addCatalogue()
		if l.pages, err = parsePages(l); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// addCatalogue adds the words for kinds of records and for features of plans.
func (l *language) addCatalogue() {
	for row := range catalogue.Product().Collections() {
		l.words["record."+row.Singular] = row.Words.In(l.Code)
	}
	for feature := range catalogue.Product().Features() {
		l.words["feature."+feature.Key] = feature.Words.In(l.Code)
	}
}

// of returns the language with a code, else the language of a user's locale.
func (all languages) of(code, locale string) *language {
	for _, l := range all {
		if l.Code == code {
			return l
		}
	}
	for _, l := range all {
		if l.Locale == locale {
			return l
		}
	}
	return all[0]
}

// preferred is the language of an anonymous person: the one chosen here, else the browser's first.
func (all languages) preferred(chosen, accepted string) *language {
	first, _, _ := strings.Cut(accepted, ",")
	chosen, _, _ = strings.Cut(chosen, "-")
	if chosen == "" && strings.HasPrefix(strings.ToLower(strings.TrimSpace(first)), "fr") {
		chosen = "fr"
	}
	return all.of(chosen, "en-CA")
}

// translate returns the message of a key. A missing one is returned itself; the tests make sure that none is missing.
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

// count returns the message for a number: key.one or key.other. French counts 0 as one.
func (l *language) count(key string, n int, args ...any) string {
	form := ".other"
	if n == 1 || n == 0 && l.Code == "fr" {
		form = ".one"
	}
	return l.translate(key+form, append([]any{l.number(n)}, args...)...)
}

// number writes a whole number in groups of three, with the separator of the language.
func (l *language) number(n int) string {
	digits, separator := strconv.Itoa(n), ","
	if l.Code == "fr" {
		separator = "\u202f" // narrow no-break space
	}
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

// bytes writes a number of bytes in the largest unit of which there is one, with a decimal where it is not whole: 1.5 GiB, 1,5 Gio.
func (l *language) bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	if l.Code == "fr" {
		units = []string{"o", "Kio", "Mio", "Gio", "Tio", "Pio"}
	}
	unit, size := 0, float64(n)
	for size >= 1024 && unit < len(units)-1 {
		unit, size = unit+1, size/1024
	}
	return l.decimal(strings.TrimSuffix(strconv.FormatFloat(size, 'f', 1, 64), ".0")) + "\u00a0" + units[unit]
}

// decimal writes a decimal number of the API with the separator of the language.
func (l *language) decimal(number string) string {
	if l.Code == "fr" {
		return strings.ReplaceAll(number, ".", ",")
	}
	return number
}

// plainDecimal is the opposite of decimal: spaces that group digits go, and a French comma becomes a point. An English comma groups
// digits or separates decimals, depending on who writes it, so it stays and is refused.
func (l *language) plainDecimal(text string) string {
	text = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "").Replace(text)
	if l.Code == "fr" {
		text = strings.ReplaceAll(text, ",", ".")
	}
	return text
}

// Date is day for templates.
func (l *language) Date(at time.Time) string { return l.day(at) }

// Names are the names of the languages, each in its own language.
func (l *language) Names() map[string]string {
	return map[string]string{"en": "English", "fr": "Français"}
}

// day writes a date: "21 Nov 2026", "21 nov. 2026".
func (l *language) day(at time.Time) string {
	return fmt.Sprintf("%d\u00a0%s\u00a0%d", at.Day(), l.translate("month."+strconv.Itoa(int(at.Month()))), at.Year())
}

// exactMoment writes a time with its seconds: "21 Nov 2026, 10:04:09", "21 nov. 2026, 10 h 04 min 09 s".
func (l *language) exactMoment(at time.Time) string {
	return l.day(at) + ", " + fmt.Sprintf(l.words["clock.exact"], at.Hour(), at.Minute(), at.Second())
}

// moment writes a time of a day: "21 Nov 2026, 10:04", "21 nov. 2026, 10 h 04".
func (l *language) moment(at time.Time) string {
	return l.day(at) + ", " + fmt.Sprintf(l.words["clock"], at.Hour(), at.Minute())
}
