package schema_test

import (
	"reflect"
	"testing"

	"ams.internal/libs/schema"
)

// shape is a type that checks its own values.
type shape struct {
	Kind  string `json:"kind"`
	Sides any    `json:"sides"`
}

func (shape) Check(at string, value any, problems *schema.Problems) any {
	members, _ := value.(map[string]any)
	if sides, _ := members["sides"].([]any); len(sides) < 3 {
		problems.Add(at+".sides", "must be three or more")
	}
	return value
}

type drawing struct {
	Shape  *shape      `json:"shape"`
	Corner *[2]float64 `json:"corner" readOnly:"true"`
	Names  []string    `json:"names"`
}

func TestATypeMayCheckItsOwnValues(t *testing.T) {
	declared := schema.Of[drawing]()
	for body, want := range map[string]string{
		`{"shape": {"kind": "triangle", "sides": [1, 2, 2]}}`: "",
		`{"shape": {"kind": "line", "sides": [1]}}`:           "data[3].shape.sides",
		`{"shape": "round"}`:                                  "data[3].shape.sides",
		`{"shape": null}`:                                     "",
	} {
		parsed, err := schema.ParseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var record drawing
		problems := declared.Read(parsed, "data[3].", reflect.ValueOf(&record).Elem(), map[string]bool{})
		switch {
		case want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || problems[0].Field != want):
			t.Errorf("%s: %v, want %s", body, problems, want)
		case want == "" && parsed["shape"] != nil && (record.Shape == nil || !reflect.DeepEqual(record.Shape.Sides, []any{1.0, 2.0, 2.0})):
			t.Errorf("%s is kept as %v", body, record.Shape)
		}
	}
}

func TestMembersOfAnObject(t *testing.T) {
	declared := schema.Of[drawing]()
	record := drawing{Shape: &shape{"triangle", []any{1.0}}}
	if got := declared.Field("shape").Members(reflect.ValueOf(&record).Elem()); !reflect.DeepEqual(got,
		map[string]any{"kind": "triangle", "sides": []any{1.0}}) {
		t.Errorf("the members are %v", got)
	}
	if got := declared.Field("shape").Members(reflect.ValueOf(&drawing{}).Elem()); len(got) != 0 {
		t.Errorf("null has the members %v", got)
	}
}

func TestAListIsNullOnlyWhereItIsAPointer(t *testing.T) {
	declared := schema.Of[drawing]()
	if corner, names := declared.Field("corner"), declared.Field("names"); !corner.JSON.Nullable || names.JSON.Nullable {
		t.Errorf("corner may be null: %v; names: %v", corner.JSON.Nullable, names.JSON.Nullable)
	}
}
