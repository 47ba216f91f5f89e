// Command write writes the OpenAPI document that client libraries are made from, deploy/clients/openapi.json, without running
// anything: it merges the services' golden documents as a gateway merges what the services serve. With -full it writes the full view
// to standard output instead.
//
//	go run ./gateway/openapi/write [-full]
package main

import (
	"flag"
	"fmt"
	"os"

	"ams.internal/gateway/openapi/golden"
)

func main() {
	full := flag.Bool("full", false, "write the full view to standard output")
	root := flag.String("root", ".", "the root of the repository")
	flag.Parse()
	if err := write(*root, *full); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(root string, full bool) error {
	views, err := golden.Views(root)
	if err != nil {
		return err
	}
	if full {
		_, err = os.Stdout.Write(views.Full)
		return err
	}
	return golden.Write(root, views)
}
