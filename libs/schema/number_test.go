package schema_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/schema"
)

func TestNumbersKeepTheirValue(t *testing.T) {
	for text, want := range map[string]any{
		"0.1": 0.1, "-1.50": -1.5, "1e3": 1000.0, "9007199254740992": 9007199254740992.0, "123456789012345680000": 123456789012345680000.0,
		"9007199254740993":                 json.Number("9.007199254740993e15"),
		"9007199254740993.00":              json.Number("9.007199254740993e15"),
		"-0.12345678901234567890":          json.Number("-1.234567890123456789e-1"),
		"0.1000000000000000055511151231":   json.Number("1.000000000000000055511151231e-1"),
		"900719925474099300000000e-8":      json.Number("9.007199254740993e15"),
		"1e-400":                           json.Number("1e-400"),
		"0.00":                             0.0,
		"0e99999999999999":                 0.0,
		"1.0000000000000000000000000000e2": 100.0,
	} {
		got, err := schema.Parse([]byte(text))
		if err != nil || got != want {
			t.Errorf("%s: %T %v, %v; want %v", text, got, got, err, want)
		}
	}
}

// Whatever is written in up to 30 digits is read with the same value, and read again from what it becomes as the same.
func TestEveryNumberOfThirtyDigitsIsKept(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var digits strings.Builder
		for range 1 + random.IntN(30) {
			fmt.Fprint(&digits, random.IntN(10))
		}
		text := strings.TrimLeft(digits.String(), "0")
		if text == "" {
			text = "0"
		}
		if random.IntN(2) == 0 {
			text += "." + digits.String()[:1]
		}
		if random.IntN(2) == 0 {
			text += fmt.Sprintf("e%d", random.IntN(80)-40)
		}
		first, err := schema.Parse([]byte("-" + text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		encoded, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want, _ := new(big.Rat).SetString("-" + text)
		if got, ok := new(big.Rat).SetString(string(encoded)); !ok || got.Cmp(want) != 0 {
			t.Fatalf("-%s became %s", text, encoded)
		}
		if again, err := schema.Parse(encoded); err != nil || again != first {
			t.Fatalf("-%s is %v, and %v when it is read again", text, first, again)
		}
	}
}

func TestNumbersThatAreNotKeptAreRefused(t *testing.T) {
	type priced struct {
		Price  *float64          `json:"price" money:"true"`
		Count  *int              `json:"count"`
		Weight *float64          `json:"weight"`
		Own    schema.OpenObject `json:"own"`
	}
	declared := schema.Of[priced]()
	read := func(body string) (priced, schema.Problems) {
		t.Helper()
		object, err := schema.ParseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var record priced
		return record, declared.Read(object, "", reflect.ValueOf(&record).Elem(), nil)
	}
	for body, field := range map[string]string{
		`{"price": 1.0000000000000000001}`:                             "price",
		`{"count": 5.0000000000000000001}`:                             "count",
		`{"own": {"a b": 1234567890.123456789012345678901}}`:           "own.a b",
		`{"own": {"x": 1e-400}}`:                                       "own.x",
		`{"own": {"x": {"y": 1}}}`:                                     "own.x",
		`{"own": {"": 1}}`:                                             "own.",
		`{"own": {"` + strings.Repeat("k", 101) + `": 1}}`:             "own." + strings.Repeat("k", 100) + "…",
		`{"own": {"x": "` + strings.Repeat("v", 2001) + `"}}`:          "own.x",
		`{"own": {"x": 0.1234567890123456789012345678901}, "count":1}`: "own.x",
	} {
		if _, problems := read(body); len(problems) != 1 || problems[0].Field != field {
			t.Errorf("%s: %v, want %s alone", body, problems, field)
		}
	}
	if _, problems := read(
		`{"weight": 43.64201234567890123, "price": 9999999999999.99, "own": {"x": 123456789012345678901234567.891}}`,
	); problems != nil {
		t.Errorf("refused: %v", problems)
	}
}
