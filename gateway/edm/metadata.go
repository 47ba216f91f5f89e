package edm

import (
	"encoding/xml"
	"slices"
	"strings"

	"ams.internal/libs/odata"
)

// precision is how many digits an amount of money, or a sum of amounts, has at most.
const precision = 18

// The elements of $metadata (OData CSDL XML 4.0).
type (
	xmlDocument struct {
		XMLName      struct{}  `xml:"edmx:Edmx"`
		Version      string    `xml:"Version,attr"`
		XMLNS        string    `xml:"xmlns:edmx,attr"`
		DataServices xmlSchema `xml:"edmx:DataServices>Schema"`
	}
	xmlSchema struct {
		Namespace string        `xml:"Namespace,attr"`
		XMLNS     string        `xml:"xmlns,attr"`
		Complex   []xmlType     `xml:"ComplexType"`
		Entities  []xmlType     `xml:"EntityType"`
		Functions []xmlFunction `xml:"Function"`
		Container xmlContainer  `xml:"EntityContainer"`
	}
	xmlType struct {
		Name       string          `xml:"Name,attr"`
		Open       string          `xml:"OpenType,attr,omitempty"`
		Key        *xmlKey         `xml:"Key"`
		Property   []xmlProperty   `xml:"Property"`
		Navigation []xmlNavigation `xml:"NavigationProperty"`
	}
	xmlNavigation struct {
		Name       string        `xml:"Name,attr"`
		Type       string        `xml:"Type,attr"`
		Nullable   string        `xml:"Nullable,attr,omitempty"`
		Constraint xmlConstraint `xml:"ReferentialConstraint"`
	}
	xmlConstraint struct {
		Property   string `xml:"Property,attr"`
		Referenced string `xml:"ReferencedProperty,attr"`
	}
	xmlKey struct {
		Ref struct {
			Name string `xml:"Name,attr"`
		} `xml:"PropertyRef"`
	}
	xmlProperty struct {
		Name      string `xml:"Name,attr"`
		Type      string `xml:"Type,attr"`
		Nullable  string `xml:"Nullable,attr,omitempty"`
		Precision string `xml:"Precision,attr,omitempty"`
		Scale     string `xml:"Scale,attr,omitempty"`
	}
	xmlContainer struct {
		Name      string              `xml:"Name,attr"`
		Sets      []xmlEntitySet      `xml:"EntitySet"`
		Functions []xmlFunctionImport `xml:"FunctionImport"`
	}
	xmlFunction struct {
		Name       string        `xml:"Name,attr"`
		Parameters []xmlProperty `xml:"Parameter"`
		Return     struct {
			Type     string `xml:"Type,attr"`
			Nullable string `xml:"Nullable,attr"`
		} `xml:"ReturnType"`
	}
	xmlFunctionImport struct {
		Name     string `xml:"Name,attr"`
		Function string `xml:"Function,attr"`
	}
	xmlEntitySet struct {
		Name       string       `xml:"Name,attr"`
		EntityType string       `xml:"EntityType,attr"`
		Bindings   []xmlBinding `xml:"NavigationPropertyBinding"`
	}
	xmlBinding struct {
		Path   string `xml:"Path,attr"`
		Target string `xml:"Target,attr"`
	}
)

// Metadata is $metadata of the sets that may be read.
func (m *Model) Metadata(mayRead func(*Set) bool) ([]byte, error) {
	schema := xmlSchema{Namespace: odata.Namespace, XMLNS: "http://docs.oasis-open.org/odata/ns/edm", Container: xmlContainer{Name: "Container"}}
	needed := map[string]bool{}
	for _, set := range m.Sets {
		if !mayRead(set) {
			continue
		}
		m.need(needed, set.entity)
		if !set.Function() {
			schema.Container.Sets = append(schema.Container.Sets, set.xml(mayRead))
			continue
		}
		schema.Functions = append(schema.Functions, set.function())
		schema.Container.Functions = append(schema.Container.Functions, xmlFunctionImport{set.Name, odata.Namespace + "." + set.Name})
	}
	for _, e := range m.types {
		if !needed[e.name] {
			continue
		}
		if e.key == "" {
			schema.Complex = append(schema.Complex, e.xml())
		} else {
			entity := e.xml()
			entity.Navigation = e.navigationXML(mayRead)
			schema.Entities = append(schema.Entities, entity)
		}
	}
	body, err := xml.Marshal(xmlDocument{Version: "4.0", XMLNS: "http://docs.oasis-open.org/odata/ns/edmx", DataServices: schema})
	return append([]byte(xml.Header), body...), err
}

