package main

import (
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

// holdOrganization keeps an organization from being deleted.
func holdOrganization(s *session) *cobra.Command {
	var reason string
	cmd := &cobra.Command{Use: "hold NAME", Short: "Keep an organization from being deleted until it is released", Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + ".\n\nNAME is its name or its id. It works as before. Holds on single documents are the organization's own: " +
		"/v1/legal-holds."
	cmd.Flags().StringVar(&reason, "reason", "", "why, for whoever wants to delete it")
	require(cmd, "reason")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.changeHold(cmd, args[0], "hold", map[string]any{"reason": reason})
	}
	return cmd
}

func releaseOrganization(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: "release NAME", Short: "Let an organization that is held be deleted", Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.changeHold(cmd, args[0], "release", map[string]any{})
	}
	return cmd
}

func (s *session) changeHold(cmd *cobra.Command, name, what string, body map[string]any) error {
	client, err := s.admin()
	if err != nil {
		return err
	}
	id, err := findOrganization(cmd.Context(), client, name)
	if err != nil {
		return err
	}
	return s.operate(cmd, ams.Request{Method: http.MethodPost, Path: "/internal/organizations/" + url.PathEscape(id) + "/" + what,
		Body: body}, deletionColumns)
}
