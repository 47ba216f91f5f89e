package demo

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
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
