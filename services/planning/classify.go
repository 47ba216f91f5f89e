package planning

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/domain/inventory"
)

// classifier finds the class of a record: the one whose code its custom field planning_class has, else of those that it matches the one
// with most tests met, then the one with the highest priority, then the first by code.
type classifier struct {
	classes []AssetClass
	byCode  map[string]int
	order   []int // by priority and code

	testsFields bool // a class tests custom fields
}

// classField is the custom field that names a record's class.
const classField = "planning_class"

func newClassifier(classes []AssetClass) *classifier {
	c := &classifier{classes: classes, byCode: map[string]int{}}
	for i := range classes {
		c.order = append(c.order, i)
		c.testsFields = c.testsFields || slices.ContainsFunc(classes[i].Match, func(m ClassMatch) bool { return len(m.Fields) > 0 })
		if code := classes[i].Code; code != nil {
			c.byCode[strings.ToLower(*code)] = i
		}
	}
	slices.SortFunc(c.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(classes[b].Priority, classes[a].Priority), cmp.Compare(codeOf(&classes[a]), codeOf(&classes[b])))
	})
	return c
}

func codeOf(c *AssetClass) string {
	if c.Code == nil {
		return c.ID
	}
	return *c.Code
}

// of gives the number of a record's class; -1: it has none.
func (c *classifier) of(line *inventory.Line) int {
	var fields map[string]any
	if c.testsFields || bytes.Contains(line.CustomFields, []byte(classField)) {
		fields = line.Has()
	}
	if code, is := fields[classField].(string); is {
		if class, known := c.byCode[strings.ToLower(code)]; known && c.classes[class].AppliesTo == line.Type {
			return class
		}
		return -1
	}
	best, bestMet := -1, 0
	for _, i := range c.order {
		if c.classes[i].AppliesTo != line.Type {
			continue
		}
		for _, m := range c.classes[i].Match {
			if met := m.met(line, fields); met > bestMet {
				best, bestMet = i, met
			}
		}
	}
	return best
}

// met is how many tests a record meets; 0 where it fails one.
func (m *ClassMatch) met(line *inventory.Line, fields map[string]any) (met int) {
	test := func(wanted *string, has string, begins bool) bool {
		if wanted == nil {
			return true
		}
		met++
		return begins && strings.HasPrefix(has, *wanted) || strings.EqualFold(has, *wanted)
	}
	if !test(m.Category, line.Category, false) || !test(m.UniformatCode, line.UniformatCode, true) ||
		!test(m.NetworkAssetClass, line.NetworkAssetClass, false) || !test(m.Material, line.Material, false) ||
		!test(m.SurfaceType, line.SurfaceType, false) || !test(m.FunctionalClass, line.FunctionalClass, false) {
		return 0
	}
	for _, limit := range []struct {
		wanted *float64
		sign   float64
	}{{m.DiameterMMMin, 1}, {m.DiameterMMMax, -1}} {
		if limit.wanted == nil {
			continue
		}
		if line.DiameterMM == nil || (*line.DiameterMM-*limit.wanted)*limit.sign < 0 {
			return 0
		}
		met++
	}
	for i := range m.Fields {
		if !m.Fields[i].met(fields) {
			return 0
		}
		met++
	}
	return met
}

// met says whether a record's fields meet the test: as numbers where the field is one, else as texts.
func (f *FieldTest) met(fields map[string]any) bool {
	var order int
	switch has := fields[f.Key].(type) {
	case float64:
		wanted, err := strconv.ParseFloat(f.Value, 64)
		if err != nil {
			return false
		}
		order = cmp.Compare(has, wanted)
	case string:
		order = cmp.Compare(has, f.Value)
	case bool:
		order = cmp.Compare(strconv.FormatBool(has), f.Value)
	default:
		return false
	}
	switch f.Op {
	case "eq":
		return order == 0
	case "ne":
		return order != 0
	case "lt":
		return order < 0
	case "lte":
		return order <= 0
	case "gt":
		return order > 0
	}
	return order >= 0
}
