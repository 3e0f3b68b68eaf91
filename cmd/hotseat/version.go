package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"hotseat"
)

func (m *Main) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Which hotseat this is",
		Example: "  hotseat version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(m.Stdout, "hotseat %s %s %s/%s\n", hotseat.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
