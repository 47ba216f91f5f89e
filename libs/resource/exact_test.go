package resource_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Numbers of custom fields are read back with the value they were written with, wherever a record is shown.
func TestNumbersOfCustomFieldsAreExact(t *testing.T) {
	client, database := serve(t)
	random := rand.New(rand.NewPCG(3, 4))
	numbers := []string{"9007199254740993", "-0.1000000000000000055511151231", "123456789012345678901234567890", "1e22", "1.10", "0.1",
		"12345678901234567890e-40"}
	for range 23 {
		text := fmt.Sprint(1 + random.IntN(9))
		for range random.IntN(28) {
			text += fmt.Sprint(random.IntN(10))
		}
		numbers = append(numbers, fmt.Sprintf("%s.%de%d", text, random.IntN(10), random.IntN(40)-20))
	}
	var members []string
	for i, number := range numbers {
		members = append(members, fmt.Sprintf("\"n%d\":%s", i, number))
	}
	custom := "{" + strings.Join(members, ",") + "}"
	exact := func(where, object string) {
		t.Helper()
		var got map[string]json.Number
		if err := json.Unmarshal([]byte(object), &got); err != nil {
			t.Fatalf("%s: %v in %s", where, err, object)
		}
		for i, number := range numbers {
			want, _ := new(big.Rat).SetString(number)
			if is, ok := new(big.Rat).SetString(string(got[fmt.Sprintf("n%d", i)])); !ok || is.Cmp(want) != 0 {
				t.Errorf("%s: %s is %s", where, number, got[fmt.Sprintf("n%d", i)])
			}
		}
	}
	shown := func(where string, body []byte) {
		t.Helper()
		_, after, _ := strings.Cut(string(body), `"custom_fields":`)
		var object json.RawMessage
		if err := json.NewDecoder(strings.NewReader(after)).Decode(&object); err != nil {
			t.Fatalf("%s: %v in %s", where, err, body)
		}
		exact(where, string(object))
	}
	made := client.Must(t, 201, "POST", "/v1/books", `{"title":"x","external_id":"exact","custom_fields":`+custom+`}`)
	path := "/v1/books/" + made.JSON["id"].(string)
	shown("create", made.Body)
	same := client.Must(t, 200, "PATCH", path, `{"custom_fields":`+custom+`}`)
	if shown("the same patch", same.Body); same.JSON["version"] != 1.0 {
		t.Errorf("the same numbers made version %v", same.JSON["version"])
	}
	shown("a patch of a field", client.Must(t, 200, "PATCH", path, `{"title":"y"}`).Body)
	shown("a merged patch", client.Must(t, 200, "PATCH", path, `{"custom_fields":{"n999":1,"n0":9007199254740993}}`).Body)
	shown("a bulk update",
		client.Must(t, 200, "PATCH", "/v1/books/bulk", `{"data":[{"external_id":"exact","custom_fields":{"n999":null}}]}`).Body)
	shown("get", client.Must(t, 200, "GET", path, nil).Body)
	shown("list", client.Must(t, 200, "GET", "/v1/books", nil).Body)
	shown("NDJSON", client.Must(t, 200, "GET", "/v1/books", nil, "Accept", "application/x-ndjson").Body)
	rows, err := csv.NewReader(
		strings.NewReader(string(client.Must(t, 200, "GET", "/v1/books?fields=custom_fields", nil, "Accept", "text/csv").Body)),
	).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("CSV: %v %v", err, rows)
	}
	exact("CSV", rows[1][0])
	_, history, _ := strings.Cut(string(client.Must(t, 200, "GET", path+"/history", nil).Body), `"custom_fields":{"old":null,"new":`)
	shown("history", []byte(`"custom_fields":`+history))
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	var payload string
	if err := owner.QueryRow(t.Context(), "SELECT payload::text FROM outbox ORDER BY position LIMIT 1").Scan(&payload); err != nil {
		t.Fatal(err)
	}
	shown("event", []byte(strings.Replace(payload, `"custom_fields": `, `"custom_fields":`, 1)))
	if refused := client.Must(t, 400, "PATCH", path, `{"custom_fields":{"n0":1234567890123456789012345678901}}`); len(refused.Fields()) != 1 ||
		refused.Fields()[0] != "custom_fields.n0" {
		t.Errorf("31 digits: %s", refused.Body)
	}
	if refused := client.Must(t, 400, "PATCH", path, `{"price":1.0000000000000000001}`); len(refused.Fields()) != 1 ||
		refused.Fields()[0] != "price" {
		t.Errorf("money of 20 digits: %s", refused.Body)
	}
}
