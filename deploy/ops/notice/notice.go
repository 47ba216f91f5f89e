package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// module is one that the programs link.
type module struct{ path, version, folder string }

// line is how NOTICE names it, before its licences.
func (m module) line() string { return m.path + " " + m.version }

// linked are the modules of others that ams and amsctl link on Linux, in order, after the standard library.
func linked() ([]module, error) {
	const each = `{{if .Standard}}{{.Root}}{{else}}{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}{{end}}`
	command := exec.Command("go", "list", "-deps", "-tags", "grpcnotrace,nodynamic", "-f", each,
		"ams.internal/deploy/cmd/ams", "ams.internal/deploy/cmd/amsctl")
	command.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	listed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	modules := []module{{"std", runtime.Version(), ""}}
	for line := range strings.Lines(string(listed)) {
		switch f := strings.Fields(line); {
		case len(f) == 1: // of a package of the standard library
			modules[0].folder = f[0]
		case len(f) == 3 && !strings.HasPrefix(f[0], "ams.internal/"):
			modules = append(modules, module{f[0], f[1], f[2]})
		}
	}
	slices.SortFunc(modules[1:], func(a, b module) int { return strings.Compare(a.line(), b.line()) })
	return slices.Compact(modules), nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// sentences are those by which a text is known, the longer licence of two with the same one first. A text with none of
// them is for a person to read.
var sentences = []struct{ name, sentence string }{
	{"AGPL", "GNU AFFERO GENERAL PUBLIC LICENSE"},
	{"LGPL", "GNU LESSER GENERAL PUBLIC LICENSE"},
	{"GPL", "GNU GENERAL PUBLIC LICENSE"},
	{"MPL-2.0", "Mozilla Public License, version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"Apache-2.0", "Licensed under the Apache License, Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright notice"},
}

// notice is a table, and where texts are wanted each text once, with the modules that have it.
func notice(withTexts bool) ([]byte, error) {
	modules, err := linked()
	if err != nil {
		return nil, err
	}
	var table, texts bytes.Buffer
	having := map[string][]string{}
	var order []string
	for _, m := range modules {
		names, found, err := licences(m)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&table, "%s: %s\n", m.line(), strings.Join(names, ", "))
		for _, text := range found {
			if having[text] == nil {
				order = append(order, text)
			}
			having[text] = append(having[text], m.path)
		}
	}
	if !withTexts {
		return fmt.Appendf(nil, "The programs of the image link these modules of others, under their licences. "+
			"\"make notice\" writes this file.\n"+
			"The NOTICE of a release has the texts besides: go run ./deploy/ops/notice -texts\n\n%s", table.Bytes()), nil
	}
	for _, text := range order {
		fmt.Fprintf(&texts, "\n%s\n%s\n\n%s\n", strings.Repeat("-", 80), strings.Join(having[text], "\n"), text)
	}
	return fmt.Appendf(nil, "The programs of the image link these modules of others, under their licences.\n\n%s%s",
		table.Bytes(), texts.Bytes()), nil
}

// licences are the names and the texts of a module's licences. A module without a licence that is known is an error:
// somebody has to look at it.
func licences(m module) (names, texts []string, err error) {
	entries, err := os.ReadDir(m.folder)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		if entry.IsDir() || !licenceFile.MatchString(entry.Name()) || strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(m.folder, entry.Name()))
		if err != nil {
			return nil, nil, err
		}
		words := strings.Join(strings.Fields(string(content)), " ")
		for _, known := range sentences {
			if strings.Contains(words, known.sentence) && !slices.Contains(names, known.name) {
				names = append(names, known.name)
				break
			}
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n")))
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("%s has no licence that is known: look at %s", m.line(), m.folder)
	}
	return names, texts, nil
}
