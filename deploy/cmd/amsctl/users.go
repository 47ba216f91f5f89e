package main

import (
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

var linkColumns = []column{{"user", "user_id"}, {"name", "name"}, {"e-mail", "email"}, {"link (works once)", "link"},
	{"until", "expires_at"}}

func userCommands(s *session) *cobra.Command {
	a := &signIn{session: s}
	group := &cobra.Command{Use: "users", Short: "Invite users and make the link for their first password, signed in as an Administrator"}
	group.Long = group.Short + ".\n\nThe password is AMS_PASSWORD, else it is asked for."
	a.declare(group)
	link := &cobra.Command{Use: "link EMAIL|ID",
		Short: "Make the link by which a user without a password sets the first one; an earlier link ends", Args: cobra.ExactArgs(1)}
	link.RunE = func(cmd *cobra.Command, args []string) error {
		who := map[string]any{"user_id": args[0]}
		if strings.Contains(args[0], "@") {
			who = map[string]any{"email": args[0]}
		}
		return a.callOrganization(cmd, ams.Request{Method: http.MethodPost, Path: "/users/link", Body: who}, linkColumns)
	}
	group.AddCommand(inviteUser(a), link)
	return group
}

func inviteUser(a *signIn) *cobra.Command {
	var name, role, locale string
	cmd := &cobra.Command{Use: "invite EMAIL", Short: "Make a user and the link for the first password, which is shown once, here",
		Args: cobra.ExactArgs(1)}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "the user's full name")
	flags.StringVar(&role, "role", "viewer", "administrator, manager, technician, viewer or requester")
	flags.StringVar(&locale, "locale", "en-CA", "en-CA or fr-CA")
	require(cmd, "name")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.callOrganization(cmd, ams.Request{Method: http.MethodPost, Path: "/users/invite",
			Body: map[string]any{"email": args[0], "name": name, "role": role, "locale": locale}}, linkColumns)
	}
	return cmd
}
