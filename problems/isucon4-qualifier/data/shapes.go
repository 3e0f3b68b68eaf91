package data

import (
	"image"
	"image/color"
)

// Shapes are drawn in whole numbers only: a machine may fuse floating-point
// operations and round them differently, and the logo's bytes are compared.

// unit is the number of steps in a pixel.
const unit = 16

// px returns n pixels in steps.
func px(n int) int { return n * unit }

// pt returns a point given in pixels.
func pt(x, y int) image.Point { return image.Pt(px(x), px(y)) }

// shape is an area of the plane, in steps.
type shape struct {
	box    image.Rectangle     // holds all of the area
	covers func(x, y int) bool // whether a point inside box belongs to it
}

// bar is an upright rectangle.
func bar(topLeft, bottomRight image.Point) shape {
	return shape{image.Rectangle{Min: topLeft, Max: bottomRight}, func(int, int) bool { return true }}
}

// ring is the area between two circles, or of it what keep wants, which is told
// points as seen from the centre. No keep keeps everything.
func ring(centre image.Point, outer, inner int, keep func(dx, dy int) bool) shape {
	return shape{
		box: image.Rect(centre.X-outer, centre.Y-outer, centre.X+outer, centre.Y+outer),
		covers: func(x, y int) bool {
			dx, dy := x-centre.X, y-centre.Y
			square := dx*dx + dy*dy
			return inner*inner <= square && square < outer*outer && (keep == nil || keep(dx, dy))
		},
	}
}

// polygon is the area inside a closed line.
func polygon(corners ...image.Point) shape {
	box := image.Rectangle{Min: corners[0], Max: corners[0]}
	for _, p := range corners {
		box = image.Rect(min(box.Min.X, p.X), min(box.Min.Y, p.Y), max(box.Max.X, p.X), max(box.Max.Y, p.Y))
	}
	return shape{box, func(x, y int) bool {
		inside := false
		a := corners[len(corners)-1]
		for _, b := range corners {
			if (a.Y > y) != (b.Y > y) {
				// Which side of the edge, taken downwards, the point is on.
				side := (x-a.X)*(b.Y-a.Y) - (y-a.Y)*(b.X-a.X)
				if (side < 0) == (b.Y > a.Y) {
					inside = !inside
				}
			}
			a = b
		}
		return inside
	}}
}

// canvas is a picture that shapes are painted on, one over the other.
type canvas struct{ image *image.NRGBA }

func newCanvas(width, height int) *canvas {
	return &canvas{image.NewNRGBA(image.Rect(0, 0, width, height))}
}

// samples is the number of points per pixel and direction that a shape is
// looked at.
const samples = 8

// draw paints the union of the shapes, its edges as transparent as the share of
// the pixel that they leave free.
func (c *canvas) draw(paint color.NRGBA, shapes ...shape) {
	var area image.Rectangle // in pixels
	for _, s := range shapes {
		area = area.Union(image.Rect(s.box.Min.X/unit, s.box.Min.Y/unit, s.box.Max.X/unit+1, s.box.Max.Y/unit+1))
	}
	area = area.Intersect(c.image.Bounds())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if covered := coverage(x, y, shapes); covered > 0 {
				alpha := int(paint.A) * covered / (samples * samples)
				c.image.SetNRGBA(x, y, over(paint, alpha, c.image.NRGBAAt(x, y)))
			}
		}
	}
}

// coverage counts the samples of a pixel that lie in any of the shapes.
func coverage(x, y int, shapes []shape) int {
	pixel := image.Rect(px(x), px(y), px(x+1), px(y+1))
	near := make([]shape, 0, 8)
	for _, s := range shapes {
		if s.box.Overlaps(pixel) {
			near = append(near, s)
		}
	}
	if len(near) == 0 {
		return 0
	}
	const step = unit / samples
	count := 0
	for sy := pixel.Min.Y + step/2; sy < pixel.Max.Y; sy += step {
		for sx := pixel.Min.X + step/2; sx < pixel.Max.X; sx += step {
			for _, s := range near {
				if image.Pt(sx, sy).In(s.box) && s.covers(sx, sy) {
					count++
					break
				}
			}
		}
	}
	return count
}

// over lays paint, of the given alpha, over a pixel.
func over(paint color.NRGBA, alpha int, under color.NRGBA) color.NRGBA {
	rest := int(under.A) * (255 - alpha) / 255
	whole := alpha + rest
	if whole == 0 {
		return color.NRGBA{}
	}
	mix := func(p, u uint8) uint8 {
		return uint8((int(p)*alpha + int(u)*rest + whole/2) / whole)
	}
	return color.NRGBA{mix(paint.R, under.R), mix(paint.G, under.G), mix(paint.B, under.B), uint8(whole)}
}

// sineOne is what sine returns for a quarter turn.
const sineOne = 1 << 12

// sine returns the sine of whole degrees, not below zero, by Bhaskara's
// approximation of the seventh century, which is right to 0.2 percent.
func sine(degrees int) int {
	d := degrees % 360
	sign := 1
	if d >= 180 {
		d, sign = d-180, -1
	}
	return sign * sineOne * 4 * d * (180 - d) / (40500 - d*(180-d))
}
