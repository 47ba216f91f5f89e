package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextsAreFoldedToWords(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	for text, want := range map[string]string{
		"Hôtel de Ville": "hotel ville", "L’École d’Été": "ecole ete", "L'ECOLE D'ETE": "ecole ete", "St. Mary's": "st mary", "ŒUVRE": "oeuvre",
		"Straße": "strasse", "STRASSE": "strasse", "Å": "a", "A\u030a": "a", "\u212b": "a", "De La": "de la", "😀": "", "": "", " – ": "",
		"qu'il y a": "il y", "aujourd'hui": "aujourd hui",
		"O'Brien": "o brien", "l'": "l", "Łódź Ødegård Đakovo Æsir": "lodz odegard dakovo aesir",
		"ﬁn №\u00a05 x²": "fin no 5 x2", "100%_a'b&c": "100 b c", "\\u0000": "u0000", "ΟΔΟΣ Οδος": "οδοσ οδοσ", "İSTANBUL": "istanbul",
		"مدرسة القُدْس": "مدرسة القدس", "\u200fשלום\u200f עולם": "שלום עולם", "Pompe de circulation nº 2": "pompe circulation no 2",
		"rue\u00adQueen\u2028Ouest\ttab": "rue queen ouest tab", "e\u0301\u0301\u0301cole": "ecole", "'; DROP TABLE book; --": "drop table book",
		long: strings.Repeat("e", 64), strings.Repeat("mot ", 2500): strings.TrimSpace(strings.Repeat("mot ", 2500)),
	} {
		if got := strings.Join(Fold(text), " "); got != want {
			t.Errorf("%.40q: %.80q, want %.80q", text, got, want)
		}
	}
}

