package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

// personTimeout is longer than a gateway takes for one call about a person.
const personTimeout = time.Minute

var personColumns = []column{{"organization", "organization_id"}, {"service", "service"}, {"table", "table"}, {"rows", "rows"}}

func personCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "persons", Short: "Show or erase what is stored about a person"}
	group.Long = group.Short + `.

They need the operator's token. A person is named by the id of the user, or by an e-mail address: that of a user, or one that was left
with a request or a work order. Only the organization that is named is searched, with its sandbox. What to check before, and how to
respond: docs/operations/requests-of-persons.md.`
	group.AddCommand(s.personCommand("export", "Write out everything that is stored about a person",
		"The table shows how many rows there are; --output json has all of it."),
		s.personCommand("forget", "Erase the personal data of a removed user, or of an e-mail address, at once",
			`An active user is refused: remove the user first. What is erased cannot be brought back, but from a backup. When the command fails
or is killed, run it again: it does the rest. Without it, removed users are erased by themselves after their organization's
contact_retention_days.`))
	return group
}

func (s *session) personCommand(action, short, long string) *cobra.Command {
	var organization, email, user string
	cmd := &cobra.Command{Use: action, Short: short, Long: short + ".\n\n" + long, Args: cobra.NoArgs}
	cmd.Flags().StringVar(&organization, "organization", "", "name or id of the organization")
	cmd.Flags().StringVar(&email, "email", "", "the person's e-mail address")
	cmd.Flags().StringVar(&user, "user", "", "the id of the user")
	require(cmd, "organization")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if (email == "") == (user == "") {
			return errors.New("name the person by one of --email and --user")
		}
		client, err := s.admin()
		if err != nil {
			return err
		}
		id, err := findOrganization(cmd.Context(), client, organization)
		if err != nil {
			return err
		}
		who := map[string]any{"email": email}
		if user != "" {
			who = map[string]any{"user_id": user}
		}
		found, err := s.aboutPerson(cmd.Context(), client, "/internal/organizations/"+url.PathEscape(id)+"/persons/"+action, who)
		if err != nil {
			return err
		}
		found.OrganizationID = id
		return s.showPerson(found)
	}
	return cmd
}

// storedAbout is what is stored about a person, or was until it was erased.
type storedAbout struct {
	OrganizationID string          `json:"organization_id"`
	UserID         *string         `json:"user_id"`
	Record         json.RawMessage `json:"record,omitempty"`
	Data           []storedRows    `json:"data"`
}

type storedRows struct {
	OrganizationID string            `json:"organization_id"`
	Service        string            `json:"service"`
	Table          string            `json:"table"`
	Rows           int64             `json:"rows"`
	Records        []json.RawMessage `json:"records,omitempty"`
}

// aboutPerson calls until nothing is left to be done, and adds up what each service had.
func (s *session) aboutPerson(ctx context.Context, client *ams.Client, path string, who map[string]any) (all storedAbout, err error) {
	all.Data = []storedRows{}
	places := map[string]int{} // of the rows of a table in all.Data
	for after := ""; ; {
		var page struct {
			UserID *string         `json:"user_id"`
			Record json.RawMessage `json:"record"`
			Data   []struct {
				OrganizationID string                       `json:"organization_id"`
				Service        string                       `json:"service"`
				Rows           map[string]int64             `json:"rows"`
				Records        map[string][]json.RawMessage `json:"records"`
			} `json:"data"`
			Next string `json:"next"`
		}
		body := maps.Clone(who)
		if after != "" {
			body["after"] = after
		}
		err := client.Request(ctx, ams.Request{Method: http.MethodPost, Path: path, Body: body, Timeout: personTimeout}, &page)
		if err != nil {
			return all, err
		}
		if all.UserID = page.UserID; page.Record != nil {
			all.Record = page.Record
		}
		for _, part := range page.Data {
			for table, rows := range part.Rows {
				key := part.OrganizationID + " " + part.Service + " " + table
				n, known := places[key]
				if !known {
					n = len(all.Data)
					places[key], all.Data = n, append(all.Data, storedRows{part.OrganizationID, part.Service, table, 0, nil})
				}
				all.Data[n].Rows += rows
				all.Data[n].Records = append(all.Data[n].Records, part.Records[table]...)
			}
		}
		if after = page.Next; after == "" {
			break
		}
		step, _, _ := strings.Cut(after, " ")
		s.note("step " + step)
	}
	slices.SortFunc(all.Data, func(a, b storedRows) int {
		return cmp.Or(strings.Compare(a.OrganizationID, b.OrganizationID), strings.Compare(a.Service, b.Service),
			strings.Compare(a.Table, b.Table))
	})
	return all, nil
}

func (s *session) showPerson(found storedAbout) error {
	if s.output == "json" {
		return s.encode(found)
	}
	if len(found.Data) == 0 && found.Record == nil {
		_, err := fmt.Fprintln(s.out, "Nothing is stored under this name in the organization.")
		return err
	}
	response, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return s.show(response, personColumns...)
}
