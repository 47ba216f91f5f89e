package edm_test

import (
	"encoding/json"
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ams.internal/gateway/edm"
	"ams.internal/gateway/openapi/golden"
)

func model(t *testing.T) (*edm.Model, map[string]any) {
	t.Helper()
	views, err := golden.Views("../..")
	if err != nil {
		t.Fatal(err)
	}
	m, err := edm.NewModel(views.Full)
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(views.Full, &document); err != nil {
		t.Fatal(err)
	}
	return m, document
}

// Every list that can be had whole and every report that is a table is a set, under the name of its operation.
func TestEveryListAndEveryReportIsASet(t *testing.T) {
	m, document := model(t)
	for path, item := range document["paths"].(map[string]any) {
		get, ok := item.(map[string]any)["get"].(map[string]any)
		if !ok {
			continue
		}
		encoded, err := json.Marshal(get["responses"])
		if err != nil {
			t.Fatal(err)
		}
		id := get["operationId"].(string)
		isTable := strings.Contains(string(encoded), `"text/csv"`)
		isList := strings.HasPrefix(id, "list_") && strings.Contains(string(encoded), `"application/x-ndjson"`)
		name := regexp.MustCompile("^(list|get|export)_").ReplaceAllString(id, "")
		set := m.Set(name)
		switch {
		case isTable && set == nil:
			t.Errorf("%s is no set", id)
		case isTable && !set.Function() && !isList && strings.Contains(path, "{"):
			t.Errorf("%s is no function", name)
		case isTable && isList && strings.Contains(set.Path, "{"):
			t.Errorf("%s is at %s", name, set.Path)
		}
	}
	for _, name := range []string{"assets", "condition_assessments", "state_of_assets", "project_plan", "capital_asset_schedule",
		"los_scorecard", "schedule_by_capital_asset", "capital_asset_reconciliation", "planning_run_interventions"} {
		if m.Set(name) == nil {
			t.Errorf("there is no set %s", name)
		}
	}
}

var ours = regexp.MustCompile(`"(?:Collection\()?AMS\.([A-Za-z]+)\)?"`)

func TestTypesAreThoseOfTheAPI(t *testing.T) {
	m, _ := model(t)
	body, err := m.Metadata(func(*edm.Set) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(body, new(struct{ XMLName xml.Name })); err != nil {
		t.Fatal(err)
	}
	text := string(body)
	for _, want := range []string{
		`<Property Name="replacement_cost" Type="Edm.Decimal" Precision="18" Scale="2">`,
		`<Property Name="id" Type="Edm.Guid" Nullable="false">`,
		`<Property Name="acquisition_date" Type="Edm.Date">`,
		`<Property Name="created_at" Type="Edm.DateTimeOffset" Nullable="false" Precision="6">`,
		`<Property Name="tags" Type="Collection(Edm.String)" Nullable="false">`,
		`<Property Name="custom_fields" Type="AMS.Object" Nullable="false">`,
		`<ComplexType Name="Object" OpenType="true">`,
		`<Property Name="geometry" Type="Edm.Geography">`,
		`<ComplexType Name="FormTemplateItemFailsWhen" OpenType="true">`,
		`<EntitySet Name="state_of_assets" EntityType="AMS.StateOfAssets">`,
		`<Function Name="capital_asset_journal"><Parameter Name="fiscal_year" Type="Edm.Int32" Nullable="false">`,
		`<Function Name="los_scorecard"><Parameter Name="id" Type="Edm.Guid" Nullable="false"></Parameter><ReturnType ` +
			`Type="Collection(AMS.LosScorecard)" Nullable="false">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("$metadata has no %s", want)
		}
	}
	if conditions := regexp.MustCompile(`<ComplexType Name="FormTemplateItem[A-Za-z]+When".*?</ComplexType>`).
		FindAllString(text, -1); len(conditions) != 2 || strings.Contains(strings.Join(conditions, ""), `Name="value"`) {
		t.Errorf("a value that may be of any type is declared: %s", conditions)
	}
	if strings.Contains(text, `<Property Name="building" Type="AMS.`) || strings.Contains(text, `Name="capital_assets" Type=`) {
		t.Error("what only expand shows is declared as a field")
	}
	var names []string
	for _, found := range regexp.MustCompile(`<(?:EntityType|ComplexType|Function) Name="([A-Za-z_]+)"`).FindAllStringSubmatch(text, -1) {
		if slices.Contains(names, found[1]) {
			t.Errorf("two types are called %s", found[1])
		}
		names = append(names, found[1])
	}
	for _, found := range ours.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, found[1]) && m.Set(found[1]) == nil {
			t.Errorf("AMS.%s is not declared", found[1])
		}
	}
	one, err := m.Metadata(func(s *edm.Set) bool { return s.Name == "sites" })
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(one), "Asset") || strings.Contains(string(one), "Navigation") ||
		!strings.Contains(string(one), `EntitySet Name="sites"`) {
		t.Error("sets that may not be read are in $metadata")
	}
}

