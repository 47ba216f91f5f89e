package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ams.internal/libs/discovery"
)

func consulCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "consul", Short: "Make and end the tokens by which the programs register in Consul"}
	about := `

Each NAME=FILE is a program (or prometheus) and a file that holds its token, as the program reads it in
AMS_CONSUL_TOKEN_FILE: a UUID, made by whoever keeps the secrets. AMS_CONSUL_ADDR is a Consul of the primary region,
AMS_CONSUL_MANAGEMENT_TOKEN (or AMS_CONSUL_MANAGEMENT_TOKEN_FILE) a token that may do everything there.`
	prepare := &cobra.Command{Use: "prepare NAME=FILE...", Short: "Have Consul know the tokens of the programs", Args: cobra.MinimumNArgs(1)}
	prepare.Long = `Have Consul know the tokens of the programs, each of which may register under its program's name and see who serves.
It may be run again at any time; what Consul knows already stays. It is given a minute to answer.` + about
	prepare.RunE = consulTokens(s, (*discovery.Tokens).Prepare, "Consul knows the tokens of %d programs; it did not know %d of them.")
	retire := &cobra.Command{Use: "retire NAME=FILE...", Short: "End the former tokens of the programs", Args: cobra.MinimumNArgs(1)}
	retire.Long = `End every other token that "prepare" made for these programs: after a rotation, when no program has the former ones.` +
		about
	retire.RunE = consulTokens(s, (*discovery.Tokens).Retire, "Of %d programs, %d former tokens are ended.")
	group.AddCommand(prepare, retire)
	return group
}

func consulTokens(s *session, work func(*discovery.Tokens, context.Context, io.Writer) (int, error),
	note string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, arguments []string) error {
		management, err := secret("AMS_CONSUL_MANAGEMENT_TOKEN")
		if err != nil {
			return err
		}
		address := os.Getenv("AMS_CONSUL_ADDR")
		if management == "" || address == "" {
			return errors.New("set AMS_CONSUL_ADDR to Consul's host:port, and AMS_CONSUL_MANAGEMENT_TOKEN to a token that may do everything " +
				"there, or AMS_CONSUL_MANAGEMENT_TOKEN_FILE to a file that holds it")
		}
		tokens := map[string]string{}
		for _, argument := range arguments {
			name, file, found := strings.Cut(argument, "=")
			if !found || name == "" || file == "" {
				return fmt.Errorf("%q is not NAME=FILE, such as assets=/run/secrets/assets_consul_token", argument)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			tokens[name] = strings.TrimSpace(string(text))
		}
		known, err := discovery.NewTokens(address, management, tokens)
		if err != nil {
			return err
		}
		changed, err := work(known, cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		s.note(fmt.Sprintf(note, len(tokens), changed))
		return nil
	}
}
