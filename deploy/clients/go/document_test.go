package ams

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// document is the description of the API that the types are made from.
func document(t *testing.T) (d struct {
	Info  struct{ Version string }
	Paths map[string]map[string]struct{ OperationID string }
}) {
	t.Helper()
	text, err := os.ReadFile("../openapi.json")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTheVersionIsThatOfTheDocument(t *testing.T) {
	if version := document(t).Info.Version; Version != version {
		t.Errorf("the library is %s, the document %s: a library is released with its document", Version, version)
	}
}

// TestEveryCollectionOfTheDocumentHasItsField finds the paths of all collections in a Client, sub-collections among them.
func TestEveryCollectionOfTheDocumentHasItsField(t *testing.T) {
	var there []string
	add := func(collection reflect.Value) {
		there = append(there, reflect.Indirect(collection).FieldByName("path").String())
	}
	fields := reflect.ValueOf(NewClient("http://127.0.0.1", "").Collections)
	for i := range fields.NumField() {
		field := fields.Field(i)
		if field.Kind() == reflect.Pointer {
			add(field)
			continue
		}
		add(field.Field(0))
		for j := range field.NumMethod() {
			method := field.Type().Method(j)
			if method.Type.NumIn() == 2 && method.Type.In(1).Kind() == reflect.String && method.Type.NumOut() == 1 &&
				method.Type.Out(0).Kind() == reflect.Pointer {
				add(field.Method(j).Call([]reflect.Value{reflect.ValueOf("ID")})[0])
			}
		}
	}
	var wanted []string
	for path, methods := range document(t).Paths {
		base, isBulk := strings.CutSuffix(path, "/bulk")
		if _, creates := methods["post"]; !isBulk || !creates {
			continue
		}
		if before, rest, below := strings.Cut(base, "/{"); below {
			_, rest, _ = strings.Cut(rest, "}")
			base = before + "/ID" + rest
		}
		wanted = append(wanted, base)
	}
	slices.Sort(there)
	slices.Sort(wanted)
	if len(wanted) < 20 || !slices.Equal(there, wanted) {
		t.Errorf("a Client has the collections\n%v\nthe document\n%v", there, wanted)
	}
}
