package main

import (
	"context"
	"path/filepath"
	"time"

	"hotseat"
	"hotseat/bench"
	"hotseat/problem"
	"hotseat/problems/isucon1"
	isucon1data "hotseat/problems/isucon1/data"
	isucon1scenario "hotseat/problems/isucon1/scenario"
	isucon12q "hotseat/problems/isucon12-qualifier"
	isucon12qdata "hotseat/problems/isucon12-qualifier/data"
	isucon12qscenario "hotseat/problems/isucon12-qualifier/scenario"
	isucon4q "hotseat/problems/isucon4-qualifier"
	isucon4qdata "hotseat/problems/isucon4-qualifier/data"
	isucon4qscenario "hotseat/problems/isucon4-qualifier/scenario"
	ntt "hotseat/problems/ntt-ptc-2020"
	nttdata "hotseat/problems/ntt-ptc-2020/data"
	nttscenario "hotseat/problems/ntt-ptc-2020/scenario"
)

// benchmarks are the built-in problems' benchmarks by problem id.
var benchmarks = map[string]func() *bench.Contest{
	"isucon1":            isucon1scenario.Contest,
	"isucon12-qualifier": isucon12qscenario.Contest,
	"isucon4-qualifier":  isucon4qscenario.Contest,
	"ntt-ptc-2020":       nttscenario.Contest,
}

// builtinProblems are the problems that this binary carries.
func builtinProblems() (*problem.Registry, error) {
	isucon12qVersion, err := isucon12qdata.Version(isucon12q.Files)
	if err != nil {
		return nil, err
	}
	nttDay := nttdata.Day(time.Now())
	nttVersion, err := nttdata.Version(ntt.Files, nttDay)
	if err != nil {
		return nil, err
	}
	return problem.NewRegistry(
		problem.Builtin{Files: isucon1.Files, DataVersion: isucon1data.Version, Generate: isucon1Generate},
		problem.Builtin{Files: isucon12q.Files, DataVersion: isucon12qVersion, Generate: isucon12qGenerate},
		problem.Builtin{Files: isucon4q.Files, DataVersion: isucon4qdata.Version, Generate: isucon4qGenerate},
		problem.Builtin{Files: ntt.Files, DataVersion: nttVersion, Generate: nttGenerate(nttDay)},
	)
}

// isucon1Generate writes the blog and, beside it, the static files.
func isucon1Generate(ctx context.Context, dir, profile string) error {
	options := map[string]isucon1data.Options{"full": isucon1data.Full(), "small": isucon1data.Small()}
	o, ok := options[profile]
	if !ok {
		return hotseat.Invalid("full or small", "there is no data profile %q", profile)
	}
	if err := isucon1data.Generate(ctx, dir, o); err != nil {
		return err
	}
	return isucon1data.Static(filepath.Join(dir, "public"))
}

// isucon12qGenerate writes the tenants, their keys and the truth about them.
func isucon12qGenerate(ctx context.Context, dir, profile string) error {
	options := map[string]isucon12qdata.Options{"full": isucon12qdata.Full(), "small": isucon12qdata.Small()}
	o, ok := options[profile]
	if !ok {
		return hotseat.Invalid("full or small", "there is no data profile %q", profile)
	}
	return isucon12qdata.Generate(ctx, dir, isucon12q.Files, o)
}

// isucon4qGenerate writes the login data and, beside them, the static files.
func isucon4qGenerate(ctx context.Context, dir, profile string) error {
	options := map[string]isucon4qdata.Options{"full": isucon4qdata.Full(), "small": isucon4qdata.Small()}
	o, ok := options[profile]
	if !ok {
		return hotseat.Invalid("full or small", "there is no data profile %q", profile)
	}
	if err := isucon4qdata.Generate(ctx, dir, o); err != nil {
		return err
	}
	return isucon4qdata.Static(filepath.Join(dir, "public"))
}

// nttGenerate writes the events of n+ as they are on a day, and the static files
// that the problem's folder has not.
func nttGenerate(day time.Time) func(ctx context.Context, dir, profile string) error {
	return func(ctx context.Context, dir, profile string) error {
		options := map[string]nttdata.Options{"full": nttdata.Full(day), "small": nttdata.Small(day)}
		o, ok := options[profile]
		if !ok {
			return hotseat.Invalid("full or small", "there is no data profile %q", profile)
		}
		return nttdata.Generate(ctx, dir, ntt.Files, o)
	}
}
