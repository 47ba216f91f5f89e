package service

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Problem is one variable with an invalid value, and how to correct it. Message continues the sentence that begins with the
// name: "is not set: …".
type Problem struct{ Variable, Message string }

// ConfigError is the error of an invalid configuration. It lists every problem; the process does not start.
type ConfigError struct{ Problems []Problem }

func (r *ConfigError) Error() string {
	lines := make([]string, len(r.Problems))
	for i, problem := range r.Problems {
		lines[i] = problem.Variable + " " + problem.Message
	}
	return strings.Join(lines, "\n")
}

// Validator is a configuration with rules beyond its tags, such as those over several variables. An embedded struct is checked too.
type Validator interface{ Check() []Problem }

// Load reads a configuration from an environment (as os.Environ gives it). The tags of a field declare its variable:
//
//	env:"AMS_X" envDefault:"…"     the variable; an empty value counts as not set
//	doc:"…" example:"…"            for -help and docs/configuration.md
//	required:"true"                must be set
//	secret:"true"                  its value is never shown, and AMS_X_FILE may name a file that holds it
//	allowed:"a,b"                  one of these
//	minimum:"1" maximum:"9"        for numbers and durations
//	each:"32"                      for lists of secrets: the minimum length of each
//	format:"address|url|database"  host:port; http(s)://…; postgres://…
//
// The error is a *ConfigError that names every problem.
func Load[T any](environ []string) (T, error) {
	var config T
	declared := declarations(reflect.TypeFor[T]())
	values, problems := resolve(declared, environ)
	err := env.ParseWithOptions(&config, env.Options{Environment: values})
	var aggregate env.AggregateError
	if err != nil && !errors.As(err, &aggregate) {
		return config, fmt.Errorf("configuration of type %T: %w", config, err)
	}
	unreadable := map[string]bool{}
	for _, each := range aggregate.Errors {
		var parse env.ParseError
		if !errors.As(each, &parse) { // a mistake in the struct, not in the environment
			return config, fmt.Errorf("configuration of type %T: %w", config, each)
		}
		for _, d := range declared {
			if d.field == parse.Name {
				unreadable[d.name] = true
				problems = append(problems, d.problem(values[d.name]))
			}
		}
	}
	for _, d := range declared {
		if value := values[d.name]; value != "" && !unreadable[d.name] && !d.allows(value) {
			problems = append(problems, d.problem(value))
		}
		if length, short := d.tooShort(values[d.name]); short {
			problems = append(problems, Problem{d.name, fmt.Sprintf("holds a secret of %d characters: each needs %d at least", length, d.each)})
		}
	}
	if len(problems) == 0 { // rules over several variables make sense once each is right
		problems = check(reflect.ValueOf(config))
	}
	if len(problems) > 0 {
		return config, &ConfigError{problems}
	}
	return config, nil
}

// declaration is one variable, as its field's tags declare it.
type declaration struct {
	field, name, fallback, doc, example, format string
	allowed                                     []string
	minimum, maximum                            string
	each                                        int // the minimum length of each of a list of secrets
	required, secret                            bool
	kind                                        reflect.Type
}

func declarations(of reflect.Type) []declaration {
	var all []declaration
	for field := range of.Fields() {
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			all = append(all, declarations(field.Type)...)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("env"), ",")
		if name == "" {
			continue
		}
		d := declaration{
			field: field.Name, name: name, kind: field.Type,
			fallback: field.Tag.Get("envDefault"), doc: field.Tag.Get("doc"), example: field.Tag.Get("example"), format: field.Tag.Get("format"),
			minimum: field.Tag.Get("minimum"), maximum: field.Tag.Get("maximum"),
			required: field.Tag.Get("required") == "true", secret: field.Tag.Get("secret") == "true",
		}
		if each := field.Tag.Get("each"); each != "" {
			var err error
			if d.each, err = strconv.Atoi(each); err != nil || field.Type != reflect.TypeFor[[]string]() {
				panic(fmt.Sprintf("%s: each:%q is no length of a list's entries", name, each))
			}
		}
		if list := field.Tag.Get("allowed"); list != "" {
			d.allowed = strings.Split(list, ",")
		}
		all = append(all, d)
	}
	return all
}

