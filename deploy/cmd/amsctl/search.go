package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

func searchCommand(s *session) *cobra.Command {
	var kinds []string
	var limit int
	var site string
	cmd := &cobra.Command{Use: "search TEXT", Short: "Find records of all collections by name, code, serial number or place",
		Args: cobra.MinimumNArgs(1)}
	cmd.Long = `Find records of all collections by name, code, serial number or place, the best first.

The key in AMS_API_KEY decides what is searched: the collections that it may read. Several words are one text. Behind --, a text may
begin with the name of a subcommand.`
	cmd.AddCommand(verifyIndex(s), rebuildIndex(s))
	flags := cmd.Flags()
	flags.StringSliceVar(&kinds, "kinds", nil, "only these, such as asset,work_order")
	flags.IntVar(&limit, "limit", 10, "records at most, up to 50")
	flags.StringVar(&site, "site", "", "only what is at the site with this id")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		query := url.Values{"q": {strings.Join(words, " ")}, "limit": {strconv.Itoa(limit)}}
		if len(kinds) > 0 {
			query.Set("kinds", strings.Join(kinds, ","))
		}
		if site != "" {
			query.Set("site_id", site)
		}
		client, err := s.public()
		if err != nil {
			return err
		}
		var found json.RawMessage
		if err := client.Request(cmd.Context(), ams.Request{Method: http.MethodGet, Path: "/v1/search", Query: query}, &found); err != nil {
			return err
		}
		if err := s.show(found, column{"kind", "kind"}, column{"name", "name"}, column{"code", "code"}, column{"detail", "detail"},
			column{"status", "status"}, column{"site", "site.name"}, column{"match", "match"}, column{"id", "id"}); err != nil {
			return err
		}
		return s.noteSearch(found)
	}
	return cmd
}

// noteSearch says on standard error what the table does not show.
func (s *session) noteSearch(found json.RawMessage) error {
	var about struct {
		Corrected   map[string][]string
		Hidden      []string
		Unavailable []string
		More        map[string]string
		Totals      map[string]struct {
			Count int
			Exact bool
		}
	}
	if err := json.Unmarshal(found, &about); err != nil {
		return err
	}
	for _, word := range slices.Sorted(maps.Keys(about.Corrected)) {
		s.note(fmt.Sprintf("Where nothing has %q, it was taken for %s", word, strings.Join(about.Corrected[word], ", ")))
	}
	for _, kind := range slices.Sorted(maps.Keys(about.More)) {
		total, atLeast := about.Totals[kind], ""
		if !total.Exact {
			atLeast = "at least "
		}
		s.note(fmt.Sprintf("%s: %s%d in all, see %s", kind, atLeast, total.Count, about.More[kind]))
	}
	if len(about.Hidden) > 0 {
		s.note(fmt.Sprintf("Not searched, because the key or the plan does not have them: %s", strings.Join(about.Hidden, ", ")))
	}
	if len(about.Unavailable) > 0 {
		s.note(fmt.Sprintf("Not searched, because their services do not answer: %s", strings.Join(about.Unavailable, ", ")))
	}
	return nil
}
