package check

// GivesUp says whether the scanner leaves the body to the reference parser.
func (v *HTMLValidator) GivesUp(body []byte) bool {
	s := new(scanner)
	s.reset(v.freeze(), withoutBOM(body), nil)
	return !s.run()
}

// Remembered counts the bodies in memory.
func (v *HTMLValidator) Remembered() int {
	n := 0
	for i := range v.program.memo.sets {
		for j := range v.program.memo.sets[i] {
			if v.program.memo.sets[i][j].Load() != nil {
				n++
			}
		}
	}
	return n
}
