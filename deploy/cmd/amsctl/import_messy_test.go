package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// assetService takes assets in bulk as the assets service describes them: those with an external id that is there are unchanged when they
// are sent again as they were.
func assetService(t *testing.T) (there map[string]string) {
	t.Helper()
	there = map[string]string{}
	described := describedBy(t, "assets")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(described) })
	mux.HandleFunc("GET /v1/me", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"organization":{"id":"org-1"}}`) })
	mux.HandleFunc("GET /v1/assets", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[]}`) })
	mux.HandleFunc("POST /v1/assets/imports", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	mux.HandleFunc("POST /v1/assets/bulk", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Data []json.RawMessage `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		results := []string{}
		for i, row := range body.Data {
			var record struct {
				ExternalID string `json:"external_id"`
				Rating     *int   `json:"condition_rating"`
			}
			if err := json.Unmarshal(row, &record); err != nil {
				t.Error(err)
			}
			status := "created"
			switch before, known := there[record.ExternalID]; {
			case record.Rating != nil && *record.Rating > 5:
				results = append(results, fmt.Sprintf(`{"index":%d,"status":"failed","field":"condition_rating",`+
					`"error":"condition_rating: must be at most 5"}`, i))
				continue
			case known && before == string(row):
				status = "unchanged"
			case known:
				status = "updated"
			}
			there[record.ExternalID] = string(row)
			results = append(results, fmt.Sprintf(`{"index":%d,"status":%q}`, i, status))
		}
		fmt.Fprintf(w, `{"results":[%s]}`, strings.Join(results, ","))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("AMS_BASE_URL", s.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	return there
}

// A CSV of a French Excel in windows-1252, a workbook, and our own file for Excel with two rows edited: good rows go in, bad ones come back
// with the reason, and go in once they are put right. What they print stands in docs/import.md.
func TestThreeMessySpreadsheetsAreImportedWithTheirRejects(t *testing.T) {
	document, err := os.ReadFile("../../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	there := assetService(t)
	t.Chdir(t.TempDir())
	pompes := "Identifiant;Nom;Année d'installation;Coût de remplacement;État;Date d'inspection;Zone\r\n" +
		"P-1;Pompe no 1;1998;12 500,50 $;Bon;31/12/2024;Nord\r\n" +
		"P-2;\"Pompe \"\"B\"\", étage 2\";2001;1.850,00 $;Très mauvais;01/02/2025;Sud\r\n" +
		"P-3;Pompe no 3;deux mille;900,00 $;Bon;15/03/2025;Sud\r\n" +
		"P-4;Pompe no 4;2010;800,00 $;Bizarre;15/03/2025;\r\n" +
		"P-5;;2011;700,00 $;Bon;30/02/2025;Nord\r\n"
	if err := os.WriteFile("pompes.csv", latin1(pompes), 0o600); err != nil {
		t.Fatal(err)
	}
	fans(t, "fans.xlsx")
	export := "\ufeffid;version;external_id;name;replacement_cost;condition_rating;tags\r\n" +
		"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e01;1;'-7;'=Somme;1234,50;2;\"[\"\"é\"\"]\"\r\n" +
		"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e02;1;X-2;Deux;12,5,0;3;[]\r\n" +
		"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e03;1;X-3;Trois;;9;[]\r\n"
	if err := os.WriteFile("actifs.csv", []byte(export), 0o600); err != nil {
		t.Fatal(err)
	}

	var log strings.Builder
	run := func(wantCode int, args string) (out string) {
		t.Helper()
		code, out, errOut := amsctl(t.Context(), strings.Fields(args)...)
		if code != wantCode {
			t.Fatalf("amsctl %s: exit %d, %s%s", args, code, out, errOut)
		}
		log.WriteString("$ amsctl " + args + "\n" + errOut + out)
		return out
	}
	mapped := run(0, "import assets --file pompes.csv --encoding windows-1252 --suggest-mapping")
	if err := os.WriteFile("pompes.yaml", []byte(mapped), 0o600); err != nil {
		t.Fatal(err)
	}
	run(3, "import --file pompes.csv --encoding windows-1252 --mapping pompes.yaml --dry-run")
	run(3, "import --file pompes.csv --encoding windows-1252 --mapping pompes.yaml --on-conflict update")
	mapped = run(0, "import assets --file fans.xlsx --suggest-mapping")
	if err := os.WriteFile("fans.yaml", []byte(mapped), 0o600); err != nil {
		t.Fatal(err)
	}
	run(3, "import --file fans.xlsx --mapping fans.yaml --on-conflict update")
	run(3, "import assets --file actifs.csv --on-conflict update")

	for path, want := range map[string]string{
		"pompes.csv.assets.rejects.csv": "\ufeffrejected_line;rejected_record;rejected_field;rejected_because;Identifiant;Nom;Année " +
			"d'installation;Coût de remplacement;État;Date d'inspection;Zone\r\n" +
			"4;P-3;install_year;\"Année d'installation: \"\"deux mille\"\" is not a number\";P-3;Pompe no 3;deux mille;900,00 $;Bon;15/03/2025;" +
			"Sud\r\n" +
			"5;P-4;condition_rating;\"État: \"\"Bizarre\"\" is not among the values that the mapping lists\";P-4;Pompe no 4;2010;800,00 $;" +
			"Bizarre;15/03/2025;\r\n" +
			"6;P-5;condition_assessed_on;\"Date d'inspection: \"\"30/02/2025\"\" is not a date written as DD/MM/YYYY\";P-5;;2011;700,00 $;Bon;" +
			"30/02/2025;Nord\r\n" +
			"6;P-5;name;has no value in this row;P-5;;2011;700,00 $;Bon;30/02/2025;Nord\r\n",
		"fans.xlsx.assets.rejects.csv": "\ufeffrejected_line,rejected_record,rejected_field,rejected_because,Asset ID,External ID," +
			"Description,Name,Date Installed,Replacement Cost,Condition\r\n" +
			"4,'-2,condition_rating,condition_rating: must be at most 5,F-2,'-2,'=A1+B1,Fan 2,2003-05-06,1000,7\r\n",
		"actifs.csv.assets.rejects.csv": "\ufeffrejected_line;rejected_record;rejected_field;rejected_because;id;version;external_id;name;" +
			"replacement_cost;condition_rating;tags\r\n" +
			"3;X-2;replacement_cost;\"replacement_cost: \"\"12,5,0\"\" is not a number\";019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e02;1;X-2;Deux;12,5," +
			"0;3;[]\r\n" +
			"4;X-3;condition_rating;condition_rating: must be at most 5;019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e03;1;X-3;Trois;;9;[]\r\n",
	} {
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v:\n%s\nwant\n%s", path, err, got, want)
		}
	}

	// Put right, and imported with the same mapping.
	for path, change := range map[string][]string{
		"pompes.csv.assets.rejects.csv": {"deux mille;900", "2000;900", "Bizarre;15", "Mauvais;15", "P-5;;", "P-5;Pompe no 5;",
			"30/02/2025", "28/02/2025"},
		"fans.xlsx.assets.rejects.csv":  {"1000,7", "1000,5"},
		"actifs.csv.assets.rejects.csv": {"Deux;12,5,0", "Deux;12,5", "Trois;;9", "Trois;;4"},
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.NewReplacer(change...).Replace(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rules, err := os.ReadFile("pompes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("pompes.yaml", []byte(strings.Replace(string(rules), "Bon: 2,", "Bon: 2, Mauvais: 4,", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "import --file pompes.csv.assets.rejects.csv --encoding windows-1252 --mapping pompes.yaml --on-conflict update")
	run(0, "import --file fans.xlsx.assets.rejects.csv --mapping fans.yaml --on-conflict update")
	run(0, "import assets --file actifs.csv.assets.rejects.csv --on-conflict update")
	if again := run(0, "import --file pompes.csv.assets.rejects.csv --mapping pompes.yaml --on-conflict "+
		"update"); !strings.Contains(again, "0 updated, 4 unchanged") {
		t.Errorf("a second time: %s", again)
	}

	want := map[string]string{
		"P-1": `{"condition_assessed_on":"2024-12-31","condition_rating":2,"external_id":"P-1","install_year":1998,"name":"Pompe no 1",` +
			`"replacement_cost":12500.50}`,
		"P-2": `{"condition_assessed_on":"2025-02-01","condition_rating":5,"external_id":"P-2","install_year":2001,"name":"Pompe \"B\",` +
			` étage 2","replacement_cost":1850.00}`,
		"P-3": `{"condition_assessed_on":"2025-03-15","condition_rating":2,"external_id":"P-3","install_year":2000,"name":"Pompe no 3",` +
			`"replacement_cost":900.00}`,
		"P-4": `{"condition_assessed_on":"2025-03-15","condition_rating":4,"external_id":"P-4","install_year":2010,"name":"Pompe no 4",` +
			`"replacement_cost":800.00}`,
		"P-5": `{"condition_assessed_on":"2025-02-28","condition_rating":2,"external_id":"P-5","install_year":2011,"name":"Pompe no 5",` +
			`"replacement_cost":700.00}`,
		"F-1": `{"asset_tag":"007","condition_rating":1,"description":"roof","external_id":"F-1","install_date":"2001-02-03","name":"Fan 1",` +
			`"replacement_cost":1234567.89}`,
		"-2": `{"asset_tag":"F-2","condition_rating":5,"description":"=A1+B1","external_id":"-2","install_date":"2003-05-06",` +
			`"name":"Fan 2","replacement_cost":1000}`,
		"-7":  `{"condition_rating":2,"external_id":"-7","name":"=Somme","replacement_cost":1234.50,"tags":["é"]}`,
		"X-2": `{"condition_rating":3,"external_id":"X-2","name":"Deux","replacement_cost":12.5,"tags":[]}`,
		"X-3": `{"condition_rating":4,"external_id":"X-3","name":"Trois","tags":[]}`,
	}
	for id, record := range want {
		if there[id] != record {
			t.Errorf("%s is\n%s, want\n%s", id, there[id], record)
		}
	}
	if len(there) != len(want) {
		t.Errorf("%d assets are there, want %d: %v", len(there), len(want), there)
	}
	shownIn(t, string(document), log.String())
}

// shownIn says which lines of what was printed docs/import.md does not show.
func shownIn(t *testing.T, document, log string) {
	t.Helper()
	_, file, _ := strings.Cut(document, "<!-- three spreadsheets -->")
	shown := strings.Split(file, "\n")
	for line := range strings.Lines(log) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(shown, line) {
			t.Errorf("docs/import.md does not show %q", line)
		}
	}
}

