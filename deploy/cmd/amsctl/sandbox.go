package main

import (
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

var sandboxColumns = []column{
	{"id", "id"}, {"name", "name"}, {"sandbox of", "sandbox_of"}, {"created", "created_at"}, {"emptying asked for", "emptying.requested_at"},
	{"rows deleted", "emptying.deleted"}, {"emptied", "emptying.finished_at"},
}

// sandboxCommands are those on the sandbox of an organization, which is named by the organization's own id.
func sandboxCommands(s *session) []*cobra.Command {
	command := func(use, short, method, path string) *cobra.Command {
		cmd := &cobra.Command{Use: use + " ID", Short: short, Args: cobra.ExactArgs(1)}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			request := ams.Request{Method: method, Path: "/internal/organizations/" + url.PathEscape(args[0]) + "/sandbox" + path}
			if method == http.MethodPost {
				request.Body = map[string]any{}
			}
			return s.operate(cmd, request, sandboxColumns)
		}
		return cmd
	}
	empty := command("empty-sandbox", "Delete all records of an organization's sandbox; its keys stay", http.MethodPost, "/empty")
	empty.Long = empty.Short +
		".\n\nIt goes on after the response: show-sandbox says whether it is done. Meanwhile the sandbox's keys are refused."
	return []*cobra.Command{
		command("create-sandbox", "Make the sandbox of an organization, for test keys", http.MethodPost, ""),
		command("show-sandbox", "Show the sandbox of an organization", http.MethodGet, ""),
		empty,
	}
}
