package service

import (
	"io/fs"
	"net/http"
)

// Program is one of the product's programs: it runs as a process of its own, or with others in one.
type Program struct {
	Name       string // its Consul name and its schema: "assets"
	Migrations fs.FS  // of its schema; nil where it stores nothing

	settings Settings // the zero value of its configuration
	load     func(environ []string) (Settings, error)
	build    func(s *Service, config Settings) ([]Listener, error)
}

// Define makes a program with one listener and no configuration of its own.
func Define(name string, migrations fs.FS, build func(s *Service) (http.Handler, error)) Program {
	return DefineWith(name, migrations, func(s *Service, c Config) ([]Listener, error) {
		handler, err := build(s)
		return []Listener{{Name: name, Address: c.Listen, Advertise: c.Advertise, Handler: handler}}, err
	})
}

// DefineWith is Define for a program with a configuration (a struct that embeds Config) and listeners of its own. What build opens is
// closed by the end of a Background, or of the process.
func DefineWith[T Settings](name string, migrations fs.FS, build func(s *Service, config T) ([]Listener, error)) Program {
	var settings T
	return Program{
		Name: name, Migrations: migrations, settings: settings,
		load:  func(environ []string) (Settings, error) { return Load[T](environ) },
		build: func(s *Service, config Settings) ([]Listener, error) { return build(s, config.(T)) },
	}
}
