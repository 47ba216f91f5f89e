package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"ams.internal/libs/postgres"
)

// Main is the whole main of a process that can run each of the programs, or several of them together:
//
//	ams serve NAME…|all       serves until SIGTERM
//	ams migrate NAME…|all     brings their schemas up to date
//	ams ready                 checks the readiness of the process that runs here
//	ams -help [NAME]          lists the commands and variables, or those of one program
//
// It does not return.
func Main(programs ...Program) {
	os.Exit(run(programs, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	exitFailed  = 1
	exitInvalid = 2 // invalid configuration: another start changes nothing
)

// all names every program.
const all = "all"

func run(programs []Program, args, environ []string, stdout, stderr io.Writer) int {
	err := command(programs, args, environ, stdout)
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "ams: %v\n", err)
	if invalid := (*ConfigError)(nil); errors.As(err, &invalid) {
		fmt.Fprintf(stderr, "(ams -help %s lists everything that can be set)\n", strings.Join(args[min(1, len(args)):], " "))
		return exitInvalid
	}
	if misused := (*usageError)(nil); errors.As(err, &misused) || errors.Is(err, postgres.ErrBeforeFirstRelease) {
		return exitInvalid
	}
	return exitFailed
}

// usageError says that a command line is not understood.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func misused(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

func command(programs []Program, args, environ []string, out io.Writer) error {
	if len(args) == 0 {
		return misused("a command is missing: serve, migrate, ready or -help; \"ams serve all\" runs everything")
	}
	switch name, rest := args[0], args[1:]; name {
	case "serve", "migrate":
		chosen, err := choose(programs, rest)
		if err != nil {
			return err
		}
		if name == "migrate" {
			return migrate(chosen, slices.Equal(rest, []string{all}), environ, out)
		}
		return serve(chosen, slices.Equal(rest, []string{all}), environ)
	case "ready":
		if len(rest) > 0 {
			return misused("ready takes no argument: it asks the process at AMS_LISTEN")
		}
		return checkReady(environ)
	case "-help=markdown": // for docs/configuration.md
		return Reference(out, sections(programs)...)
	case "-h", "-help", "--help", "help":
		return help(programs, rest, out)
	default:
		return misused("%q is not understood: the commands are serve, migrate, ready and -help; "+
			"everything else is set by environment variables", name)
	}
}

// choose gives the programs that are named, in the order of programs.
func choose(programs []Program, names []string) ([]Program, error) {
	var known []string
	for _, p := range programs {
		known = append(known, p.Name)
	}
	if len(names) == 0 {
		return nil, misused("a target is missing: give %s, or names of %s", all, strings.Join(known, ", "))
	}
	if slices.Equal(names, []string{all}) {
		return programs, nil
	}
	for i, name := range names {
		switch {
		case name == all:
			return nil, misused("%s stands alone: it is every target", all)
		case !slices.Contains(known, name):
			return nil, misused("%q is no target: give %s, or names of %s", name, all, strings.Join(known, ", "))
		case slices.Contains(names[:i], name):
			return nil, misused("the target %s is named twice", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(programs), func(p Program) bool { return !slices.Contains(names, p.Name) }), nil
}

// help describes the process, or one program.
func help(programs []Program, names []string, out io.Writer) error {
	if len(names) == 0 || slices.Equal(names, []string{all}) {
		return describeAll(out, programs)
	}
	chosen, err := choose(programs, names)
	if err != nil {
		return err
	}
	for _, p := range chosen {
		if err := Describe(out, p.Name, p.settings, Migration{}); err != nil {
			return err
		}
	}
	return nil
}

// migratedAtOnce is how many schemas are migrated at the same time.
const migratedAtOnce = 4

// migrate brings the schemas of the programs up to date, some of them at the same time: none knows of another.
func migrate(programs []Program, everything bool, environ []string, out io.Writer) error {
	config, err := Load[Migration](environ)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := postgres.Await(ctx, config.OwnerDatabaseURL, out); err != nil {
		return err
	}
	if err := postgres.RefuseBeforeFirstRelease(ctx, config.OwnerDatabaseURL); err != nil {
		return err
	}
	lines := &wholeWrites{out: out}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(migratedAtOnce)
	for _, p := range programs {
		switch {
		case p.Migrations == nil && everything:
		case p.Migrations == nil:
			return misused("%s keeps nothing: there is nothing to migrate", p.Name)
		default:
			group.Go(func() error { return postgres.Migrate(ctx, config.OwnerDatabaseURL, p.Name, p.Migrations, lines) })
		}
	}
	return group.Wait()
}

// wholeWrites lets one write go on at a time.
type wholeWrites struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *wholeWrites) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// sections are the parts of the reference: what every program has, then what some have besides.
func sections(programs []Program) []Section {
	parts := []Section{{Title: "Every process", Config: Config{}},
		{Title: "Migrations", Text: "For `ams migrate`.", Config: Migration{}}}
	for _, p := range programs {
		if reflect.TypeOf(p.settings) != reflect.TypeFor[Config]() {
			parts = append(parts, Section{Title: p.Name, Text: "Besides what every process has.", Config: p.settings, Besides: Config{}})
		}
	}
	return parts
}
