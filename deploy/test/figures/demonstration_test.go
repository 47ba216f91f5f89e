package figures

import (
	"testing"

	"ams.internal/libs/testnight"
)

func TestTheDemonstrationOrganizationsAddUp(t *testing.T) {
	all := []string{"Northgate District School Board", "Harbour Properties", "Ville de Rivière-Claire"}
	for _, name := range all[:testnight.Rounds(2, 3)] {
		t.Run(name, func(t *testing.T) {
			o := ofDemonstration(t, name)
			r := newRecount(t)
			checkToday(o, r, o.lists(false), 40)
		})
	}
}
