package console

import (
	"math"
	"strconv"
	"time"
)

// chart draws requests by day. Each bar stacks the requests that succeeded, failed and were over the rate limit. It
// contains numbers only: the template draws them as SVG, and the style sheet has the colours.
type chart struct {
	Width, Height int
	Left, Bottom  float64
	Right         float64
	Lines         []chartLine
	Bars          []chartBar
	Labels        []chartLabel
	Empty         bool
}

type chartLine struct {
	Y     float64
	Label string
}

type chartBar struct {
	X, Width float64
	Parts    []chartPart
	Title    string
}

// chartPart is a part of a bar. Kind is its class: answered, errors, limited.
type chartPart struct {
	Kind      string
	Y, Height float64
}

type chartLabel struct {
	X    float64
	Text string
}

const (
	chartWidth  = 720
	chartHeight = 260
	chartLeft   = 56
	chartTop    = 12
	chartFoot   = 28
	chartEdge   = chartWidth - 32 // the right end of the bars; half of the last label is beyond
)

func drawChart(days []dayTotal, l *language) chart {
	maximum := 0
	for _, day := range days {
		maximum = max(maximum, day.Requests)
	}
	top, step := axisScale(maximum)
	c := chart{Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartEdge, Bottom: chartHeight - chartFoot, Empty: maximum == 0}
	height := c.Bottom - chartTop
	for value := 0; value <= top; value += step {
		c.Lines = append(c.Lines, chartLine{roundTenth(c.Bottom - height*float64(value)/float64(top)), l.number(value)})
	}
	slot := (chartEdge - chartLeft) / float64(len(days))
	every := max(1, (len(days)+6)/7) // about seven labels
	for i, day := range days {
		bar := chartBar{X: roundTenth(chartLeft + slot*float64(i) + slot*0.15), Width: roundTenth(slot * 0.7),
			Title: l.translate("usage.bar", l.day(day.Day), l.number(day.Requests), l.number(day.Errors), l.number(day.Limited))}
		y := c.Bottom
		for _, part := range []struct {
			kind  string
			count int
		}{{"answered", day.Requests - day.Errors - day.Limited}, {"errors", day.Errors}, {"limited", day.Limited}} {
			if part.count <= 0 {
				continue
			}
			size := height * float64(part.count) / float64(top)
			y -= size
			bar.Parts = append(bar.Parts, chartPart{part.kind, roundTenth(y), roundTenth(size)})
		}
		c.Bars = append(c.Bars, bar)
		if (len(days)-1-i)%every == 0 {
			c.Labels = append(c.Labels, chartLabel{roundTenth(chartLeft + slot*(float64(i)+0.5)), shortDay(day.Day, l)})
		}
	}
	return c
}

// shortDay writes a day without its year.
func shortDay(day time.Time, l *language) string {
	return l.translate("day.short", day.Day(), monthOf(day, l))
}

func monthOf(day time.Time, l *language) string {
	return l.words["month."+strconv.Itoa(int(day.Month()))]
}

// axisScale returns a round top for the axis, and steps of 1, 2 or 5 times a power of ten. There are 2 to 5 steps.
func axisScale(maximum int) (top, step int) {
	step = 1
	for i := 0; step*4 < maximum; i++ {
		step = []int{1, 2, 5}[i%3] * int(math.Pow10(i/3))
	}
	top = (maximum + step - 1) / step * step
	return max(top, step, 2), step
}

func roundTenth(x float64) float64 { return math.Round(x*10) / 10 }
