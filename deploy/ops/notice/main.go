// Command notice writes NOTICE: the modules that the programs of the image link, with their licences and the
// texts of these ("make notice").
package main

import (
	"fmt"
	"os"
)

func main() {
	content, err := notice()
	if err == nil {
		err = os.WriteFile("NOTICE", content, 0o644) // #nosec G306 -- committed, for everybody
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
