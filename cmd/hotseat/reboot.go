package main

import (
	"context"
	"fmt"

	"hotseat"
)

// rebootDrill shows what a restart from files alone loses.
func (m *Main) rebootDrill(ctx context.Context, asJSON bool) error {
	w, err := m.workspace()
	if err != nil {
		return err
	}
	r, err := m.runner(m.observer())
	if err != nil {
		return err
	}
	found, err := r.Reboot(ctx, w)
	if err != nil {
		return err
	}
	m.clearProgress()
	if len(found.Lost) > 0 {
		m.status = hotseat.ExitFail
	}
	if asJSON {
		return m.printJSON(found)
	}
	_, _ = fmt.Fprintf(m.Stdout, "ok       stopped in %.1f s, started from its files in %.1f s\n", found.DownS, found.UpS)
	for _, l := range found.Lost {
		_, _ = fmt.Fprintf(m.Stdout, "lost     %s %s: was %s, is %s\n         mend: %s\n", l.Kind, l.Name, l.Before, l.After, l.Remedy)
	}
	if len(found.Lost) == 0 {
		_, _ = fmt.Fprintf(m.Stdout, "ok       %d settings and %d tables survived\n", found.Settings, found.Tables)
	}
	return nil
}
