package assets

import (
	"net/url"
	"strings"
	"testing"

	"ams.internal/libs/schema"
)

// What people type, in both languages, with what is to come first. What is not found so costs them a call.
func TestWhatPeopleTypeFindsWhatTheyMean(t *testing.T) {
	t.Parallel()
	client := serve(t)
	site := func(name, code, address, city string) fields {
		return client.Create(t, "/v1/sites",
			fields{"name": name, "code": code, "address_line1": address, "city": city, "site_type": "other", "country": "CA"})
	}
	var first string
	for i, s := range [][4]string{
		{"Aréna Maurice-Richard", "SITE-0001", "2800, rue Viau", "Montréal"}, {"Hôtel de Ville",
			"SITE-0002", "275, rue Notre-Dame Est", "Montréal"}, {"École Saint-Joseph", "SITE-0003", "1200, rue Saint-Denis", "Trois-Rivières"},
		{"St. Mary's Community Centre", "SITE-0004", "15 King Street West", "Toronto"}, {"Bibliothèque de l’Île", "SITE-0005",
			"4, chemin de l'Église", "L'Île-Perrot"}, {"Riverdale Pool", "SITE-0012", "550 Broadview Avenue", "Toronto"},
		{"Old City Hall", "SITE-0021", "60 Queen Street West", "Toronto"}, {"Usine d'épuration", "UE-7", "1, quai des Œuvres", "Lévis"},
	} {
		record := site(s[0], s[1], s[2], s[3])
		if i == 0 {
			first = record["id"].(string)
		}
	}
	asset := func(name, tag, serial, manufacturer, model, location, status string) {
		body := fields{"name": name, "asset_tag": tag, "site_id": first, "status": status}
		for field, value := range map[string]string{"serial_number": serial, "manufacturer": manufacturer, "model": model, "location": location} {
			if value != "" {
				body[field] = value
			}
		}
		if status == "disposed" {
			body["disposed_on"] = "2026-01-31"
		}
		client.Create(t, "/v1/assets", body)
	}
	asset("Pompe de circulation nº 1", "A-000121", "SN-48-22106", "Grundfos", "UPS 32-80", "Salle mécanique S-12", "in_service")
	asset("Pompe de circulation nº 2", "A-000122", "SN-48-22107", "Armstrong", "4380", "Salle mécanique S-12", "disposed")
	asset("Pompe de relevage", "A-000123", "GR17-004512", "Grundfos", "SEG.40", "Sous-sol", "in_service")
	asset("Chaudière à gaz", "A-001230", "VI09-777001", "Viessmann", "Vitocrossal 300", "Chaufferie", "in_service")
	asset("Rooftop unit 3", "A-000301", "TR18-118822", "Trane", "Voyager", "Roof, east wing", "in_service")
	asset("Elevator", "A-000400", "OT88-000017", "Otis", "Gen2", "Main lobby", "in_service")
	asset("Fire alarm panel", "A-000401", "SI21-990001", "Simplex", "4100ES", "Main lobby", "in_service")
	asset("Refroidisseur", "A-000500", "CA15-301122", "Carrier", "30RB", "Toit", "in_service")
	asset("Pompe", "A-000600", "XX-1", "", "", "", "in_service")

	for _, c := range []struct{ path, query, want string }{
		{"sites", "arena", "Aréna Maurice-Richard"}, {"sites", "ARÉNA", "Aréna Maurice-Richard"}, {"sites", "maurice richard",
			"Aréna Maurice-Richard"}, {"sites", "hotel de ville", "Hôtel de Ville"}, {"sites", "Hôtel-de-ville", "Hôtel de Ville"},
		{"sites", "hotel vil", "Hôtel de Ville"}, {"sites", "l'hotel", "Hôtel de Ville"}, {"sites", "ecole sa", "École Saint-Joseph"},
		{"sites", "école saint joseph", "École Saint-Joseph"}, {"sites", "saint-denis", "École Saint-Joseph"}, {"sites", "1200 rue saint denis",
			"École Saint-Joseph"}, {"sites", "trois rivieres", "École Saint-Joseph"}, {"sites", "st marys", "St. Mary's Community Centre"},
		{"sites", "st. mary's", "St. Mary's Community Centre"}, {"sites", "St Mary’s Community", "St. Mary's Community Centre"},
		{"sites", "king street", "St. Mary's Community Centre"}, {"sites", "bibliotheque ile", "Bibliothèque de l’Île"},
		{"sites", "l'île", "Bibliothèque de l’Île"}, {"sites", "chemin de l’eglise", "Bibliothèque de l’Île"},
		{"sites", "river", "Riverdale Pool"}, {"sites", "riverdale poo", "Riverdale Pool"}, {"sites", "rivredale", "Riverdale Pool"},
		{"sites", "toronto queen", "Old City Hall"}, {"sites", "city hall", "Old City Hall"}, {"sites", "12", "Riverdale Pool"},
		{"sites", "site 12", "Riverdale Pool"}, {"sites", "SITE-0012", "Riverdale Pool"}, {"sites", "site0012", "Riverdale Pool"},
		{"sites", "ue7", "Usine d'épuration"}, {"sites", "usine epuration", "Usine d'épuration"}, {"sites", "oeuvres", "Usine d'épuration"},
		{"sites", "bilbiotheque", "Bibliothèque de l’Île"}, {"sites", "communty centre", "St. Mary's Community Centre"},

		{"assets", "pompe", "Pompe"}, {"assets", "pompe circulation", "Pompe de circulation nº 1"}, {"assets", "pompe de circulation no 2",
			"Pompe de circulation nº 2"}, {"assets", "circulation pompe", "Pompe de circulation nº 1"}, {"assets", "A-000123", "Pompe de relevage"},
		{"assets", "a000123", "Pompe de relevage"}, {"assets", "123", "Pompe de relevage"}, {"assets", "A 000123", "Pompe de relevage"},
		{"assets", "1230", "Chaudière à gaz"}, {"assets", "a-0012", "Chaudière à gaz"}, {"assets", "sn-48-22107", "Pompe de circulation nº 2"},
		{"assets", "SN4822107", "Pompe de circulation nº 2"}, {"assets", "22107", "Pompe de circulation nº 2"},
		{"assets", "gr17", "Pompe de relevage"}, {"assets", "004512", "Pompe de relevage"}, {"assets", "4512", "Pompe de relevage"},
		{"assets", "grundfos ups", "Pompe de circulation nº 1"}, {"assets", "grunfos seg", "Pompe de relevage"},
		{"assets", "chaudiere gaz", "Chaudière à gaz"}, {"assets", "chaudeire", "Chaudière à gaz"}, {"assets", "viesmann", "Chaudière à gaz"},
		{"assets", "trene", "Rooftop unit 3"}, {"assets", "trane voyager", "Rooftop unit 3"}, {"assets", "rooftop 3", "Rooftop unit 3"},
		{"assets", "elevater", "Elevator"}, {"assets", "otis gen2", "Elevator"}, {"assets", "fire alarm", "Fire alarm panel"},
		{"assets", "4100es", "Fire alarm panel"}, {"assets", "salle mecanique s-12", "Pompe de circulation nº 1"},
		{"assets", "30rb", "Refroidisseur"}, {"assets", "refroidiseur", "Refroidisseur"}, {"assets", "carrier toit", "Refroidisseur"},
	} {
		data, _ := client.List(t, "/v1/"+c.path+"?sort=relevance&per_page=5&fields=name&q="+url.QueryEscape(c.query))
		if len(data) == 0 || data[0]["name"] != c.want {
			t.Errorf("%s, %q: %v comes first, want %s", c.path, c.query, data, c.want)
		}
	}
}

