package check

// Export for tests in package check_test.

// GivesUp says whether the scanner leaves the body to the reference parser.
func (v *HTMLValidator) GivesUp(body []byte) bool {
	s := new(scanner)
	s.reset(v.freeze(), withoutBOM(body), nil)
	return !s.run()
}
