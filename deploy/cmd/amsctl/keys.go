package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

var keyColumns = []column{
	{"id", "id"}, {"name", "name"}, {"key", "display"}, {"state", "state"}, {"scopes", "scopes"}, {"limit", "rate_limit"},
	{"expires", "expires_at"}, {"last used", "last_used_at"}, {"created by", "created_by.name"},
}

func keyCommands(s *session) *cobra.Command {
	a := &signIn{session: s}
	group := &cobra.Command{Use: "keys", Short: "Create, list and revoke an organization's API keys, signed in as an Administrator"}
	group.Long = group.Short + ".\n\nThe password is AMS_PASSWORD, else it is asked for."
	a.declare(group)
	a.declareTest(group)
	group.AddCommand(createKey(a), listKeys(a), showKey(a),
		keyAction(a, "revoke", "Revoke a key for good: its next request fails"),
		keyAction(a, "suspend", "Suspend a key until it is resumed"),
		keyAction(a, "resume", "Resume a suspended key"),
		replaceKey(a), keyUsage(a))
	return group
}

// keys makes one call about the organization's keys.
func (a *signIn) keys(cmd *cobra.Command, method, path string, body any, columns []column) error {
	return a.callOrganization(cmd, ams.Request{Method: method, Path: "/keys" + path, Body: body}, columns)
}

func listKeys(a *signIn) *cobra.Command {
	var state, createdBy string
	cmd := &cobra.Command{Use: "list", Short: "List the keys, without their values", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&state, "state", "", "only active, inactive, expired or revoked ones")
	cmd.Flags().StringVar(&createdBy, "created-by", "", "only those of the user with this id; they turn inactive when the user is suspended")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.callOrganization(cmd, ams.Request{Method: http.MethodGet, Path: "/keys", Query: given("state", state, "created_by", createdBy)},
			keyColumns)
	}
	return cmd
}

func showKey(a *signIn) *cobra.Command {
	cmd := &cobra.Command{Use: "show ID", Short: "Show a key, without its value", Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.keys(cmd, http.MethodGet, "/"+url.PathEscape(args[0]), nil, append(keyColumns, column{"last address", "last_address"},
			column{"networks", "allowed_networks"}, column{"revokes", "revokes_at"}, column{"privacy confirmed by", "privacy_confirmed_by.name"}))
	}
	return cmd
}

func keyUsage(a *signIn) *cobra.Command {
	var key, from, to string
	cmd := &cobra.Command{Use: "usage", Short: "Show requests, errors and refusals for the limit, per key and day, of the last 90 days",
		Args: cobra.NoArgs}
	cmd.Flags().StringVar(&key, "key", "", "only this key, by its id")
	cmd.Flags().StringVar(&from, "from", "", "first day, such as 2026-05-01")
	cmd.Flags().StringVar(&to, "to", "", "last day")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.callOrganization(cmd, ams.Request{Method: http.MethodGet, Path: "/usage", Query: given("key", key, "from", from, "to", to)},
			[]column{
				{"day", "day"}, {"key", "key_name"}, {"requests", "requests"}, {"errors", "errors"}, {"429", "limited"},
			})
	}
	return cmd
}

func createKey(a *signIn) *cobra.Command {
	var name, expiresIn, expiresAt string
	var scopes, networks []string
	var rateLimit int
	var confirmPrivacy bool
	cmd := &cobra.Command{Use: "create", Short: "Create a key; its value is printed once, here", Args: cobra.NoArgs}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "what the key is for; it stands in the audit trail")
	flags.StringSliceVar(&scopes, "scopes", nil, "such as assets:read,work_orders:write, or *:*")
	flags.StringVar(&expiresIn, "expires-in", "", "such as 90d or 12h (default 90 days, at most 365)")
	flags.StringVar(&expiresAt, "expires-at", "", "a time such as 2027-01-31T00:00:00Z")
	flags.IntVar(&rateLimit, "rate-limit", 0, "requests a minute, 1 to 1000 (default 60)")
	flags.StringSliceVar(&networks, "allowed-networks", nil, "networks the key may be used from, such as 203.0.113.0/24 (default: everywhere)")
	flags.BoolVar(&confirmPrivacy, "confirm-privacy", false,
		"confirm that the key's holder may see names and e-mail addresses of members (users:read) or residents (requests:read)")
	require(cmd, "name", "scopes")
	cmd.MarkFlagsMutuallyExclusive("expires-in", "expires-at")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		body := map[string]any{"name": name, "scopes": scopes, "confirm_privacy": confirmPrivacy}
		if cmd.Flags().Changed("rate-limit") {
			body["rate_limit"] = rateLimit
		}
		if len(networks) > 0 {
			body["allowed_networks"] = networks
		}
		if expiresIn != "" {
			length, err := duration(expiresIn)
			if err != nil {
				return fmt.Errorf("--expires-in: %w", err)
			}
			expiresAt = time.Now().Add(length).UTC().Format(time.RFC3339)
		}
		if expiresAt != "" {
			body["expires_at"] = expiresAt
		}
		a.output = "json" // always: the value is for a program or a person to copy whole
		return a.keys(cmd, http.MethodPost, "", body, nil)
	}
	return cmd
}

func keyAction(a *signIn, action, short string) *cobra.Command {
	cmd := &cobra.Command{Use: action + " ID", Short: short, Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.keys(cmd, http.MethodPost, "/"+url.PathEscape(args[0])+"/"+action, map[string]any{}, keyColumns)
	}
	return cmd
}

func replaceKey(a *signIn) *cobra.Command {
	var overlap string
	cmd := &cobra.Command{Use: "replace ID", Short: "Make a new key like this one and revoke this one; the new value is printed once, here",
		Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&overlap, "overlap", "0h", "how long the old key goes on working, such as 24h or 7d")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		length, err := duration(overlap)
		if err != nil {
			return fmt.Errorf("--overlap: %w", err)
		}
		a.output = "json"
		return a.keys(cmd, http.MethodPost, "/"+url.PathEscape(args[0])+"/replace", map[string]any{"overlap_seconds": int(length.Seconds())}, nil)
	}
	return cmd
}

// duration reads 12h, 90m and, which Go does not know, 90d.
func duration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 3650 {
			return 0, fmt.Errorf("%q is not a length of time such as 90d or 12h", text)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	length, err := time.ParseDuration(text)
	if err != nil || length < 0 {
		return 0, fmt.Errorf("%q is not a length of time such as 90d or 12h", text)
	}
	return length, nil
}