// A category is found by what people call it in both languages.
func TestCategoriesAreFoundByTheirWords(t *testing.T) {
	t.Parallel()
	client := serve(t)
	client.Create(t, "/v1/assets", fields{"name": "Pompe", "category": "plumbing"})
	client.Create(t, "/v1/assets", fields{"name": "Unit 3", "category": "hvac"})
	for query, want := range map[string]string{"plomberie": "Pompe", "plumbing": "Pompe", "chauffage": "Unit 3", "HVAC": "Unit 3",
		"cvc": "Unit 3", "climat": "Unit 3"} {
		if found, _ := client.List(t, "/v1/assets?fields=name&q="+query); len(found) != 1 || found[0]["name"] != want {
			t.Errorf("%s: %v", query, found)
		}
	}
}

// Whatever is typed or asked at once is answered, or refused by a 400 that names the parameter.
func TestOddQueriesAreAnsweredOrRefused(t *testing.T) {
	t.Parallel()
	client := serve(t)
	client.Create(t, "/v1/assets", fields{"name": "Pompe b", "asset_tag": "A-000123"})
	for query, want := range map[string]int{
		"b": 1, "z": 0, "%": 400, "_": 400, "' OR 1=1 --": 0, "%pompe%": 1, "p_mpe": 0, "; DROP TABLE asset": 0, strings.Repeat("a", 200): 0,
		strings.Repeat("é", 201): 400, strings.Repeat("pompe ", 1666): 400, strings.Repeat("x", 10_000): 400, "!?.,;:": 400,
		"\u202epompe\u202c": 1, "مضخة": 0, "p\u0301o\u0302mpe": 1, strings.Repeat("\u0301", 100): 400, "b\u0301\u0301\u0301\u0301": 1,
		"pompe\u200b b": 1, "\x00": 400, "\xff\xfe": 400, "b c d e f g h i j": 400, "": 400, " ": 400, "😀": 400,
		"pompe 😀": 1, "\\": 400, "$1": 0, "{}": 400, "null": 0, "pompe\ta\n": 1,
	} {
		for _, sort := range []string{"", "&sort=relevance", "&sort=-name", "&status=in_service"} {
			status, body := client.Do(t, "GET", "/v1/assets?q="+url.QueryEscape(query)+sort, nil).Status, ""
			if want == 400 {
				if status != 400 {
					t.Errorf("%.20q%s: %d %s", query, sort, status, body)
				}
				continue
			}
			_, pagination := client.List(t, "/v1/assets?q="+url.QueryEscape(query)+sort)
			if pagination["total"] != float64(want) {
				t.Errorf("%.20q%s finds %v, want %d", query, sort, pagination["total"], want)
			}
		}
	}

	all := url.Values{"q": {"pompe"}, "sort": {"-name"}}
	for _, f := range schema.Of[Asset]().Fields {
		value := map[schema.Kind]string{schema.UUID: "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12", schema.Integer: "1", schema.Number: "1",
			schema.Boolean: "true", schema.Date: "2026-01-01", schema.Time: "2026-01-01", schema.Text: "x"}[f.Kind]
		if len(f.Enum) > 0 {
			value = strings.Join(f.Enum[:min(2, len(f.Enum))], ",")
		}
		switch {
		case f.Filter == "" || value == "":
		case f.Filter == "range" && (f.Kind == schema.Date || f.Kind == schema.Time):
			all.Set(f.Name+"_from", value)
			all.Set(f.Name+"_to", value)
		case f.Filter == "range":
			all.Set(f.Name+"_min", value)
			all.Set(f.Name+"_max", value)
		default:
			all.Set(f.Name, value)
		}
	}
	if len(all) < 50 {
		t.Fatalf("%d parameters: %v", len(all), all)
	}
	if _, pagination := client.List(t, "/v1/assets?"+all.Encode()); pagination["total"] != 0.0 {
		t.Errorf("with %d parameters: %v", len(all), pagination)
	}
}
