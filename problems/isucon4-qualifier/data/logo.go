package data

import (
	"image"
	"image/color"
	"slices"
)

// logo draws the bank's sign, 200 by 55 points on a transparent ground, and
// packs it to exactly size bytes.
func logo(size int) ([]byte, error) {
	navy := color.NRGBA{0x14, 0x28, 0x4b, 0xff}
	gold := color.NRGBA{0xc9, 0x92, 0x2e, 0xff}
	white := color.NRGBA{0xff, 0xff, 0xff, 0xff}

	c := newCanvas(200, 55)
	drawEngraving(c)
	c.draw(navy, ring(pt(27, 27), px(26), 0, nil))
	c.draw(gold, ring(pt(27, 27), px(24), px(23), nil))
	c.draw(white, temple()...)
	c.draw(navy, word(pt(61, 6), px(24), px(5), px(18)/5, "ISUCON")...)
	c.draw(navy, word(pt(98, 37), px(11), px(5)/2, px(4), "BANK")...)
	c.draw(gold,
		bar(pt(61, 42), pt(92, 42).Add(image.Pt(0, px(3)/2))),
		bar(pt(152, 42), pt(183, 42).Add(image.Pt(0, px(3)/2))))
	return packPNG(c.image, size)
}

// temple is the front of a bank: gable, beam, four columns and two steps.
func temple() []shape {
	parts := []shape{
		polygon(pt(27, 10), pt(42, 19), pt(12, 19)),
		bar(pt(14, 21), pt(40, 23)),
		bar(pt(14, 37), pt(40, 39)),
		bar(pt(12, 40), pt(42, 42)),
	}
	for i := range 4 {
		x := px(15) + i*px(7)
		parts = append(parts, bar(image.Pt(x, px(24)), image.Pt(x+px(3), px(36))))
	}
	return parts
}

// drawEngraving draws the fine waves of a banknote behind the name: strands of
// one wave, each a little later than the one before, swelling in the middle.
func drawEngraving(c *canvas) {
	const strands = 9
	left, right, middle, thin := px(56), px(200), px(55)/2, px(1)/4
	for k := range strands {
		tint := color.NRGBA{0x14, 0x7d, uint8(0x77 + 8*k), 0x48}
		wave := func(x int) int { // how far below the top
			swell := px(22) * sine((x-left)*180/(right-left)) / sineOne
			return middle + swell*sine((x-left)*360/px(58)+k*360/strands)/sineOne
		}
		// Painted in columns a pixel wide, of which each is looked at only
		// where the strand passes.
		for x := left; x < right; x += px(1) {
			var heights [unit]int
			for i := range heights {
				heights[i] = wave(x + i)
			}
			c.draw(tint, shape{
				box: image.Rect(x, slices.Min(heights[:])-thin, x+px(1), slices.Max(heights[:])+thin+1),
				covers: func(sx, sy int) bool {
					off := sy - heights[sx-x]
					return -thin <= off && off <= thin
				},
			})
		}
	}
}
