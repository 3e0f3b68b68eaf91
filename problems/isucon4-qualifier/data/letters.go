package data

import "image"

// pen is what a letter is drawn with: where its top left corner goes, how high
// it is and how thick its strokes are.
type pen struct {
	at             image.Point
	height, stroke int
}

// word sets the letters of text one after the other, gap apart.
func word(at image.Point, height, stroke, gap int, text string) []shape {
	var shapes []shape
	for _, letter := range text {
		parts, width := pen{at, height, stroke}.letter(letter)
		shapes = append(shapes, parts...)
		at.X += width + gap
	}
	return shapes
}

// letter draws one of the nine letters of the bank's name, and says how wide it
// is. Rounds are parts of circles and the rest is straight, in the manner of
// geometric sans-serif type.
func (p pen) letter(letter rune) (parts []shape, width int) {
	h, t := p.height, p.stroke
	switch letter {
	case 'I':
		return []shape{p.bar(0, 0, t, h)}, t
	case 'S':
		// Two circles, one on the other, whose strokes meet in the middle.
		r := (h + t) / 4
		return []shape{
			p.ring(r, r, r, func(dx, dy int) bool { return dx <= 0 || 5*dy < -2*dx }),
			p.ring(r, h-r, r, func(dx, dy int) bool { return dx >= 0 || 5*dy > -2*dx }),
		}, 2 * r
	case 'U':
		w := h * 3 / 4
		return []shape{
			p.bar(0, 0, t, h-w/2),
			p.bar(w-t, 0, w, h-w/2),
			p.ring(w/2, h-w/2, w/2, func(_, dy int) bool { return dy >= 0 }),
		}, w
	case 'C':
		r := h / 2
		return []shape{p.ring(r, r, r, func(dx, dy int) bool {
			return dx <= 0 || 4*dy > 3*dx || 4*dy < -3*dx
		})}, 2 * r * 9 / 10
	case 'O':
		r := h / 2
		return []shape{p.ring(r, r, r, nil)}, 2 * r
	case 'N':
		w, d := h*4/5, t*5/4
		return []shape{
			p.bar(0, 0, t, h),
			p.bar(w-t, 0, w, h),
			p.polygon(0, 0, d, 0, w, h, w-d, h),
		}, w
	case 'B':
		r := (h + t) / 4
		w := r * 5 / 2
		right := func(dx, _ int) bool { return dx >= 0 }
		return []shape{
			p.bar(0, 0, t, h),
			p.bar(0, 0, w-r, t),
			p.bar(0, (h-t)/2, w-r, (h+t)/2),
			p.bar(0, h-t, w-r, h),
			p.ring(w-r, r, r, right),
			p.ring(w-r, h-r, r, right),
		}, w
	case 'A':
		w, d := h, t*6/5
		return []shape{
			p.polygon(0, h, d, h, (w+d)/2, 0, (w-d)/2, 0),
			p.polygon(w, h, w-d, h, (w-d)/2, 0, (w+d)/2, 0),
			p.bar(w/4, h*5/8, w-w/4, h*5/8+t*7/8),
		}, w
	case 'K':
		w, d := h*4/5, t*5/4
		return []shape{
			p.bar(0, 0, t, h),
			p.polygon(w-d, 0, w, 0, t, h*3/4, t, h*2/4),
			p.polygon(w-d, h, w, h, t*2, h*3/8, t*3/2, h*9/16),
		}, w
	}
	panic("no such letter in the bank's name: " + string(letter))
}

func (p pen) bar(x0, y0, x1, y1 int) shape {
	return bar(p.at.Add(image.Pt(x0, y0)), p.at.Add(image.Pt(x1, y1)))
}

// ring draws with the pen along the inside of a circle.
func (p pen) ring(x, y, outer int, keep func(dx, dy int) bool) shape {
	return ring(p.at.Add(image.Pt(x, y)), outer, outer-p.stroke, keep)
}

func (p pen) polygon(xy ...int) shape {
	corners := make([]image.Point, len(xy)/2)
	for i := range corners {
		corners[i] = p.at.Add(image.Pt(xy[2*i], xy[2*i+1]))
	}
	return polygon(corners...)
}