func TestCodesAreFoundWholeByTheirPartsAndByTheirNumbers(t *testing.T) {
	for code, want := range map[string]string{
		"A-000123": "a000123 000123 123", "SN-48-22107": "sn4822107 sn 48 22107", "SITE-0001": "site0001 site 0001 1", "E-1042": "e1042 1042",
		"0612345678905": "0612345678905 612345678905", "000": "000 0",
		"RTE": "rte", "CCBF-2026-0147": "ccbf20260147 ccbf 2026 0147 147", "a": "a", "-": "", "DE-LA-12": "dela12 de la 12", "É/7": "e7 7",
		"anne.tremblay@riviere-claire.ca": "annetremblayriviereclaireca anne tremblay riviere claire ca",
	} {
		if got := strings.Join(Codes(code), " "); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

func TestARecordHasItsWholeCodesAndTheFirst40OtherWords(t *testing.T) {
	var record Terms
	record.Add(Text, "Grundfos UPS "+strings.Repeat("x", 100))
	record.Add(Code, "A-000123")
	record.Add(Name, "Pompe de la pompe nº 2")
	record.Add(Code, "")
	record.AddKind("Pumps pompes")
	got, want := strings.Join(record.All(), ", "), "lpompe pompe no 2, fpompe, ca000123, npompe, nno, n2, p000123, p123, tgrundfos, tups, t"+
		strings.Repeat("x", 64)+", tpumps, tpompes"
	if got != want {
		t.Errorf("terms %q, want %q", got, want)
	}
	var name strings.Builder
	for i := range 60 {
		fmt.Fprintf(&name, "mot%d ", i)
	}
	record.Add(Name, name.String())
	record.Add(Code, "Z-9")
	record.Ended = true
	terms := record.All()
	if len(terms) != 1+2+2+40 || !slices.Contains(terms, "cz9") || slices.Contains(terms, "tgrundfos") || terms[0] != Ended {
		t.Errorf("%d terms: %v", len(terms), terms)
	}
}

func TestDistancesOfTypingErrors(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"grunfos", "grundfos", 1}, {"chaudeire", "chaudiere", 1}, {"trene", "trane", 1}, {"pmup", "pump", 1}, {"grnfs", "grundfos", 3},
		{"", "abc", 3}, {"same", "same", 0}, {"ecole", "école", 1}, {"abcd", "badc", 2}, {"ca", "abc", 3},
	} {
		if got := Distance(c.a, c.b); got != c.want || Distance(c.b, c.a) != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// What Near refuses is not at distance 1, and what is at distance 1 it does not refuse.
func TestNearIsDistance1(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abcéè")
	word := func() []rune {
		made := make([]rune, 4+random.IntN(6))
		for i := range made {
			made[i] = letters[random.IntN(len(letters))]
		}
		return made
	}
	near := 0
	for range 20_000 {
		a := word()
		b, i := slices.Clone(a), random.IntN(len(a)-1)
		switch random.IntN(6) {
		case 0:
			b = slices.Delete(b, i, i+1)
		case 1:
			b = slices.Insert(b, i, letters[random.IntN(len(letters))])
		case 2:
			b[i] = letters[random.IntN(len(letters))]
		case 3:
			b[i], b[i+1] = b[i+1], b[i]
		case 4:
			b[0], b[len(b)-1] = 'è', 'x'
		}
		want := Distance(string(a), string(b)) == 1
		if want {
			near++
		}
		if Near(string(a), string(b)) != want || Near(string(b), string(a)) != want {
			t.Fatalf("%s and %s: near is not %v", string(a), string(b), want)
		}
	}
	if near < 8_000 {
		t.Errorf("only %d words were at distance 1", near)
	}
}

func TestQueriesAreReadOrRefused(t *testing.T) {
	for text, want := range map[string]string{
		"Hôtel de Ville": "[{hotel false []} {ville true []}] hoteldeville", "A 000123": "[{000123 true []}] a000123", "b": "[{b false []}] b",
		"pompe 2":     "[{pompe false []} {2 false []}] pompe2",
		"pompe pompe": "[{pompe false []}] pompepompe", "De La": "[{de false []} {la true []}] dela",
		strings.Repeat("é", 200): "[{" + strings.Repeat("e", 64) + " true []}] " + strings.Repeat("e", 64),
		"%a_":                    "[{a false []}] a", "x'; DROP TABLE t; --": "[{x false []} {drop false []} {table false []} {t false []}] " +
			"xdroptablet", "the a of de la les et en pump": "[{pump true []}] theaofdelalesetenpump",
	} {
		query, err := Parse(text)
		if got := fmt.Sprintf("%v %s", query.Words, query.Code); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		strings.Repeat("x", 201): "200 characters", "b c d e f g h i j": "8 words", "": "a letter or a digit", "😀": "a letter or a digit",
		"%": "a letter or a digit", "_ & '": "a letter or a digit", "a\x00b": "NUL", "a\xffb": "UTF-8",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Hôtel de Ville")
	f.Add("l'\u0301\u200f%")
	f.Fuzz(func(t *testing.T, text string) {
		query, err := Parse(text)
		if err != nil {
			return
		}
		for _, w := range query.Words {
			if folded := Fold(w.Typed); len(folded) != 1 || folded[0] != w.Typed || utf8.RuneCountInString(w.Typed) > maxLetters {
				t.Errorf("%q: %q is folded to %q", text, w.Typed, folded)
			}
		}
	})
}

func TestOnlyWordsThatAreThereAreMeant(t *testing.T) {
	query, err := Parse("grunfos pump")
	if err != nil {
		t.Fatal(err)
	}
	if got := query.Corrigible(); len(got) != 2 || got[0].Typed != "grunfos" || got[1].Typed != "pump" {
		t.Errorf("corrigible: %v", got)
	}
	for _, word := range []string{"fna", "a123", "1234", "été"} {
		if Corrects(word) {
			t.Errorf("%s is corrected", word)
		}
	}
	candidates := []Candidate{
		{"grunfos", "grundfos", 7}, {"grunfos", "grunfo", 9}, {"grunfos", "grundfoss", 99}, {"grunfos", "runfos", 0}, {"grunfos", "grunfxs", 3},
		{"grunfos", "grunfas", 3}, {"grunfos", "grunfis", 2}, {"grunfos", "grunfus", 1},
	}
	corrected, is := query.Correct(candidates)
	want := map[string][]string{"grunfos": {"grunfo", "grundfos", "grunfas", "grunfxs", "grunfis"}}
	if got := corrected.Corrected(); !is || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v %v, want %v", is, got, want)
	}
	if corrected, is := query.Correct(append(candidates, Candidate{Typed: "pump"})); is || corrected.Corrected() != nil {
		t.Errorf("a query of which one word stays unknown was corrected: %v", corrected)
	}
	if _, is := query.Correct(nil); is {
		t.Error("a query whose words are known was corrected")
	}
}

func TestWordsOfTheTradeMeanTheSameInBothLanguages(t *testing.T) {
	for word, want := range map[string]string{"toit": "roof roofs", "toits": "roof", "roof": "toit toiture", "chaudiere": "boiler boilers",
		"boilers": "chaudiere",
		"pompe":   "pump", "door": "porte portes", "fenetres": "window", "elevator": "ascenseur lift", "chauffage": "heating", "conduite": "pipe",
		"arena": "", "s": ""} {
		got := Synonyms(word)
		for each := range strings.FieldsSeq(want) {
			if !slices.Contains(got, each) {
				t.Errorf("%s means %v, and not %s", word, got, each)
			}
		}
		if want == "" && got != nil || slices.Contains(got, word) {
			t.Errorf("%s means %v", word, got)
		}
	}
	for _, line := range meanings {
		for word := range strings.FieldsSeq(line) {
			if folded := Fold(word); len(folded) != 1 || folded[0] != word {
				t.Errorf("%q is not folded, and nobody who types it is understood", word)
			}
		}
	}
	query, err := Parse("toit lincoln")
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]int{"roof": 2, "roofing": 1, "toit": 1}
	if meant, is := query.Mean(func(word string) int { return has[word] }); !is ||
		fmt.Sprint(meant.Words) != "[{toit false [toit roof roofing]} {lincoln true []}]" {
		t.Errorf("meant is %v", meant)
	}
	if meant, is := query.Mean(func(string) int { return 0 }); is || fmt.Sprint(meant) != fmt.Sprint(query) {
		t.Errorf("nothing has it, and meant is %v", meant)
	}
}
