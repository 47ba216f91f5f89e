package adoption

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func classMap(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "map.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAClassMapIsRead(t *testing.T) {
	rules, err := ReadClassMap(classMap(t, "\ufeffclass;uniformat_code;category\nELEV;D10;\n;; hvac \n"), "")
	if want := []Rule{{Class: "ELEV", UniformatCode: "D10", Line: 2}, {Category: "hvac", Line: 3}}; err != nil ||
		!reflect.DeepEqual(rules, want) {
		t.Errorf("%+v, %v", rules, err)
	}
	for text, want := range map[string]string{
		"categori,class\nhvac,A\n":   `no column "categori" in a class map (did you mean "category"?)`,
		"category\nhvac\n":           "no column class",
		"category,class\n":           "has no rows",
		"category,class\nhvac\n":     "line 2",
		"category,class\n\"hvac,A\n": "line 2",
	} {
		if _, err := ReadClassMap(classMap(t, text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestTheFirstRowThatFitsCounts(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		rule  Rule
		asset Asset
		fits  bool
	}{
		{Rule{}, Asset{}, true},
		{Rule{Category: "HVAC"}, Asset{Category: text("hvac")}, true},
		{Rule{Category: "hvac"}, Asset{}, false},
		{Rule{UniformatCode: "d10"}, Asset{UniformatCode: text("D101001")}, true},
		{Rule{UniformatCode: "D101001"}, Asset{UniformatCode: text("D10")}, false},
		{Rule{UniformatCode: "D10", ServiceCategory: "fleet"}, Asset{UniformatCode: text("D10"), ServiceCategory: text("fire")}, false},
	} {
		if c.rule.fits(&c.asset) != c.fits {
			t.Errorf("%+v fits %+v: %v", c.rule, c.asset, !c.fits)
		}
	}
}

func TestALongNameKeepsItsTag(t *testing.T) {
	tag := "A-000001"
	long := (&Asset{Name: strings.Repeat("é", 200), AssetTag: &tag}).title()
	if want := strings.Repeat("é", 189) + " (A-000001)"; long != want || len([]rune(long)) != 200 {
		t.Errorf("%d signs: %s", len([]rune(long)), long)
	}
	if name := (&Asset{Name: "Pompe"}).title(); name != "Pompe" {
		t.Errorf("without a tag: %s", name)
	}
}
