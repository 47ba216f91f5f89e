package main

import (
	"os"
	"strings"
	"testing"
)

func TestNoticeNamesWhatTheProgramsLink(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := linked()
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(content), "\n\n")
	want := map[string]bool{}
	for _, m := range modules {
		want[m.line()] = true
	}
	for line := range strings.Lines(table) {
		name, licence, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name == "" {
			continue
		}
		if !want[name] {
			t.Errorf("NOTICE has %s, which the programs do not link: run make notice", name)
		}
		if strings.Contains(licence, "GPL") {
			t.Errorf("%s is under %s, which asks for the source of what links it", name, licence)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("the programs link %s, which NOTICE has not: run make notice", name)
	}
}
