package main

import (
	"github.com/spf13/cobra"

	"hotseat/problem"
)

func (m *Main) initCommand() *cobra.Command {
	var o problem.CreateOptions
	cmd := &cobra.Command{
		Use:     "init PROBLEM DIR",
		Short:   "Make a workspace: app, configuration, data and rules, with its own git repository",
		Example: "  hotseat init isucon4-qualifier bank\n  hotseat init isucon4-qualifier small --data-profile small",
		Args:    args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := m.registry.Get(args[0])
			if err != nil {
				return err
			}
			r, err := m.runner(m.observer())
			if err != nil {
				return err
			}
			o.CacheRoot = r.CacheRoot
			done := m.step("Laying out the workspace " + args[1])
			w, err := problem.Create(cmd.Context(), p, args[1], o)
			done(err)
			if err != nil {
				return err
			}
			m.say("Workspace of %s in %s. The rules are in its README.md. Go on with:\n  cd %s\n  hotseat bench", p.ID, relative(w.Dir), relative(w.Dir))
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Language, "lang", "", "`language` of the app (default: the problem's first)")
	cmd.Flags().StringVar(&o.Profile, "data-profile", "", "scale of the data, such as `small` (default: the problem's)")
	return cmd
}
