package figures

import (
	"path/filepath"
	"sync"
	"testing"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
)

var seeded sync.Once

// seed writes the records of the demonstration organizations, which the shared stack has without.
func seed(t *testing.T) {
	t.Helper()
	var err error
	seeded.Do(func() {
		s := devstack.ForTest(t)
		d := s.Description()
		_, err = demo.Seed(t.Context(), demo.Target{
			BaseURL: d.BaseURL, AdminURL: d.AdminURL, AdminToken: d.AdminToken, CredentialsPath: filepath.Join(s.Folder(), "demo.json"),
			Volume: demo.Everything, Say: t.Logf,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheDemonstrationOrganizationsAddUp(t *testing.T) {
	seed(t)
	for _, name := range []string{"Ville de Rivière-Claire", "Northgate District School Board", "Harbour Properties"} {
		t.Run(name, func(t *testing.T) {
			o := ofDemonstration(t, name)
			r := newRecount(t)
			checkToday(o, r, o.lists(false), 40)
		})
	}
}
