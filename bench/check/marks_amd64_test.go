package check

func init() {
	if vectors {
		markWays["AVX2"] = markVectors
	}
	if wide {
		markWays["AVX-512"] = markWide
	}
}
