package runner

import (
	"encoding/json"

	"hotseat"
	"hotseat/advise"
	"hotseat/measure"
	"hotseat/report"
)

// Advice asks the advisor about a run that is over. The run before it, of the
// same workspace, tells what changed.
func Advice(dir string) (*advise.Advice, error) {
	result, err := ReadResult(dir)
	if err != nil {
		return nil, err
	}
	picture, err := ReadPicture(dir)
	if err != nil {
		return nil, err
	}
	if picture == nil {
		return nil, hotseat.NotFound("run again without --measure off, in a workspace", "nothing was measured in run %s", result.Run)
	}
	return adviceOn(result, picture, dir), nil
}

func adviceOn(result *hotseat.Result, picture *measure.Picture, dir string) *advise.Advice {
	in := advise.Input{Result: result, Picture: picture, Summary: summaryOf(result)}
	if before := report.RunBefore(dir, PictureFile); before != "" {
		// Damaged files of an earlier run leave the comparison out.
		in.BeforeResult, _ = ReadResult(before)
		in.Before, _ = ReadPicture(before)
	}
	return advise.Advise(in)
}

// summaryOf is what the sampler wrote into a result; nil if it did not.
func summaryOf(r *hotseat.Result) *measure.Summary {
	var s measure.Summary
	if json.Unmarshal(r.Measure, &s) != nil {
		return nil
	}
	return &s
}
