package figures

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"ams.internal/deploy/devstack"
)

// torontoFile makes a file of the shape of the City of Toronto's building evaluations: a row for each building, and a column with a score
// for each component that the mapping of deploy/examples/toronto knows.
func torontoFile(t *testing.T, examples string, buildings int) (path string) {
	t.Helper()
	mapping, err := os.ReadFile(filepath.Join(examples, "assets.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var components []string
	for _, found := range regexp.MustCompile(`(?m)^    (\S+): \{label`).FindAllStringSubmatch(string(mapping), -1) {
		components = append(components, found[1])
	}
	if len(components) < 40 {
		t.Fatalf("the mapping has %d components", len(components))
	}
	columns := []string{"RSN", "YEAR.REGISTERED", "YEAR.BUILT", "PROPERTY.TYPE", "WARD", "WARDNAME", "SITE.ADDRESS", "CONFIRMED.STOREYS",
		"CONFIRMED.UNITS", "EVALUATION.COMPLETED.ON", "CURRENT.BUILDING.EVAL.SCORE", "PROACTIVE.BUILDING.SCORE", "CURRENT.REACTIVE.SCORE",
		"NO.OF.AREAS.EVALUATED", "GRID", "LATITUDE", "LONGITUDE"}
	random := rand.New(rand.NewPCG(2023, 1))
	rows := [][]string{append(columns, components...)}
	for i := range buildings {
		ward := 1 + random.IntN(25)
		line := []string{fmt.Sprint(4150000 + i), "2017", fmt.Sprint(1900 + random.IntN(120)), []string{"PRIVATE", "TCHC", "SOCIAL HOUSING"}[i%3],
			fmt.Sprint(ward), fmt.Sprintf("Ward nº %d", ward), fmt.Sprintf("%d RUE DE L'ÉGLISE", i), fmt.Sprint(3 + i%30), fmt.Sprint(10 + i%300),
			"2023-07-06", "86", "86", "-1", "41", "E2026", "43.7194706389", "-79.2404320451"}
		for range components {
			line = append(line, []string{"3", "3", "2", "N/A", "1", " 3", " N/A", "0", " 2"}[random.IntN(9)])
		}
		rows = append(rows, line)
	}
	path = filepath.Join(t.TempDir(), "evaluations.csv")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := csv.NewWriter(file).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheTorontoEvaluationsAddUp(t *testing.T) {
	o := newOrganization(t)
	root, err := devstack.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	examples := filepath.Join(root, "deploy", "examples", "toronto")
	programs, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	script := exec.Command(filepath.Join(examples, "import.sh"), torontoFile(t, examples, 150))
	script.Env = append(os.Environ(), "AMS_BASE_URL="+o.base, "AMS_API_KEY="+o.colleague().key, "AMSCTL="+filepath.Join(programs, "amsctl"),
		"AMS_IMPORT_DIR="+t.TempDir())
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := newRecount(t)
	found := o.lists(false)
	if len(found["buildings"]) != 150 || len(found["assets"]) < 150*30 {
		t.Fatalf("%d buildings and %d assets were imported", len(found["buildings"]), len(found["assets"]))
	}
	checkToday(o, r, found, 30)
}
