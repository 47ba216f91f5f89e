// Command notice writes NOTICE: the modules that the programs of the image link, with their licences ("make notice"). With -texts it
// prints that with the texts of the licences, which is the NOTICE of a release.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	texts := flag.Bool("texts", false, "print it with the texts of the licences")
	flag.Parse()
	content, err := notice(*texts)
	switch {
	case err != nil:
	case *texts:
		_, err = os.Stdout.Write(content)
	default:
		err = os.WriteFile("NOTICE", content, 0o644) // #nosec G306 -- committed, for everybody
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