func latin1(text string) (out []byte) {
	for _, c := range text {
		out = append(out, byte(c))
	}
	return out
}

// fans writes a workbook as people have them: a row left blank, formats of money and days, codes that are texts, a second sheet with
// nothing in it.
func fans(t *testing.T, path string) {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	if _, err := book.NewSheet("Sheet2"); err != nil {
		t.Fatal(err)
	}
	for cell, value := range map[string]any{
		"A1": "Asset ID", "B1": "External ID", "C1": "Description", "D1": "Name", "E1": "Date Installed", "F1": "Replacement Cost",
		"G1": "Condition",
		"A2": "007", "B2": "F-1", "C2": "roof", "D2": "Fan 1", "E2": 36925, "F2": 1234567.89, "G2": 1,
		"A4": "F-2", "B4": "-2", "C4": "=A1+B1", "D4": "Fan 2", "E4": 37747, "F4": 1000, "G4": 7,
	} {
		if err := book.SetCellValue("Sheet1", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	for format, cells := range map[string][]string{"dd/mm/yyyy": {"E2", "E4"}, `"$"#,##0.00`: {"F2", "F4"}} {
		style, err := book.NewStyle(&excelize.Style{CustomNumFmt: &format})
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range cells {
			if err := book.SetCellStyle("Sheet1", cell, cell, style); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := book.SaveAs(filepath.Clean(path)); err != nil {
		t.Fatal(err)
	}
}
