package libs_test

import (
	"regexp"
	"strings"
	"testing"

	"ams.internal/libs/service"
)

// oncePerProcess is work that a program begins once, in no cell; acrossCells a look-up in one, of what may be in any,
// unless it is lookedFor in all.
var (
	oncePerProcess = regexp.MustCompile(`\bs\.Background\(`)
	acrossCells    = regexp.MustCompile(`\.Pool\(\)\.QueryRow\(`)
	lookedFor      = regexp.MustCompile(`postgres\.(Find|Gather)\(`)
)

// TestWorkOfServicesIsDoneInEachCell: what a service does by itself with what belongs to organizations, and what it looks up without
// knowing the organization, is in every cell. A program of the control plane has its rows of all in one place.
func TestWorkOfServicesIsDoneInEachCell(t *testing.T) {
	seen := 0
	for _, s := range readSources(t) {
		below, isService := strings.CutPrefix(s.path, "services/")
		name, _, _ := strings.Cut(below, "/")
		if !isService || s.isTest() || service.ControlPlane(name) {
			continue
		}
		file, text := s.path, s.text
		seen += strings.Count(text, "s.PerCell(") + strings.Count(text, "s.Every(")
		if oncePerProcess.MatchString(text) {
			t.Errorf("%s begins work once in a process, in no cell: s.PerCell begins it in each", file)
		}
		if acrossCells.MatchString(text) && !lookedFor.MatchString(text) {
			t.Errorf("%s looks in one cell for what belongs to nobody in particular: postgres.Find and Gather look in all", file)
		}
	}
	if seen < 15 {
		t.Errorf("only %d pieces of work were seen", seen)
	}
}
