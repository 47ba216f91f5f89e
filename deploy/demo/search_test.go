package demo

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/search"
	"ams.internal/libs/transport"
)

// thing is a record of the data set as far as it is searched.
type thing struct {
	resource.Record
	Name         string  `json:"name" required:"true" maxLength:"200" search:"name"`
	AssetTag     *string `json:"asset_tag" maxLength:"50" search:"code"`
	SerialNumber *string `json:"serial_number" maxLength:"100" search:"code"`
	Manufacturer *string `json:"manufacturer" maxLength:"100" search:"text"`
	Model        *string `json:"model" maxLength:"100" search:"text"`
}

const thingTable = `-- +goose Up
CREATE TABLE thing (
    organization_id uuid NOT NULL, id uuid NOT NULL, position bigint NOT NULL, external_id text COLLATE "C",
    external_id_key text COLLATE "C" GENERATED ALWAYS AS (unique_key(external_id)) STORED,
    custom_fields jsonb NOT NULL, tags jsonb NOT NULL, version int NOT NULL, created_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL,
    created_by jsonb NOT NULL, updated_by jsonb NOT NULL,
    name text COLLATE "und-x-icu" NOT NULL, asset_tag text COLLATE "C", serial_number text COLLATE "C", manufacturer text, model text,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('thing');
CREATE UNIQUE INDEX thing_position ON thing (organization_id, position) INCLUDE (id);
CREATE UNIQUE INDEX thing_external_id_key ON thing (organization_id, external_id_key);
SELECT keep_terms('thing', 'things');`

// best are the names and codes of the best that a query finds.
func best(t *testing.T, client *resourcetest.Client, query string) []string {
	t.Helper()
	var all []string
	data, _ := client.List(t, "/v1/things?sort=relevance&per_page=5&fields=name,asset_tag,serial_number,external_id&q="+url.QueryEscape(query))
	for _, record := range data {
		for _, value := range record {
			if value != nil {
				all = append(all, strings.Join(search.Fold(value.(string)), " "))
			}
		}
	}
	return all
}

// What people know of 500 records of the demonstration data leads to them: names, codes and serial numbers without accents, in capitals
// and by their beginning always, and names with one typing error nearly always. The first five have it, or others of the same name.
func TestTheDemonstrationDataIsFound(t *testing.T) {
	database := postgrestest.New(t, "things", fstest.MapFS{"0001_things.sql": {Data: []byte(thingTable)}})
	db, err := postgres.Open(t.Context(), database.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	registry := resource.NewRegistry(api, db, nil)
	registry.Catalogue = catalogue.New(catalogue.Collection{Name: "things", Singular: "thing", Path: "/v1/things", Scope: "things"})
	resource.Mount(registry, resource.Definition[thing]{Collection: "things", Table: "thing"})
	client := resourcetest.NewClient(api.Handler(), signer)

	random := rand.New(rand.NewPCG(500, 1))
	var all []record
	for _, b := range blueprints() {
		data := b.generate(ids(b))
		for _, records := range [][]record{data.sites, data.buildings, data.systems, data.assets} {
			var rows []any
			for _, r := range records {
				row := record{}
				for _, field := range []string{"external_id", "name", "asset_tag", "serial_number", "manufacturer", "model"} {
					if r[field] != nil {
						row[field] = r[field]
					}
				}
				rows, all = append(rows, row), append(all, row)
			}
			for len(rows) > 0 {
				n := min(1000, len(rows))
				client.Must(t, 200, "POST", "/v1/things/bulk", map[string]any{"data": rows[:n]})
				rows = rows[n:]
			}
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	serviceRequests, missed := map[string]int{}, map[string]int{}
	look := func(how, query, want string) {
		if _, err := search.Parse(query); err != nil {
			return // more words than a query may have
		}
		serviceRequests[how]++
		for _, value := range best(t, client, query) {
			if value == want || how != "serial number" && strings.HasPrefix(value, want) {
				return
			}
		}
		if missed[how]++; how == "typing error" {
			t.Logf("%s: %q does not find %q", how, query, want)
		} else {
			t.Errorf("%s: %q does not find %q", how, query, want)
		}
	}
	for _, r := range all[:500] {
		words := search.Fold(r["name"].(string))
		name := strings.Join(words, " ")
		look("without accents", name, name)
		look("in capitals", strings.ToUpper(r["name"].(string)), name)
		if last := []rune(words[len(words)-1]); len(last) > 3 {
			look("beginning", strings.TrimSuffix(name, string(last[3:])), strings.TrimSuffix(name, string(last[3:])))
		}
		if serial, is := r["serial_number"].(string); is {
			look("serial number", strings.ToLower(serial), strings.Join(search.Fold(serial), " "))
		}
		look("code", strings.ReplaceAll(r["external_id"].(string), "-", ""), strings.Join(search.Fold(r["external_id"].(string)), " "))
		for i, word := range words {
			if letters := []rune(word); len(letters) >= 6 && search.Corrects(word) {
				wrong := append([]string{}, words...)
				wrong[i] = mistyped(random, letters)
				look("typing error", strings.Join(wrong, " "), name)
				break
			}
		}
	}
	for how, n := range serviceRequests {
		t.Logf("%s: %d of %d", how, n-missed[how], n)
	}
	if n := serviceRequests["typing error"]; n < 100 || missed["typing error"]*20 > n {
		t.Errorf("%d of %d names with a typing error are not found", missed["typing error"], n)
	}
}

// mistyped is a word with one letter left out, doubled, replaced, or exchanged with the next.
func mistyped(random *rand.Rand, letters []rune) string {
	i, wrong := random.IntN(len(letters)-1), append([]rune{}, letters...)
	switch random.IntN(4) {
	case 0:
		wrong = append(wrong[:i], wrong[i+1:]...)
	case 1:
		wrong = append(wrong[:i+1], wrong[i:]...)
		wrong[i+1] = letters[i]
	case 2:
		wrong[i] = 'a' + rune(random.IntN(26))
	case 3:
		wrong[i], wrong[i+1] = wrong[i+1], wrong[i]
	}
	return fmt.Sprint(string(wrong))
}
