package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

var auditColumns = []column{
	{"at", "at"}, {"actor_type", "actor.type"}, {"actor_id", "actor.id"}, {"actor_name", "actor.name"}, {"action", "action"},
	{"subject_type", "subject.type"}, {"subject_id", "subject.id"}, {"subject_name", "subject.name"}, {"changes", "changes"},
	{"address", "address"}, {"request_id", "request_id"},
}

// auditPage is how many entries are requested at once.
const auditPage = "1000"

func auditCommand(s *session) *cobra.Command {
	a := &signIn{session: s}
	var key, person, record, from, to, format string
	cmd := &cobra.Command{Use: "audit", Short: "Write the audit trail to standard output, newest first, signed in as an Administrator",
		Args: cobra.NoArgs}
	cmd.Long = cmd.Short + ".\n\nThe password is AMS_PASSWORD, else it is asked for."
	a.declare(cmd)
	flags := cmd.Flags()
	flags.StringVar(&key, "key", "", "only what this API key did and what was done to it, by its id")
	flags.StringVar(&person, "person", "", "only what this user did, by id")
	flags.StringVar(&record, "record", "", "only what was done to this record, by id")
	flags.StringVar(&from, "from", "", "from this day or time on, such as 2026-05-01")
	flags.StringVar(&to, "to", "", "up to this day (its end) or time")
	flags.StringVar(&format, "format", "csv",
		"csv for spreadsheets (an apostrophe before texts that would be formulas) or ndjson, which is exact")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if format != "csv" && format != "ndjson" {
			return fmt.Errorf("--format %q is not known: use csv or ndjson", format)
		}
		client, organization, err := a.authorize(cmd)
		if err != nil {
			return err
		}
		query := given("key", key, "person", person, "record", record, "from", from, "to", to, "limit", auditPage)
		return a.trail(cmd, client, organization+"/audit", query, format)
	}
	return cmd
}

// trail writes a trail page by page. What is missing because a service is unavailable makes it fail at the end: a trail that is
// not whole must not look whole.
func (a *signIn) trail(cmd *cobra.Command, client *ams.Client, path string, query url.Values, format string) (err error) {
	buffer := bufio.NewWriter(a.out)
	defer func() { err = errors.Join(err, buffer.Flush()) }()
	write := lines(buffer)
	if format == "csv" {
		if write, err = csvLines(buffer); err != nil {
			return err
		}
	}
	var missing []string
	for {
		var page struct {
			Data    []json.RawMessage `json:"data"`
			Next    string            `json:"next"`
			Missing []string          `json:"missing"`
		}
		if err := client.Request(cmd.Context(), ams.Request{Method: http.MethodGet, Path: path, Query: query}, &page); err != nil {
			return err
		}
		missing = append(missing, page.Missing...)
		for _, entry := range page.Data {
			if err := write(entry); err != nil {
				return err
			}
		}
		if page.Next == "" {
			break
		}
		query.Set("after", page.Next)
	}
	if missing != nil {
		slices.Sort(missing)
		return fmt.Errorf("the trail is not whole: %s did not answer; try again", strings.Join(slices.Compact(missing), ", "))
	}
	return nil
}

func lines(out io.Writer) func(json.RawMessage) error {
	return func(entry json.RawMessage) error {
		_, err := fmt.Fprintf(out, "%s\n", entry)
		return err
	}
}

func csvLines(out io.Writer) (func(json.RawMessage) error, error) {
	table := csv.NewWriter(out)
	var titles []string
	for _, c := range auditColumns {
		titles = append(titles, c.title)
	}
	return func(entry json.RawMessage) error {
		var fields map[string]any
		if err := json.Unmarshal(entry, &fields); err != nil {
			return err
		}
		var cells []string
		for _, c := range auditColumns {
			cells = append(cells, harmless(cell(fields, c.path)))
		}
		return errors.Join(table.Write(cells), flushed(table))
	}, errors.Join(table.Write(titles), flushed(table))
}

func flushed(table *csv.Writer) error {
	table.Flush()
	return table.Error()
}

// harmless keeps what others typed from being a formula where the file is opened in a spreadsheet.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
