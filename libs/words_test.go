package libs_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// coined is a word that stands in names of this product and is no word of the trade.
type coined struct {
	word  string
	forms []string // its other forms; several parts of a name are written apart, in lower case
	first bool     // counts at the beginning of a name only
	not   string   // the part behind which it is another word
	use   string   // the words of the trade
}

var coinages = []coined{
	{word: "answer", forms: []string{"answers", "answered", "answering", "unanswered"}, use: "response, result"},
	{word: "ask", forms: []string{"asks", "asked", "asking"}, use: "query, request, call"},
	{word: "away", use: "unavailable"},
	{word: "bared", use: "stripped, withoutMetadata"},
	{word: "brokeOff", forms: []string{"broke off"}, use: "interrupted, truncated"},
	{word: "emptier", forms: []string{"emptiers"}, use: "cleaner, purger"},
	{word: "gone", use: "deleted, ended, retired"},
	{word: "judge", forms: []string{"judges", "judged", "judging"}, use: "evaluate, assess"},
	{word: "kept", use: "stored, retained, cached, saved"},
	{word: "least", first: true, use: "min…"},
	{word: "look", forms: []string{"looks", "looked", "looking"}, not: "up", use: "check, scan, poll"},
	{word: "mayGo", forms: []string{"may go"}, use: "canDelete, canContinue, canProceed"},
	{word: "most", first: true, use: "max…"},
	{word: "occasion", forms: []string{"occasions"}, use: "time event, reminder"},
	{word: "pace", forms: []string{"paces", "paced", "pacing"}, use: "rate, throughput"},
	{word: "patience", use: "timeout, deadline"},
	{word: "poke", forms: []string{"pokes", "poked"}, use: "wake, notify"},
	{word: "said", forms: []string{"say", "says", "saying"}, use: "reported, logged, stated; of texts: translate, message"},
	{word: "standing", forms: []string{"standings"}, use: "balance, status, position, state"},
	{word: "there", use: "exists, found, present"},
	{word: "told", forms: []string{"tell", "tells", "telling"}, use: "notified, sent"},
	{word: "turner", forms: []string{"turners"}, use: "yearRollover, or what it does"},
	{word: "wide", use: "int128"},
}

// ofTheTrade are coinages that are the trade's own words in some packages.
var ofTheTrade = map[string]string{
	"services/forms answer": "a form has items, and answers to them",
	"deploy/demo wide":      "streets are wide",
}

var coinageOfPart = func() map[string]coined {
	all := map[string]coined{}
	for _, c := range coinages {
		for _, form := range append(c.forms, strings.ToLower(c.word)) {
			all[form] = c
		}
	}
	return all
}()

// coinagesIn gives the coined words of a name, each once.
func coinagesIn(name string) (found []coined) {
	parts := partsOf(name)
	add := func(c coined, isOne bool) {
		if isOne && !slices.ContainsFunc(found, func(other coined) bool { return other.word == c.word }) {
			found = append(found, c)
		}
	}
	for i, part := range parts {
		next := ""
		if i+1 < len(parts) {
			next = parts[i+1]
		}
		c, isCoined := coinageOfPart[part]
		add(c, isCoined && (i == 0 || !c.first) && (c.not == "" || next != c.not))
		c, isCoined = coinageOfPart[part+" "+next]
		add(c, isCoined)
	}
	return found
}

// partsOf are the words of a name in lower case: http, server and 2 of HTTPServer2.
func partsOf(name string) (parts []string) {
	var part []rune
	end := func() {
		if len(part) > 0 {
			parts = append(parts, strings.ToLower(string(part)))
		}
		part = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		begins := unicode.IsUpper(r) && (i > 0 && !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins || r == '_' || i > 0 && unicode.IsDigit(r) != unicode.IsDigit(runes[i-1]) {
			end()
		}
		if r != '_' {
			part = append(part, r)
		}
	}
	end()
	return parts
}

func TestCoinedWordsAreFoundInNames(t *testing.T) {
	for name, want := range map[string]string{
		"answer": "answer", "keptAnswer": "kept answer", "HTTPAnswers2": "answer",
		"ErrBrokeOff": "brokeOff", "mayGoOn": "mayGo", "mostRows": "most", "atMost": "", "lookUp": "", "lookUpAsked": "ask",
		"looksUp": "", "lookInterval": "look", "widest": "", "therefore": "", "asset": "", "task": "",
		"mask_asked": "ask", "answerToAnswers": "answer", "MOST": "most", "workspace": "", "AnsweredAt": "answer",
	} {
		var words []string
		for _, c := range coinagesIn(name) {
			words = append(words, c.word)
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s has the words %q, want %q", name, got, want)
		}
	}
}

// TestNamesAreWordsOfTheTrade: what is declared outside of tests is called what an engineer who has never seen this product would call it.
func TestNamesAreWordsOfTheTrade(t *testing.T) {
	check := func(s source, name *ast.Ident) {
		for _, c := range coinagesIn(name.Name) {
			if ofTheTrade[s.folder()+" "+c.word] == "" {
				t.Errorf("%s at %s:%d: %q is no word of the trade, use %s", name.Name, s.path, s.line(name.Pos()), c.word, c.use)
			}
		}
	}
	packages := map[string]bool{}
	for _, s := range readSources(t) {
		if s.isTest() {
			continue
		}
		if !packages[s.folder()] {
			packages[s.folder()] = true
			check(s, s.syntax.Name)
		}
		for name := range declaredIn(s.syntax) {
			check(s, name)
		}
	}
}

// declaredIn are the names that a file declares: functions, methods, types, fields, parameters, constants and variables.
func declaredIn(file *ast.File) func(yield func(*ast.Ident) bool) {
	return func(yield func(*ast.Ident) bool) {
		each := func(names ...ast.Expr) bool {
			for _, name := range names {
				if identifier, ok := name.(*ast.Ident); ok && !yield(identifier) {
					return false
				}
			}
			return true
		}
		goOn := true
		ast.Inspect(file, func(node ast.Node) bool {
			if !goOn {
				return false
			}
			switch n := node.(type) {
			case *ast.FuncDecl:
				goOn = each(n.Name)
			case *ast.TypeSpec:
				goOn = each(n.Name)
			case *ast.Field:
				for _, name := range n.Names {
					goOn = goOn && each(name)
				}
			case *ast.ValueSpec:
				for _, name := range n.Names {
					goOn = goOn && each(name)
				}
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					goOn = each(n.Lhs...)
				}
			case *ast.RangeStmt:
				if n.Tok == token.DEFINE {
					goOn = each(n.Key, n.Value)
				}
			}
			return goOn
		})
	}
}
