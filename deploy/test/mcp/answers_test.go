package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
)

// Tasks of asset managers, carried out by the calls of tools that an assistant makes for them, twice: for who speaks English at a school
// board, and for who speaks French at a city. The answer is made of what the tools say alone, and must be what SQL says.

const (
	board = "Northgate District School Board"

	mostCalls  = 4
	mostTokens = 8000
	// charactersPerToken is that of the tool list (services/mcp): JSON of figures and names has more for each.
	charactersPerToken = 3.8
)

// speaker is who asks.
type speaker struct {
	language, organization string
}

var speakers = []speaker{{"en", board}, {"fr", city}}

// task is one question, what an assistant calls for it, and what the answer must be.
type task struct {
	name    string // in the table
	asks    [2]string
	answers func(a *asker) string
	sql     string // one text; $1 is the organization, $2 what matters gives
	matters func(a *asker) any
}

// asker is an assistant at one task.
type asker struct {
	t             *testing.T
	key           key
	speaker       speaker
	calls, tokens int
	kept          map[string]any // what the SQL needs of what was written
}

// say gives what is said in the speaker's language.
func (a *asker) say(english, french string) string {
	if a.speaker.language == "fr" {
		return french
	}
	return english
}

// object and list are JSON.
type (
	object = map[string]any
	list   = []any
)

// call calls a tool, which must not refuse.
func (a *asker) call(tool string, arguments object) object {
	a.t.Helper()
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": object{"name": tool, "arguments": arguments}})
	if err != nil {
		a.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, base(a.t)+"/mcp", bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + a.key.value, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18", "Accept-Language": a.speaker.language + "-CA"} {
		request.Header.Set(name, value)
	}
	response, err := (&http.Client{Timeout: 60 * time.Second}).Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.Result.Content) == 0 {
		a.t.Fatalf("%s: %d %v", tool, response.StatusCode, err)
	}
	text := answer.Result.Content[0].Text
	encoded, _ := json.Marshal(arguments)
	a.calls++
	a.tokens += int(float64(utf8.RuneCountInString(text)+utf8.RuneCount(encoded)+len(tool)) / charactersPerToken)
	if answer.Result.IsError {
		a.t.Fatalf("%s %s: %s", tool, encoded, text)
	}
	var result object
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	return result
}

// found is the first record that find gives.
func (a *asker) found(text string, kinds ...any) object {
	a.t.Helper()
	rows := a.call("find", object{"text": text, "kinds": kinds})["data"].(list)
	if len(rows) == 0 {
		a.t.Fatalf("find gives nothing for %s", text)
	}
	return rows[0].(object)
}

// rowsOf puts members of rows into lines, in the order of the rows or sorted.
func rowsOf(of any, line func(row object) string) []string {
	var lines []string
	rows, _ := of.(list)
	for _, row := range rows {
		lines = append(lines, line(row.(object)))
	}
	return lines
}

func sorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// money is an amount as SQL writes one of type numeric(,2).
func money(value any) string {
	amount, _ := value.(float64)
	return fmt.Sprintf("%.2f", amount)
}

// number is a whole number.
func number(value any) string {
	n, _ := value.(float64)
	return fmt.Sprintf("%.0f", n)
}

func count(result object) string { return number(result["total"]) }

// groups are the groups of a result with their count, and a sum where there is one.
func groups(result object, sums ...string) string {
	return sorted(rowsOf(result["groups"], func(row object) string {
		line := fmt.Sprint(row["key"]) + " " + number(row["count"])
		if name, named := row["name"].(string); named {
			line = name + " " + number(row["count"])
		}
		for _, sum := range sums {
			line += " " + money(row[sum])
		}
		return line
	}))
}

const openDeficiency = `status IN ('open', 'planned', 'in_work')`

// localDay is a day of the organization o.
const localDay = `(now() AT TIME ZONE o.time_zone)::date`

