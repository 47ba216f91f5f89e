package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every figure of docs/scale.md that follows from others follows from them: this computes its tables again, from the first to the
// last, and holds each result against what the document says.
func TestTheArithmeticOfTheScalePlanIsRight(t *testing.T) {
	known, derived := map[string]float64{}, 0
	for _, row := range rowsOfThePlan(t) {
		if _, twice := known[row.name]; twice {
			t.Errorf("%s is said twice", row.name)
		}
		known[row.name] = row.value
		if row.arithmetic == "" {
			continue
		}
		derived++
		result, err := compute(row.arithmetic, known)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if math.Abs(result-row.value) > 0.006*math.Abs(result) { // three digits are written
			t.Errorf("%s = %s is %.4g; the document says %.4g", row.name, row.arithmetic, result, row.value)
		}
	}
	if derived < 30 {
		t.Errorf("only %d figures are derived: has the document another form?", derived)
	}
}

// row is a line of one of the document's tables of figures: | `name` | value unit | where from, or `arithmetic` | …
type row struct {
	name       string
	value      float64
	arithmetic string // empty: an input
	measured   bool   // by the part costs of the benchmark
}

var planRow = regexp.MustCompile("^\\| `([a-z0-9_]+)` \\| ([0-9][0-9,.]*)[^|]*\\| (?:`= ([^`]+)`|([^|]*)) \\|")

func rowsOfThePlan(t *testing.T) (rows []row) {
	t.Helper()
	text, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		found := planRow.FindStringSubmatch(line)
		if found == nil {
			if strings.HasPrefix(line, "| `") && strings.Contains(line, "`= ") {
				t.Errorf("this row is not understood: %s", line)
			}
			continue
		}
		value, err := strconv.ParseFloat(strings.ReplaceAll(found[2], ",", ""), 64)
		if err != nil {
			t.Errorf("%s: %v", found[1], err)
		}
		rows = append(rows, row{found[1], value, found[3], strings.TrimSpace(found[4]) == "measured"})
	}
	return rows
}

// compute works an expression out, of names that are known by then.
func compute(expression string, known map[string]float64) (float64, error) {
	tree, err := parser.ParseExpr(expression)
	if err != nil {
		return 0, err
	}
	var of func(ast.Expr) (float64, error)
	of = func(e ast.Expr) (float64, error) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return of(e.X)
		case *ast.BasicLit:
			return strconv.ParseFloat(e.Value, 64)
		case *ast.Ident:
			value, is := known[e.Name]
			if !is {
				return 0, fmt.Errorf("%s is not said before", e.Name)
			}
			return value, nil
		case *ast.BinaryExpr:
			x, err := of(e.X)
			if err != nil {
				return 0, err
			}
			y, err := of(e.Y)
			switch e.Op {
			case token.ADD:
				return x + y, err
			case token.SUB:
				return x - y, err
			case token.MUL:
				return x * y, err
			case token.QUO:
				return x / y, err
			}
		}
		return 0, fmt.Errorf("%T is no arithmetic", e)
	}
	return of(tree)
}
