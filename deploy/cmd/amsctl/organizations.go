package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
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

var organizationColumns = []column{
	{"id", "id"}, {"name", "name"}, {"plan", "plan"}, {"add-ons", "add_ons"}, {"currency", "currency"}, {"cell", "cell"},
	{"created", "created_at"}, {"suspended", "suspended_at"}, {"deleted after", "delete_after"},
}

// limits are those of an organization: the flag that sets each, and its name in the API.
var limits = []struct{ flag, name, doc string }{
	{"requests-per-minute", "requests_per_minute", "requests in a minute"},
	{"in-flight", "requests_in_flight", "requests in progress at once"},
	{"streams", "streams", "streams at once, which are among the requests in progress"},
	{"long-polls", "long_polls", "requests that wait for events at once, which are among the requests in progress"},
	{"active-keys", "active_keys", "active API keys"},
	{"storage-bytes", "storage_bytes", "bytes of documents; plan: of plan and add-ons"},
}

// wholeColumns are those of one organization.
func wholeColumns() []column {
	columns := append(slices.Clone(organizationColumns), deletionColumns[4:]...)
	columns = append(columns, settingColumns...)
	columns = append(columns, column{"features", "features"})
	for _, limit := range limits {
		columns = append(columns, column{strings.ReplaceAll(limit.flag, "-", " "), "limits." + limit.name})
	}
	return append(columns, column{"limits apart from the plan", "own_limits"})
}

func organizationCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "organizations", Short: "Create and list organizations, and change their settings, plans and limits"}
	list := &cobra.Command{Use: "list", Short: "List the organizations", Args: cobra.NoArgs}
	list.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.operate(cmd, ams.Request{Method: http.MethodGet, Path: "/internal/organizations"}, organizationColumns)
	}
	show := &cobra.Command{Use: "show ID", Short: "Show an organization", Args: cobra.ExactArgs(1)}
	show.RunE = func(cmd *cobra.Command, args []string) error {
		return s.operate(cmd, ams.Request{Method: http.MethodGet, Path: "/internal/organizations/" + url.PathEscape(args[0])},
			wholeColumns())
	}
	group.AddCommand(createOrganization(s), list, show, setSettings(s), setPlan(s), setLimits(s), moveOrganization(s),
		suspendOrganization(s), resumeOrganization(s), exportOrganization(s), importOrganization(s))
	group.AddCommand(deleteOrganization(s), holdOrganization(s), releaseOrganization(s), restoreOrganization(s))
	group.AddCommand(sandboxCommands(s)...)
	return group
}

// operate makes one call with the operator's token and shows the response. A list is read to its last page.
func (s *session) operate(cmd *cobra.Command, request ams.Request, columns []column) error {
	client, err := s.admin()
	if err != nil {
		return err
	}
	return s.call(cmd, client, request, columns)
}

func (s *session) call(cmd *cobra.Command, client *ams.Client, request ams.Request, columns []column) error {
	var response json.RawMessage
	if err := client.Request(cmd.Context(), request, &response); err != nil {
		return err
	}
	if request.Method == http.MethodGet {
		whole, err := everyPage(cmd, client, request, response)
		if err != nil {
			return err
		}
		response = whole
	}
	return s.show(response, columns...)
}

// everyPage adds the pages after the first to a list; anything else stays as it is.
func everyPage(cmd *cobra.Command, client *ams.Client, request ams.Request, first json.RawMessage) (json.RawMessage, error) {
	type list struct {
		Data       []json.RawMessage `json:"data"`
		Pagination map[string]int    `json:"pagination"`
	}
	var all list
	if !bytes.Contains(first, []byte(`"pagination"`)) {
		return first, nil
	}
	if err := json.Unmarshal(first, &all); err != nil {
		return nil, err
	}
	if all.Pagination["total_pages"] < 2 {
		return first, nil
	}
	pages := all.Pagination["total_pages"]
	query := url.Values{}
	maps.Copy(query, request.Query)
	request.Query = query
	for page := 2; page <= pages; page++ {
		query.Set("page", plain(page))
		var next list
		if err := client.Request(cmd.Context(), request, &next); err != nil {
			return nil, err
		}
		all.Data = append(all.Data, next.Data...)
	}
	all.Pagination = map[string]int{"page": 1, "per_page": len(all.Data), "total": len(all.Data), "total_pages": 1}
	return json.Marshal(all)
}