func TestAssistantsGetRightAnswers(t *testing.T) {
	d := devstack.ForTest(t).Description()
	database, err := pgx.Connect(t.Context(), d.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close(t.Context()) })
	keys := map[string]key{}
	for _, who := range speakers {
		keys[who.organization] = newKeyOf(t, who.organization)
	}
	table, wrong := []string{}, 0
	for _, task := range slices.Concat(tasks, furtherTasks) {
		line := "| " + task.name + " |"
		for i, who := range speakers {
			t.Run(task.name+" "+who.language, func(t *testing.T) {
				a := &asker{t: t, key: keys[who.organization], speaker: who, kept: object{}}
				right := "**no**"
				defer func() {
					if right != "yes" {
						wrong++
					}
					line += fmt.Sprintf(" %d | %s | %s |", a.calls, rounded(a.tokens), right)
				}()
				got := task.answers(a)
				arguments := []any{a.key.organization}
				if task.matters != nil {
					arguments = append(arguments, task.matters(a))
				}
				var want string
				if err := database.QueryRow(t.Context(), task.sql, arguments...).Scan(&want); err != nil {
					t.Fatalf("%v\n%.400s", err, task.sql)
				}
				switch {
				case want == "":
					t.Errorf("%s: there is nothing to be found, which proves nothing", task.asks[i])
				case got != want:
					t.Errorf("%s\ngot  %.600s\nwant %.600s", task.asks[i], got, want)
				case a.calls > mostCalls || a.tokens > mostTokens:
					t.Errorf("%s: %d calls with %d tokens", task.asks[i], a.calls, a.tokens)
				default:
					right = "yes"
				}
			})
		}
		table = append(table, line)
	}
	t.Logf("%d of %d answers are right\n%s", 2*len(table)-wrong, 2*len(table), strings.Join(table, "\n"))
	if len(table) != 60 || wrong > 0 {
		t.Errorf("%d tasks, %d answers are wrong", len(table), wrong)
	}
	if wrong == 0 {
		keepTable(t, table)
	}
}

// rounded is a number of tokens to the hundred, which stays the same while ids and days change.
func rounded(tokens int) string {
	if tokens < 100 {
		return "100"
	}
	return fmt.Sprint((tokens + 50) / 100 * 100)
}

// tableOf is where the table stands in docs/mcp.md.
var tableOf = regexp.MustCompile(`(?s)(<!-- tasks -->\n).*?(<!-- /tasks -->)`)

// keepTable writes the table into docs/mcp.md (AMS_GOLDEN=write), or compares the tasks that it has and whether they are right: calls and
// tokens are of the day on which it was written.
func keepTable(t *testing.T, lines []string) {
	t.Helper()
	path := filepath.Join(output(t, "", "go", "list", "-m", "-f", "{{.Dir}}", "ams.internal/services"), "..", "docs", "mcp.md")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	there := tableOf.FindSubmatch(content)
	if there == nil {
		t.Fatal("docs/mcp.md has no place for the table")
	}
	if os.Getenv("AMS_GOLDEN") == "write" {
		written := "As of " + time.Now().UTC().Format(time.DateOnly) + ", with the demonstration data (`make test-mcp`):\n\n" +
			"| task | English: calls | tokens | right | French: calls | tokens | right |\n|---|---|---|---|---|---|---|\n" +
			strings.Join(lines, "\n") + "\n\n"
		content = tableOf.ReplaceAll(content, []byte("${1}"+strings.ReplaceAll(written, "$", "$$")+"${2}"))
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	cells := func(lines []string) (kept []string) {
		for _, line := range lines {
			if c := strings.Split(line, "|"); len(c) == 9 && !strings.Contains(c[1], "---") && strings.TrimSpace(c[1]) != "task" {
				kept = append(kept, strings.TrimSpace(c[1])+strings.TrimSpace(c[4])+strings.TrimSpace(c[7]))
			}
		}
		return kept
	}
	if got, want := cells(lines), cells(strings.Split(string(there[0]), "\n")); !slices.Equal(got, want) {
		t.Errorf("docs/mcp.md has other tasks: AMS_GOLDEN=write make test-mcp writes them\n%q\n%q", got, want)
	}
}
