//go:build night

package move

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func (c *cells) runKilled(to, phase, organization string) error {
	text, err := json.Marshal(killed{c.all, c.admin["first"], to, []string{organization}, phase})
	if err != nil {
		c.t.Fatal(err)
	}
	command := exec.CommandContext(c.t.Context(), os.Args[0])
	command.Env = append(os.Environ(), "AMS_TEST_MOVE="+string(text))
	output, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w %s", err, output)
	}
	return err
}

// A mover is killed where each phase begins, and in the middle of some. The organization is whole then, can be read all the time, and
// written to, but between the last step before the switch and the first after it. The command brings it to where it should be when it
// is run again.
func TestAKilledMoveLeavesTheOrganizationWhole(t *testing.T) {
	c := newCells(t)
	moved, other := c.newCity("first"), c.newCity("first")
	other.frozen = true
	moved.begin(2)
	other.begin(1)
	moved.waitForWrites(200)
	at, to := "first", "second"
	for _, phase := range []string{
		"note", "in the middle of copy", "compare", "last changes", "switch", "open", "in the middle of delete",
	} {
		err := c.runKilled(to, phase, moved.id)
		if err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("%s: the mover was not killed: %v", phase, err)
		}
		if phase != "switch" && phase != "open" { // where it was killed it can be written to at once
			moved.waitForWrites(10)
		} else if err := moved.read(); err != nil {
			t.Errorf("%s: %v", phase, err)
		}
		if _, err := c.move(to, moved.id).Run(t.Context()); err != nil &&
			!(errors.Is(err, ErrAlreadyInCell) && strings.Contains(phase, "delete")) {
			t.Fatalf("%s: run again: %v", phase, err)
		}
		moved.waitForWrites(10)
		if cell := *moved.cell.Load(); cell != to {
			t.Fatalf("%s: it is in %s", phase, cell)
		}
		at, to = to, at
	}
	moved.end()
	other.end()
	moved.verify(at)
	other.verify("first")
}