// resolve takes the declared variables from environ and reads the files of secrets.
func resolve(declared []declaration, environ []string) (values map[string]string, problems []Problem) {
	given := env.ToMap(environ)
	values = map[string]string{}
	for _, d := range declared {
		value := given[d.name]
		if path := given[d.name+"_FILE"]; d.secret && path != "" {
			content, err := os.ReadFile(path)
			switch {
			case value != "":
				problems = append(problems, Problem{d.name, "and " + d.name + "_FILE are both set: set one of them"})
				continue
			case err != nil:
				problems = append(problems, Problem{d.name + "_FILE", "names a file that cannot be read: " + err.Error()})
				continue
			}
			if value = strings.TrimRight(string(content), "\r\n"); value == "" {
				problems = append(problems, Problem{d.name + "_FILE", "names a file that is empty: " + path})
				continue
			}
		}
		switch {
		case value != "":
			values[d.name] = value
		case d.required:
			problems = append(problems, Problem{d.name, "is not set: " + d.expected()})
		}
	}
	return values, problems
}

// problem describes an invalid value. It never shows a secret.
func (d declaration) problem(value string) Problem {
	if d.secret {
		return Problem{d.name, "cannot be used: " + d.expected()}
	}
	return Problem{d.name, fmt.Sprintf("is %q: %s", value, d.expected())}
}

// expected describes the valid values in a clause that begins with "give".
func (d declaration) expected() string {
	within := ""
	if d.minimum != "" && d.maximum != "" {
		within = fmt.Sprintf(" from %s to %s", d.minimum, d.maximum)
	}
	var what string
	switch {
	case d.allowed != nil:
		what = "one of " + strings.Join(d.allowed, ", ")
	case d.format == "address":
		what = "host:port, such as 127.0.0.1:8080"
	case d.format == "url":
		what = "a URL that begins with http:// or https://"
	case d.format == "database":
		what = "postgres://user:password@host:port/database"
	case d.kind == reflect.TypeFor[time.Duration]():
		what = "a duration" + within + ", such as 20s or 1m30s"
	case d.kind.Kind() == reflect.Int, d.kind.Kind() == reflect.Int64:
		what = "a whole number" + within
	case d.kind.Kind() == reflect.Float64:
		what = "a number" + within
	case d.kind.Kind() == reflect.Bool:
		what = "true or false"
	default:
		what = strings.ToLower(d.doc[:1]) + strings.TrimSuffix(d.doc[1:], ".")
	}
	if d.example != "" {
		what += fmt.Sprintf(" (example: %s)", d.example)
	}
	if d.secret {
		what += ", or a file that holds it in " + d.name + "_FILE"
	}
	return "give " + what
}

// allows says whether a value of the right type is valid.
func (d declaration) allows(value string) bool {
	if d.allowed != nil && !slices.Contains(d.allowed, value) {
		return false
	}
	switch d.format {
	case "address":
		_, port, err := net.SplitHostPort(value)
		number, notANumber := strconv.Atoi(port)
		return err == nil && notANumber == nil && number >= 0 && number <= 65535
	case "url":
		address, err := url.Parse(value)
		return err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Host != ""
	case "database":
		address, err := url.Parse(value)
		return err == nil && (address.Scheme == "postgres" || address.Scheme == "postgresql") && address.Host != ""
	}
	number, isNumber := d.number(value)
	minimum, hasMinimum := d.number(d.minimum)
	maximum, hasMaximum := d.number(d.maximum)
	return !isNumber || (!hasMinimum || number >= minimum) && (!hasMaximum || number <= maximum)
}

// tooShort gives the length of the first entry of a list that is too short.
func (d declaration) tooShort(value string) (length int, short bool) {
	if d.each == 0 || value == "" {
		return 0, false
	}
	for entry := range strings.SplitSeq(value, ",") {
		if len(entry) < d.each {
			return len(entry), true
		}
	}
	return 0, false
}

// number gives the value of a number or a duration, to compare it with a limit.
func (d declaration) number(text string) (float64, bool) {
	if d.kind == reflect.TypeFor[time.Duration]() {
		duration, err := time.ParseDuration(text)
		return float64(duration), err == nil
	}
	switch d.kind.Kind() {
	case reflect.Int, reflect.Int64, reflect.Float64:
		number, err := strconv.ParseFloat(text, 64)
		return number, err == nil
	default:
		return 0, false
	}
}

// check collects the problems of the embedded structs and then of the whole.
func check(config reflect.Value) []Problem {
	var problems []Problem
	for i := range config.NumField() {
		if field := config.Type().Field(i); field.Anonymous && field.Type.Kind() == reflect.Struct {
			problems = append(problems, check(config.Field(i))...)
		}
	}
	if checked, ok := config.Interface().(Validator); ok {
		for _, problem := range checked.Check() {
			if !slices.Contains(problems, problem) { // a Check that is promoted from an embedded struct repeats its problems
				problems = append(problems, problem)
			}
		}
	}
	return problems
}
