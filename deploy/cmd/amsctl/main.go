// Command amsctl operates the service: organizations, keys, users, the audit trail, imports, exports, search, single records, and
// events on a developer's machine.
//
// It exits with 0 only when everything succeeded, with 3 when an import is complete but rejected some rows, and
// with 1 otherwise. Errors go to standard error; with --output json, standard output has JSON and nothing else.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// errRejects ends an import that went through but left rows out.
var errRejects = errors.New("some rows were rejected")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program, for tests to call.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) (exitCode int) {
	root := newRoot(&session{in: in, out: out, err: errOut})
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errRejects):
		return 3
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(errOut, "Interrupted:", err)
	default:
		fmt.Fprintln(errOut, "Error:", err)
	}
	return 1
}

func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Use:           "amsctl",
		Short:         "Run the asset management service: organizations, keys, users, records, imports and exports",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return s.check()
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&s.baseURL, "base-url", "", "address of the API (default AMS_BASE_URL, else the running stack's)")
	flags.StringVar(&s.adminURL, "operator-url", "", "address of the operator's API (default AMS_OPERATOR_URL, else the running stack's)")
	flags.StringVarP(&s.output, "output", "o", "table", "table or json")
	root.AddCommand(databaseCommands(s), migrationCommands(s), consulCommands(s), cellCommands(s),
		organizationCommands(s), keyCommands(s), userCommands(s), personCommands(s), auditCommand(s), importCommand(s),
		exportCommand(s), searchCommand(s), statusCommand(s), getCommand(s), createCommand(s), updateCommand(s), deleteCommand(s),
		documentCommands(s), planningCommands(s), accountingCommands(s), listenCommand(s))
	return root
}