// xml is an entity set, with the sets that its navigation properties lead to.
func (s *Set) xml(mayRead func(*Set) bool) xmlEntitySet {
	set := xmlEntitySet{Name: s.Name, EntityType: odata.Namespace + "." + s.entity.name}
	for _, n := range s.entity.navigation {
		if mayRead(n.To) {
			set.Bindings = append(set.Bindings, xmlBinding{n.Name, n.To.Name})
		}
	}
	return set
}

// navigationXML are the navigation properties of an entity that lead to sets which may be read. None has a partner: nothing leads back.
func (e *entity) navigationXML(mayRead func(*Set) bool) (all []xmlNavigation) {
	for _, n := range e.navigation {
		if !mayRead(n.To) {
			continue
		}
		shown := xmlNavigation{Name: n.Name, Type: odata.Namespace + "." + n.To.entity.name, Constraint: xmlConstraint{n.Name + "_id", "id"}}
		if n.required {
			shown.Nullable = "false"
		}
		all = append(all, shown)
	}
	return all
}

func (s *Set) function() xmlFunction {
	f := xmlFunction{Name: s.Name}
	for _, p := range s.Needs {
		f.Parameters = append(f.Parameters, xmlProperty{Name: p.Name, Type: p.Kind, Nullable: "false"})
	}
	f.Return.Type, f.Return.Nullable = "Collection("+odata.Namespace+"."+s.entity.name+")", "false"
	return f
}

// need marks a type and those of its members.
func (m *Model) need(needed map[string]bool, e *entity) {
	if needed[e.name] {
		return
	}
	needed[e.name] = true
	for _, member := range e.members {
		name, ours := strings.CutPrefix(strings.TrimSuffix(strings.TrimPrefix(member.kind, "Collection("), ")"), odata.Namespace+".")
		if at := slices.IndexFunc(m.types, func(e *entity) bool { return e.name == name }); ours && at >= 0 {
			m.need(needed, m.types[at])
		}
	}
}

func (e *entity) xml() xmlType {
	t := xmlType{Name: e.name}
	if e.open {
		t.Open = "true"
	}
	if e.key != "" {
		t.Key = &xmlKey{}
		t.Key.Ref.Name = e.key
	}
	for _, m := range e.members {
		p := xmlProperty{Name: m.name, Type: m.kind}
		if m.required {
			p.Nullable = "false"
		}
		if m.kind == "Edm.Decimal" {
			p.Precision, p.Scale = attribute(precision), attribute(m.decimals)
		}
		if m.kind == "Edm.DateTimeOffset" {
			p.Precision = "6"
		}
		t.Property = append(t.Property, p)
	}
	return t
}

// ServiceDocument names the sets that may be read.
func (m *Model) ServiceDocument(root string, mayRead func(*Set) bool) map[string]any {
	type entry struct {
		Name  string `json:"name"`
		Kind  string `json:"kind"`
		URL   string `json:"url"`
		Title string `json:"title,omitempty"`
	}
	sets := []entry{}
	for _, set := range m.Sets {
		kind := "EntitySet"
		if set.Function() {
			kind = "FunctionImport"
		}
		if mayRead(set) {
			sets = append(sets, entry{set.Name, kind, set.Name, set.Summary})
		}
	}
	return map[string]any{"@odata.context": root + "$metadata", "value": sets}
}
