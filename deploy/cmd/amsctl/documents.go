package main

import "github.com/spf13/cobra"

func documentCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "documents", Short: "Files on records: verify"}
	group.AddCommand(verifyDocuments(s))
	return group
}
