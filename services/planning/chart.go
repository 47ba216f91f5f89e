package planning

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"
)

// Charts are drawn in SVG, with texts that a screen reader finds: condition and backlog by year, a line for each scenario.
const (
	chartWidth, chartHeight = 760, 300
	chartLeft, chartRight   = 90, 200
	chartTop, chartBottom   = 40, 40
)

// colours are told apart with any sight (Okabe and Ito).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// dashes are for scenarios beyond the colours.
var dashes = []string{"", "6 3", "2 3"}

// line is a scenario in a chart; a value that is not known breaks it.
type line struct {
	name   string
	values []*float64
}

// SVG is the condition and the backlog of all scenarios.
func (y RunYears) SVG() []byte {
	var condition, backlog []line
	first := 0
	for _, year := range y.Data {
		if n := len(condition); n == 0 || condition[n-1].name != year.Scenario {
			condition, backlog = append(condition, line{name: year.Scenario}), append(backlog, line{name: year.Scenario})
			if n == 0 {
				first = year.Year
			}
		}
		n := len(condition) - 1
		left := year.Backlog
		condition[n].values, backlog[n].values = append(condition[n].values, year.AvgCondition), append(backlog[n].values, &left)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" font-family="system-ui, sans-serif" `+
		`font-size="12" role="img">`+"\n", chartWidth, 2*chartHeight)
	b.WriteString("<title>Condition and backlog by scenario · État et arriéré par scénario</title>\n" +
		"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
	drawChart(&b, 0, "Condition by value (points) · État selon la valeur (points)", first, 100, condition)
	drawChart(&b, chartHeight, "Backlog ("+y.Currency+") · Arriéré ("+y.Currency+")", first, greatest(backlog), backlog)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func greatest(lines []line) float64 {
	highest := 0.0
	for _, l := range lines {
		for _, v := range l.values {
			if v != nil {
				highest = max(highest, *v)
			}
		}
	}
	return highest
}

// drawChart draws lines from a first year on, from 0 to a round number that is at least highest.
func drawChart(b *bytes.Buffer, top int, title string, first int, highest float64, lines []line) {
	tick := niceTick(highest)
	steps := int(math.Ceil(highest/tick - 1e-9))
	years := 1
	for _, l := range lines {
		years = max(years, len(l.values))
	}
	width, height := float64(chartWidth-chartLeft-chartRight), float64(chartHeight-chartTop-chartBottom)
	x := func(year int) float64 { return chartLeft + width*float64(year)/float64(max(1, years-1)) }
	y := func(value float64) float64 {
		return float64(top+chartTop) + height*(1-value/(tick*float64(max(1, steps))))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="14" font-weight="600">%s</text>`+"\n", chartLeft, top+24, html.EscapeString(title))
	for step := range steps + 1 {
		value := tick * float64(step)
		fmt.Fprintf(b, `<path d="M%d %.1fH%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", chartLeft, y(value),
			x(years-1), chartLeft-8, y(value)+4, short(value))
	}
	every := max(1, (years+9)/10)
	for year := 0; year < years; year += every {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(year), top+chartHeight-chartBottom+18, first+year)
	}
	for n, l := range lines {
		colour, dash := colours[n%len(colours)], dashes[n/len(colours)%len(dashes)]
		var path strings.Builder
		move := "M"
		for year, value := range l.values {
			if value == nil {
				move = "M"
				continue
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", move, x(year), y(*value))
			move = "L"
		}
		at := top + chartTop + 16*n
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/><path d="M%[4]d %[5]dh24" `+
			`stroke="%[2]s" stroke-width="2" stroke-dasharray="%[3]s"/><text x="%[6]d" y="%[7]d">%[8]s</text>`+"\n",
			path.String(), colour, dash, chartWidth-chartRight+16, at, chartWidth-chartRight+48, at+4, html.EscapeString(l.name))
	}
}

// niceTick is 1, 2 or 5 times a power of ten, of which about five make highest.
func niceTick(highest float64) float64 {
	if highest <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(highest/5)))
	for _, times := range []float64{1, 2, 5} {
		if highest/5 <= power*times {
			return power * times
		}
	}
	return power * 10
}

// short is 1,500,000 as 1.5 M.
func short(value float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if value >= unit.of {
			return fmt.Sprintf("%g%s", math.Round(100*value/unit.of)/100, unit.name)
		}
	}
	return fmt.Sprintf("%g", value)
}