func createOrganization(s *session) *cobra.Command {
	var name, plan, email, administrator, currency, cell string
	var addOns []string
	cmd := &cobra.Command{Use: "create", Short: "Create an organization with its first administrator", Args: cobra.NoArgs}
	cmd.Long = cmd.Short + ".\n\nThe administrator's password is AMS_PASSWORD; else it is asked for; else one is made and shown once."
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "name of the organization")
	flags.StringVar(&plan, "plan", "", "essentials, professional or enterprise")
	flags.StringSliceVar(&addOns, "add-ons", nil, "api_keys, los, infrastructure, projects, maintenance, planning, accounting, storage")
	flags.StringVar(&currency, "currency", "", "three letters (default CAD)")
	flags.StringVar(&cell, "cell", "", "where its data goes (default: the cell that takes new organizations and has the fewest)")
	flags.StringVar(&email, "administrator-email", "", "e-mail address of the first administrator")
	flags.StringVar(&administrator, "administrator-name", "", "name of the first administrator")
	require(cmd, "name", "plan", "administrator-email", "administrator-name")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		client, err := s.admin()
		if err != nil {
			return err
		}
		password, err := s.promptPassword("Password of the administrator (empty: make one)")
		if err != nil {
			return err
		}
		made := password == ""
		if made {
			password = rand.Text()
		}
		body := map[string]any{"name": name, "plan": plan, "add_ons": append([]string{}, addOns...),
			"administrator": map[string]string{"email": email, "name": administrator, "password": password}}
		if currency != "" {
			body["currency"] = currency
		}
		if cell != "" {
			body["cell"] = cell
		}
		var created map[string]any
		if err := client.Request(cmd.Context(), ams.Request{Method: http.MethodPost, Path: "/internal/organizations", Body: body},
			&created); err != nil {
			return err
		}
		columns := append(organizationColumns, column{"administrator", "administrator.email"})
		if made {
			created["administrator_password"] = password
			columns = append(columns, column{"password (shown once)", "administrator_password"})
		}
		response, err := json.Marshal(created)
		if err != nil {
			return err
		}
		return s.show(response, columns...)
	}
	return cmd
}

func setPlan(s *session) *cobra.Command {
	var plan string
	var addOns []string
	cmd := &cobra.Command{Use: "set-plan ID", Short: "Set an organization's plan and add-ons", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&plan, "plan", "", "essentials, professional or enterprise")
	cmd.Flags().StringSliceVar(&addOns, "add-ons", nil, "api_keys, los, infrastructure, projects, maintenance, planning, accounting, "+
		"storage; an empty list takes all away (default: as they are)")
	require(cmd, "plan")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		body := map[string]any{"plan": plan}
		if cmd.Flags().Changed("add-ons") {
			body["add_ons"] = append([]string{}, addOns...)
		}
		return s.operate(cmd, ams.Request{Method: http.MethodPatch, Path: "/internal/organizations/" + url.PathEscape(args[0]), Body: body},
			wholeColumns())
	}
	return cmd
}

func setLimits(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "set-limits ID", Short: "Set what an organization may do at most over all its keys", Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + ".\n\nEach limit is a whole number, or plan for that of the organization's plan. What is not given stays as it is."
	for _, limit := range limits {
		cmd.Flags().String(limit.flag, "", limit.doc)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := map[string]any{}
		for _, limit := range limits {
			if !cmd.Flags().Changed(limit.flag) {
				continue
			}
			text := cmd.Flag(limit.flag).Value.String()
			number, err := strconv.Atoi(text)
			switch {
			case text == "plan":
				given[limit.name] = nil
			case err != nil || number < 1:
				return fmt.Errorf("--%s %s: give a whole number from 1, or plan", limit.flag, text)
			default:
				given[limit.name] = number
			}
		}
		if len(given) == 0 {
			return errors.New("give at least one limit, for example --streams 8, or --streams plan")
		}
		return s.operate(cmd, ams.Request{Method: http.MethodPatch, Path: "/internal/organizations/" + url.PathEscape(args[0]),
			Body: map[string]any{"limits": given}}, wholeColumns())
	}
	return cmd
}

// require marks flags that a command cannot do without.
func require(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic("amsctl: " + strings.Join(names, ", ") + ": " + err.Error()) // a flag that is not declared: a mistake of ours
		}
	}
}