// What a record refers to is a navigation property by the id beside it, bound to a set that the key may read too.
func TestRelationsAreNavigationProperties(t *testing.T) {
	m, document := model(t)
	type (
		property struct {
			Name     string `xml:"Name,attr"`
			Type     string `xml:"Type,attr"`
			Nullable string `xml:"Nullable,attr"`
		}
		navigation struct {
			property
			Constraint []struct {
				Property           string `xml:"Property,attr"`
				ReferencedProperty string `xml:"ReferencedProperty,attr"`
			} `xml:"ReferentialConstraint"`
		}
		entityType struct {
			Name       string       `xml:"Name,attr"`
			Properties []property   `xml:"Property"`
			Navigation []navigation `xml:"NavigationProperty"`
		}
		entitySet struct {
			Name       string `xml:"Name,attr"`
			EntityType string `xml:"EntityType,attr"`
			Bindings   []struct {
				Path   string `xml:"Path,attr"`
				Target string `xml:"Target,attr"`
			} `xml:"NavigationPropertyBinding"`
		}
	)
	read := func(mayRead func(*edm.Set) bool) (types map[string]entityType, sets map[string]entitySet) {
		t.Helper()
		body, err := m.Metadata(mayRead)
		var whole struct {
			Types []entityType `xml:"DataServices>Schema>EntityType"`
			Sets  []entitySet  `xml:"DataServices>Schema>EntityContainer>EntitySet"`
		}
		if err == nil {
			err = xml.Unmarshal(body, &whole)
		}
		if err != nil {
			t.Fatal(err)
		}
		types, sets = map[string]entityType{}, map[string]entitySet{}
		for _, e := range whole.Types {
			types["AMS."+e.Name] = e
		}
		for _, s := range whole.Sets {
			sets[s.Name] = s
		}
		return types, sets
	}
	types, sets := read(func(*edm.Set) bool { return true })
	of := func(e entityType, name string) *property {
		at := slices.IndexFunc(e.Properties, func(p property) bool { return p.Name == name })
		if at < 0 {
			return nil
		}
		return &e.Properties[at]
	}
	relations := map[string]string{}
	for name, set := range sets {
		e := types[set.EntityType]
		if len(set.Bindings) != len(e.Navigation) {
			t.Errorf("%s: %d navigation properties, %d bindings", name, len(e.Navigation), len(set.Bindings))
			continue
		}
		for i, n := range e.Navigation {
			to := sets[set.Bindings[i].Target]
			relations[name+"/"+n.Name] = to.Name
			if set.Bindings[i].Path != n.Name || to.EntityType != n.Type || len(n.Constraint) != 1 || n.Constraint[0].Property != n.Name+"_id" ||
				n.Constraint[0].ReferencedProperty != "id" {
				t.Errorf("%s: %+v is bound by %+v", name, n, set.Bindings[i])
				continue
			}
			dependent, key := of(e, n.Name+"_id"), of(types[n.Type], "id")
			if dependent == nil || key == nil || dependent.Type != key.Type || dependent.Nullable != n.Nullable || of(e, n.Name) != nil {
				t.Errorf("%s/%s: %+v goes by %+v to %+v", name, n.Name, n, dependent, key)
			}
		}
	}
	for relation, to := range map[string]string{"buildings/site": "sites", "assets/site": "sites", "assets/building": "buildings",
		"assets/system":     "systems",
		"work_orders/asset": "assets", "work_orders/assignee": "users", "work_orders/segment": "segments", "assets/parent_asset": "assets"} {
		if relations[relation] != to {
			t.Errorf("%s leads to %q, want %s", relation, relations[relation], to)
		}
	}
	// Whatever expand shows a record of in the API is a relation here: each collection that is named is a set.
	for name, s := range document["components"].(map[string]any)["schemas"].(map[string]any) {
		properties, _ := s.(map[string]any)["properties"].(map[string]any)
		for field, p := range properties {
			collection, is := p.(map[string]any)["x-collection"].(string)
			if is && m.Set(collection) == nil {
				t.Errorf("%s of %s is of %s, which is no set", field, name, collection)
			}
		}
	}
	if len(relations) < 60 {
		t.Errorf("there are %d relations: %v", len(relations), relations)
	}
	types, sets = read(func(s *edm.Set) bool { return s.Name == "assets" || s.Name == "buildings" })
	if e, set := types["AMS.Assets"], sets["assets"]; len(e.Navigation) != 2 || len(set.Bindings) != 2 || e.Navigation[0].Name != "building" {
		t.Errorf("who may not read sites is led to %+v by %+v", e.Navigation, set.Bindings)
	}
}
