package picture

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// fit is the size of a picture whose longer side is at most side: never enlarged, at least 1 pixel.
func fit(width, height, side int) (int, int) {
	longer := max(width, height)
	if longer <= side {
		return width, height
	}
	scale := func(n int) int { return max(1, (n*side+longer/2)/longer) }
	return scale(width), scale(height)
}

// scaled is the part r of an image on white, with at most side pixels on the longer side.
func scaled(m image.Image, r image.Rectangle, side int) *image.RGBA {
	width, height := fit(r.Dx(), r.Dy(), side)
	reduced := reduce(m, r, max(1, max(r.Dx(), r.Dy())/side))
	if reduced.Rect.Dx() == width && reduced.Rect.Dy() == height {
		return reduced
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.CatmullRom.Scale(to, to.Rect, reduced, reduced.Rect, draw.Src, nil)
	return to
}

// reduce is the part r of an image on white, each n × n pixels averaged to one. It goes before Scale, whose memory grows with the height
// of what it is given, and it converts the pixels band by band, for the same reason.
func reduce(m image.Image, r image.Rectangle, n int) *image.RGBA {
	width, height := r.Dx(), r.Dy()
	to := image.NewRGBA(image.Rect(0, 0, (width+n-1)/n, (height+n-1)/n))
	band := image.NewRGBA(image.Rect(0, 0, width, n))
	for y := range to.Rect.Dy() {
		rows := min(n, height-y*n)
		strip := image.Rect(0, 0, width, rows)
		draw.Draw(band, strip, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(band, strip, m, image.Pt(r.Min.X, r.Min.Y+y*n), draw.Over)
		for x := range to.Rect.Dx() {
			columns := min(n, width-x*n)
			var sum [4]int
			for row := range rows {
				at := band.PixOffset(x*n, row)
				for i, c := range band.Pix[at : at+4*columns] {
					sum[i&3] += int(c)
				}
			}
			pixel := to.Pix[to.PixOffset(x, y):]
			for i := range sum {
				pixel[i] = uint8((sum[i] + rows*columns/2) / (rows * columns))
			}
		}
	}
	return to
}

// oriented is an image as it is shown by an orientation of EXIF [EXIF 2.32, 4.6.4: where the 0th row and the 0th column are].
func oriented(m *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch orientation {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			copy(to.Pix[to.PixOffset(tx, ty):], m.Pix[m.PixOffset(x, y):][:4])
		}
	}
	return to
}
