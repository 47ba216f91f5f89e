package oauth

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Both languages have the same messages with the same verbs, and the pages and the code use no others.
func TestTheWordsOfBothLanguages(t *testing.T) {
	english, french := languages[0].words, languages[1].words
	places := regexp.MustCompile(`%[sd]`)
	for key, words := range english {
		if french[key] == "" || words == "" {
			t.Errorf("%s is missing in a language", key)
		}
		if !slices.Equal(places.FindAllString(words, -1), places.FindAllString(french[key], -1)) {
			t.Errorf("%s has other places in French", key)
		}
		if words == french[key] {
			t.Errorf("%s is not translated", key)
		}
	}
	for key := range french {
		if english[key] == "" {
			t.Errorf("%s is there in French only", key)
		}
	}
	used := map[string]bool{}
	templates, err := fs.Glob(pageTexts, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range templates {
		content, err := fs.ReadFile(pageTexts, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`\{\{t "([^"]+)"`).FindAllSubmatch(content, -1) {
			used[string(found[1])] = true
		}
		if strings.Contains(string(content), "<script") || strings.Contains(string(content), " style=") ||
			strings.Contains(string(content), " onclick") {
			t.Errorf("%s needs what the policy forbids", file)
		}
	}
	for key := range used {
		if english[key] == "" {
			t.Errorf("a page says %s, which is in no catalogue", key)
		}
	}
	for _, word := range []string{"malformed", "repeated", "client_missing", "client_unknown", "client_malformed", "client_away",
		"client_busy", "redirect_missing",
		"redirect_unregistered", "redirect_not_allowed", "stale", "forged", "slow", "unavailable"} {
		if english["refused."+word] == "" {
			t.Errorf("a page would say %s, which is in no catalogue", word)
		}
	}
}

func TestWhichLanguageThePageSpeaks(t *testing.T) {
	for _, test := range []struct{ locales, accepted, want string }{
		{"", "", "en"}, {"", "de", "en"}, {"", "fr", "fr"}, {"", "fr-CA,en;q=0.5", "fr"}, {"", "de, fr;q=0.8, en;q=0.5",
			"fr"}, {"", "en-US,fr", "en"},
		{"fr-CA", "en", "fr"}, {"de fr en", "en", "fr"}, {"de", "fr", "fr"}, {"EN", "fr", "en"}, {"", "*", "en"},
	} {
		if got := preferredLanguage(test.locales, test.accepted).Code; got != test.want {
			t.Errorf("%q, %q: %s", test.locales, test.accepted, got)
		}
	}
	if got := languages[0].waitMessage(1); got != "Too many attempts from your network. Wait 1 second, then try again." {
		t.Error(got)
	}
	if got := languages[0].waitMessage(91); !strings.Contains(got, "2 minutes") {
		t.Error(got)
	}
	if got := languages[1].waitMessage(30); !strings.Contains(got, "30 secondes") {
		t.Error(got)
	}
}
