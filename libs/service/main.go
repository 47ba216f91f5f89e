package service

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"reflect"

	"ams.internal/libs/postgres"
)

// Main is the whole main of a service with one listener and no configuration of its own: `<name>` serves,
// `<name> migrate` migrates its schema, `<name> ready` checks the readiness of the process that runs here, `<name> -help`
// lists the variables. It does not return.
func Main(name string, migrations fs.FS, build func(s *Service) (http.Handler, error)) {
	Run(name, migrations, func(s *Service, c Config) ([]Listener, error) {
		handler, err := build(s)
		return []Listener{{Name: name, Address: c.Listen, Advertise: c.Advertise, Handler: handler}}, err
	})
}

// Run is Main for a process with a configuration (a struct that embeds Config) and listeners of its own. What build opens is
// closed by the end of a Background, or of the process.
func Run[T Settings](name string, migrations fs.FS, build func(s *Service, config T) ([]Listener, error)) {
	os.Exit(run(name, migrations, build, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	exitFailed  = 1
	exitInvalid = 2 // invalid configuration: another start changes nothing
)

func run[T Settings](name string, migrations fs.FS, build func(s *Service, config T) ([]Listener, error), args, environ []string,
	stdout, stderr io.Writer) int {
	var err error
	switch {
	case len(args) == 1 && args[0] == "migrate":
		err = migrate(name, migrations, environ, stdout)
	case len(args) == 1 && args[0] == "ready":
		err = checkReady(environ)
	case len(args) == 1 && args[0] == "-help=markdown": // for docs/configuration.md
		err = Reference(stdout, sections[T](name)...)
	default:
		err = serve(name, migrations, build, args, environ)
	}
	if errors.Is(err, flag.ErrHelp) {
		var config T
		err = Describe(stdout, name, config, Migration{})
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	if invalid := (*ConfigError)(nil); errors.As(err, &invalid) {
		fmt.Fprintf(stderr, "(%s -help lists everything that can be set)\n", name)
		return exitInvalid
	}
	return exitFailed
}

func serve[T Settings](name string, migrations fs.FS, build func(s *Service, config T) ([]Listener, error), args, environ []string) error {
	config, err := Load[T](args, environ)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := New(ctx, name, config.Common(), migrations)
	if err != nil {
		return err
	}
	defer s.Close()
	listeners, err := build(s, config)
	if err != nil {
		return err
	}
	return s.Serve(ctx, listeners...)
}

func migrate(name string, migrations fs.FS, environ []string, out io.Writer) error {
	if migrations == nil {
		return errors.New("there is nothing to migrate: this process keeps nothing")
	}
	config, err := Load[Migration](nil, environ)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := postgres.Await(ctx, config.OwnerDatabaseURL, out); err != nil {
		return err
	}
	return postgres.Migrate(ctx, config.OwnerDatabaseURL, name, migrations, out)
}

// sections is the program's part of the reference. The common variables are written by a program without others.
func sections[T any](name string) []Section {
	var config T
	if reflect.TypeFor[T]() == reflect.TypeFor[Config]() {
		return []Section{{Title: "Every process", Config: config},
			{Title: "Migrations", Text: "For the `migrate` command of a program.", Config: Migration{}}}
	}
	return []Section{{Title: name, Text: "Besides what every process has.", Config: config, Besides: Config{}}}
}
