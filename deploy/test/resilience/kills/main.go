// Command chaos shows that no event is lost: it starts a stack of its own, lets writers of several organizations change
// records while it kills the processes that keep, hand on and deliver the events, PostgreSQL too, and compares afterwards
// what was committed with what was received. It fails on any loss, any inversion within a record, any gap.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	if work, is := writerOf(os.Environ()); is {
		work.run()
		return
	}
	var p plan
	flag.IntVar(&p.kills, "kills", 120, "how many processes are killed, PostgreSQL once among them")
	flag.IntVar(&p.organizations, "organizations", 3, "how many organizations write")
	folder := flag.String("folder", "", "folder for the stack (default: a new one in TMPDIR, removed at the end)")
	flag.Parse()
	if err := run(p, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(p plan, folder string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if folder == "" {
		if folder, err = os.MkdirTemp("", "ams-chaos-"); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
	}
	p.folder, p.say = filepath.Join(folder, "stack"), func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	figures, err := p.carryOut(ctx)
	if err != nil {
		return err
	}
	figures.print(os.Stdout)
	return figures.verdict()
}
