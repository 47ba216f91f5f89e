package demo

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// facade is a photo of a building: windows in a wall.
func (g *generator) facade() []byte {
	wall := color.RGBA{uint8(150 + g.random.IntN(60)), 125, 105, 255}
	return g.picture(color.RGBA{135, 190, 235, 255}, wall, color.RGBA{60, 80, 120, 255}, image.Pt(20, 26))
}

// nameplate is a photo of small type on metal.
func (g *generator) nameplate() []byte {
	metal := uint8(170 + g.random.IntN(50))
	return g.picture(color.RGBA{70, 72, 76, 255}, color.RGBA{metal, metal, metal - 8, 255}, color.RGBA{40, 40, 44, 255}, image.Pt(6, 12))
}

// finding is a photo of what was found: rust, a leak, cracks, or a guard that is not there.
func (g *generator) finding(title string) []byte {
	metal := uint8(120 + g.random.IntN(60))
	m := scene(color.RGBA{metal, metal + 4, metal + 8, 255})
	spot := func(x, y, rx, ry int, c color.RGBA) {
		for dy := -ry; dy <= ry; dy++ {
			half := int(float64(rx) * math.Sqrt(1-float64(dy*dy)/float64(ry*ry)))
			draw.Draw(m, image.Rect(x-half, y+dy, x+half+1, y+dy+1), image.NewUniform(c), image.Point{}, draw.Over)
		}
	}
	switch title {
	case "Corrosion avancée", "Advanced corrosion":
		for range 90 {
			spot(40+g.random.IntN(400), 60+g.random.IntN(240), 4+g.random.IntN(26), 4+g.random.IntN(18),
				color.RGBA{uint8(60 + g.random.IntN(30)), uint8(28 + g.random.IntN(16)), 8, 110})
		}
	case "Fuite persistante", "Persistent leak":
		for range 7 {
			x, y := 150+g.random.IntN(180), 110+g.random.IntN(30)
			for length := 60 + g.random.IntN(120); length > 0; length -= 4 {
				spot(x, y+length, 3+g.random.IntN(3), 5, color.RGBA{10, 24, 34, 80})
			}
		}
		spot(240, 325, 170, 26, color.RGBA{12, 28, 40, 130})
	case "Protection absente", "Guard missing":
		for x := -360; x < 480; x += 60 {
			for y := range 60 {
				draw.Draw(m, image.Rect(x+y, y, x+y+30, y+1), image.NewUniform(color.RGBA{225, 185, 20, 255}), image.Point{}, draw.Src)
			}
		}
		spot(240, 210, 110, 100, color.RGBA{20, 22, 26, 255})
		spot(240, 210, 34, 32, color.RGBA{150, 152, 158, 255})
	default: // wearing parts
		spot(130, 200, 80, 80, color.RGBA{40, 42, 46, 255})
		spot(350, 200, 60, 60, color.RGBA{40, 42, 46, 255})
		draw.Draw(m, image.Rect(130, 118, 350, 142), image.NewUniform(color.RGBA{22, 22, 22, 255}), image.Point{}, draw.Src)
		for range 24 {
			x := 135 + g.random.IntN(205)
			crack := image.Rect(x, 118, x+1+g.random.IntN(3), 120+g.random.IntN(22))
			draw.Draw(m, crack, image.NewUniform(color.RGBA{150, 140, 120, 255}), image.Point{}, draw.Src)
		}
	}
	return encoded(m)
}

// scene is a surface that gets darker downwards, as light from above makes it.
func scene(c color.RGBA) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 480, 360))
	for y := range 360 {
		shade := func(v uint8) uint8 { return uint8(int(v) * (400 - y/2) / 400) }
		line := color.RGBA{shade(c.R), shade(c.G), shade(c.B), 255}
		draw.Draw(m, image.Rect(0, y, 480, y+1), image.NewUniform(line), image.Point{}, draw.Src)
	}
	return m
}

// picture is a JPEG of a panel before a background, with marks of a size on it, some of them missing.
func (g *generator) picture(background, panel, mark color.Color, size image.Point) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 480, 360))
	fill := func(r image.Rectangle, c color.Color) { draw.Draw(m, r, image.NewUniform(c), image.Point{}, draw.Src) }
	fill(m.Bounds(), background)
	fill(image.Rect(60, 50+g.random.IntN(30), 420, 330), panel)
	for y := 100; y+size.Y < 310; y += 2 * size.Y {
		for x := 80; x+size.X < 400; x += 2 * size.X {
			if g.chance(85) {
				fill(image.Rectangle{image.Pt(x, y), image.Pt(x, y).Add(size)}, mark)
			}
		}
	}
	return encoded(m)
}

func encoded(m image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 80}); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// pdf is a page with a title and lines below it [ISO 32000-1, 7.5].
func pdf(title string, lines ...string) []byte {
	text := func(s string) string {
		s, _ = encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder()).String(s)
		return "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s) + ") Tj"
	}
	page := "BT /F1 18 Tf 72 720 Td " + text(title) + " /F1 12 Tf"
	for _, line := range lines {
		page += " 0 -28 Td " + text(line)
	}
	page += " ET"
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var table string
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(page), page),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	} {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table, start)
	return b.Bytes()
}
