package mapping_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ams.internal/deploy/cmd/amsctl/mapping"
	"ams.internal/deploy/cmd/amsctl/rows"
)

// suggested proposes a mapping for a CSV of a collection that the golden document of a service describes.
func suggested(t *testing.T, service, collection, csv string) (mapping.Suggestion, mapping.Collection, []string) {
	t.Helper()
	document, err := os.ReadFile("../../../../services/" + service + "/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	found, err := mapping.FindCollection(document, collection)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(path, []byte(csv), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := rows.Open(path, rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var first []rows.Row
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return mapping.Suggest(collection, found, r.Header(), first), found, r.Header()
		}
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, row)
	}
}

func TestAMappingIsProposedByHeadersInBothLanguages(t *testing.T) {
	for _, c := range []struct{ name, service, collection, csv, want, unknown, missing string }{
		{"English", "assets", "assets", "Asset ID,Description,Year Installed,Make,Serial #,Replacement Cost,Condition,Last Inspection," +
			"Status,Zone\n" +
			"A-1,Pump,1998,Grundfos,77,\"$12,500.00\",Good,31/12/2024,Operating,N\nA-2,Fan,2001,Trane,78,\"$900\",Poor,01/02/2025,Mothballed,S\n",
			`collection: assets
fields:
  asset_tag: {column: Asset ID}
  description: {column: Description}
  install_year: {column: Year Installed}
  manufacturer: {column: Make}
  serial_number: {column: "Serial #"}
  replacement_cost: {column: Replacement Cost, remove: ["$", ","]}
  condition_rating: {column: Condition, values: {Good: 2, Poor: 4}}
  condition_assessed_on: {column: Last Inspection, type: date, format: DD/MM/YYYY}
  status: {column: Status, values: {Operating: in_service}} # add what these mean: Mothballed
  # required, and no column was recognized for it:
  # name: …
  # without it, a second import cannot find these records: a text that is different in each row
  # external_id: "…-{COLUMN}"
  # not recognized; take away the sign before those that are to be custom fields:
  # custom_fields.zone: {column: Zone}
`, "Zone", "name"},
		{"French", "assets", "buildings", "Identifiant;Nom du bâtiment;Type d'immeuble;Année de construction;Superficie (m²);Valeur de " +
			"remplacement;Code postal;id du site;Remarques internes\n" +
			"B-1;Mairie;Hôtel de ville;1932;1850,5;1 234 567,89 $;G9A 1A1;S-1;x\nB-2;Aréna;Aréna;1975;3200;900000;G9A 1A2;S-1;\n",
			`collection: buildings
fields:
  external_id: {column: Identifiant}
  name: {column: Nom du bâtiment, required: true}
  building_type: {column: "Type d'immeuble", values: {Hôtel de ville: administration, Aréna: arena}}
  year_built: {column: Année de construction}
  gross_floor_area_m2: {column: "Superficie (m²)", decimal: ","}
  replacement_cost: {column: Valeur de remplacement, decimal: ",", remove: ["$"]}
  postal_code: {column: Code postal}
  site_external_id: {column: id du site}
  # not recognized; take away the sign before those that are to be custom fields:
  # custom_fields.remarques_internes: {column: Remarques internes}
`, "Remarques internes", ""},
		{"names of fields, our own columns, and one that is misspelt", "assets", "sites",
			"id,version,external_id,name,site_type,land_area_m2,postal_cod\n" +
				"x,1,S-1,Parc,park,12.5,G9A\n", `collection: sites
fields:
  external_id: {column: external_id}
  name: {column: name, required: true}
  site_type: {column: site_type}
  land_area_m2: {column: land_area_m2}
  postal_code: {column: postal_cod}
`, "", ""},
		{"days that can be read both ways", "assets", "deficiencies",
			"Titre,Constaté le,Priorité,asset_external_id\nFuite,01/02/2025,Élevée,A-1\n",
			`collection: deficiencies
fields:
  title: {column: Titre, required: true}
  found_on: {column: Constaté le, type: date, format: DD/MM/YYYY} # or MM/DD/YYYY: these days can be read both ways
  priority: {column: Priorité, values: {Élevée: high}}
  asset_external_id: {column: asset_external_id}
  # without it, a second import cannot find these records: a text that is different in each row
  # external_id: "…-{COLUMN}"
`, "", ""},
		{"nothing that is known", "assets", "sites", "abc,xyz\n1,2\n", `collection: sites
fields:
  # no column was recognized
  # required, and no column was recognized for it:
  # name: …
  # without it, a second import cannot find these records: a text that is different in each row
  # external_id: "…-{COLUMN}"
  # not recognized; take away the sign before those that are to be custom fields:
  # custom_fields.abc: {column: abc}
  # custom_fields.xyz: {column: xyz}
`, "abc, xyz", "name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, found, header := suggested(t, c.service, c.collection, c.csv)
			if got.YAML != c.want || strings.Join(got.Unknown, ", ") != c.unknown || strings.Join(got.Missing, ", ") != c.missing {
				t.Errorf("proposed\n%s, unknown %v, missing %v; want\n%s", got.YAML, got.Unknown, got.Missing, c.want)
			}
			if c.name == "nothing that is known" {
				return // a person has to write the fields
			}
			rules, err := mapping.Parse(strings.NewReader(got.YAML))
			if err != nil {
				t.Fatalf("what is proposed cannot be read: %v\n%s", err, got.YAML)
			}
			if _, err := mapping.Compile(rules, header, c.collection, found.Fields); err != nil {
				t.Errorf("what is proposed does not fit: %v", err)
			}
			custom := strings.ReplaceAll(got.YAML, "  # custom_fields.", "  custom_fields.")
			if rules, err = mapping.Parse(strings.NewReader(custom)); err != nil {
				t.Errorf("with custom fields: %v", err)
			} else if _, has := rules.Fields["custom_fields.zone"]; c.name == "English" && !has {
				t.Error("a custom field is not there when its sign is taken away")
			}
		})
	}
}

// Names in the dictionary of headers are fields that some collection has.
func TestTheWordsOfHeadersAreOfFieldsThatThereAre(t *testing.T) {
	there := map[string]bool{}
	for _, service := range []string{"assets", "infrastructure", "workorders", "requests", "users", "meters", "accounting", "projects"} {
		document, err := os.ReadFile("../../../../services/" + service + "/testdata/openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, collection := range []string{"sites", "buildings", "systems", "assets", "deficiencies", "infrastructure/networks",
			"infrastructure/segments", "work-orders",
			"work-orders/costs", "vendors", "users", "requests", "meters", "accounting/capital-assets", "accounting/classes", "projects"} {
			found, err := mapping.FindCollection(document, collection)
			if err != nil {
				continue
			}
			for name, field := range found.Fields {
				if reference, is := strings.CutSuffix(name, "_id"); is && !field.ReadOnly {
					there[reference+"_external_id"] = true
				}
				there[name] = there[name] || !field.ReadOnly
			}
		}
	}
	if len(mapping.HeaderFields()) < 100 {
		t.Error("there are no words")
	}
	for _, name := range mapping.HeaderFields() {
		if !there[name] {
			t.Errorf("no collection has the field %s", name)
		}
	}
	if !slices.IsSorted(mapping.HeaderFields()) {
		t.Error("they are not sorted")
	}
}
