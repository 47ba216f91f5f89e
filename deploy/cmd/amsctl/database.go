package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ams.internal/libs/postgres"
)

func databaseCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "database", Short: "Prepare the database for the programs"}
	prepare := &cobra.Command{Use: "prepare FILE...",
		Short: "Make the database, roles and schemas that are missing, and set the roles' passwords", Args: cobra.MinimumNArgs(1)}
	prepare.Long = `Make the database, the roles and the schemas that are missing, and set the passwords of the roles.

Each FILE holds the database URL of one role, as the programs read it in AMS_DATABASE_URL_FILE: ams_owner, and
ams_<program> for each program. AMS_ADMIN_DATABASE_URL (or AMS_ADMIN_DATABASE_URL_FILE) is a superuser, or a role that
may create databases and roles; its server is given a minute to answer. It may be run again at any time, for instance after a password was changed.

A further cell is prepared in the same way, with its own administrator and files: ams_owner, and each program but gateway, console and mcp.`
	prepare.RunE = func(cmd *cobra.Command, files []string) error {
		administrator, err := secret("AMS_ADMIN_DATABASE_URL")
		if err != nil {
			return err
		}
		if administrator == "" {
			return errors.New("set AMS_ADMIN_DATABASE_URL to the database's address for a superuser, or AMS_ADMIN_DATABASE_URL_FILE to a file " +
				"that holds it")
		}
		setup, err := readSetup(files)
		if err != nil {
			return err
		}
		if err := postgres.Await(cmd.Context(), administrator, cmd.ErrOrStderr()); err != nil {
			return err
		}
		if err := postgres.Bootstrap(cmd.Context(), administrator, setup); err != nil {
			return err
		}
		s.note(fmt.Sprintf("Database %s is prepared for %d programs.", setup.Database, len(setup.Services)))
		return nil
	}
	group.AddCommand(prepare)
	return group
}

// readSetup learns database, roles and passwords from the URLs that the programs are given. Errors name files, never
// what is in them.
func readSetup(files []string) (postgres.Setup, error) {
	setup := postgres.Setup{Services: map[string]string{}}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return setup, err
		}
		address, err := url.Parse(strings.TrimSpace(string(text)))
		if err != nil || address.User == nil || len(address.Path) < 2 {
			return setup, fmt.Errorf("%s holds no URL such as postgres://ams_assets:password@host:5432/ams", file)
		}
		database := address.Path[1:]
		if setup.Database != "" && setup.Database != database {
			return setup, fmt.Errorf("%s names the database %s, the files before it %s: prepare one database at a time", file, database,
				setup.Database)
		}
		setup.Database = database
		role := address.User.Username()
		password, _ := address.User.Password()
		service, found := strings.CutPrefix(role, postgres.Role(""))
		switch {
		case password == "":
			return setup, fmt.Errorf("%s has no password for the role %s", file, role)
		case role == postgres.Owner:
			setup.OwnerPassword = password
		case found && service != "":
			setup.Services[service] = password
		default:
			return setup, fmt.Errorf("%s names the role %s: it must be %s or %s<program>", file, role, postgres.Owner, postgres.Role(""))
		}
	}
	if setup.OwnerPassword == "" {
		return setup, fmt.Errorf("none of the files is for the role %s, which owns the tables", postgres.Owner)
	}
	return setup, nil
}
