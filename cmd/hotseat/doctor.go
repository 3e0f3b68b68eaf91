package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/cache"
	"hotseat/problem"
)

// check is one thing that this machine should have.
type check struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Required bool   `json:"required"` // nothing works without it; otherwise it only limits
	Found    string `json:"found"`
	Wanted   string `json:"wanted"`
	Mend     string `json:"mend,omitempty"` // the one command that mends it

	packages []string // Debian packages that mend it
	sysctl   string   // name=value that mends it
}

func (m *Main) doctorCommand() *cobra.Command {
	var install, asJSON, quiet, all, afterRestart bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "What this machine lacks, and the one command that mends it",
		Long: `Look for everything that the problems need: packages, file descriptors, ports,
queues, memory, disk. With --install, mend what can be mended: packages by apt-get
(with sudo unless you are root) and kernel settings by sysctl. Elsewhere than on
Debian and its relatives it prints what to do.

--after-restart is the reboot drill of the workspace you stand in: stop the stack,
start it from its files alone, and see whether settings and data survived. Exit
status 1 if something did not.`,
		Example: "  hotseat doctor\n  hotseat doctor --install\n  hotseat doctor --after-restart",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if afterRestart {
				if install || all {
					return hotseat.Invalid("do one after the other", "--after-restart looks at a workspace, --install and --all at the machine")
				}
				return m.rebootDrill(cmd.Context(), asJSON)
			}
			checks := m.examine(all)
			if install {
				if err := m.mend(cmd.Context(), checks); err != nil {
					return err
				}
				checks = m.examine(all)
			}
			if asJSON {
				if err := m.printJSON(checks); err != nil {
					return err
				}
			} else {
				m.printChecks(checks, quiet)
			}
			return missing(checks)
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "mend what can be mended")
	cmd.Flags().BoolVar(&all, "all", false, "also what no problem needs: servers to add to a stack, and what hotseat's own tests use")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&afterRestart, "after-restart", false, "the reboot drill of the workspace you stand in")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print only what is not as it should be")
	return cmd
}

// examine runs all checks.
func (m *Main) examine(all bool) []check {
	var checks []check
	tools := toolsFor("", m.registry.List()...)
	if all {
		tools = everyTool(m.registry.List()...)
	}
	for _, t := range tools {
		checks = append(checks, t.check())
	}
	return append(checks, machineChecks(m.folders())...)
}

// folders are where space is needed.
func (m *Main) folders() []string {
	folders := []string{"."}
	if root, err := cache.Root(); err == nil {
		folders = append(folders, root)
	}
	return folders
}

func (m *Main) printChecks(checks []check, quiet bool) {
	for _, c := range checks {
		mark := "ok     "
		switch {
		case !c.OK && c.Required:
			mark = "missing"
		case !c.OK:
			mark = "weak   "
		case quiet:
			continue
		}
		_, _ = fmt.Fprintf(m.Stdout, "%s  %-18s %s\n", mark, c.Name, c.Found)
		if !c.OK {
			_, _ = fmt.Fprintf(m.Stdout, "         wanted: %s\n         mend:   %s\n", c.Wanted, c.Mend)
		}
	}
}

// missing is an error if something is missing without which nothing works.
func missing(checks []check) error {
	var names []string
	for _, c := range checks {
		if c.Required && !c.OK {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return nil
	}
	return hotseat.Invalid("hotseat doctor --install", "this machine lacks %s", strings.Join(names, ", "))
}

// missingFor is an error if what a problem needs in a language is not installed.
func missingFor(p *problem.Problem, language string) error {
	var checks []check
	for _, t := range toolsFor(language, p) {
		checks = append(checks, t.check())
	}
	return missing(checks)
}

// mend installs what is missing, all of it by one command.
func (m *Main) mend(ctx context.Context, checks []check) error {
	var packages []string
	for _, c := range checks {
		if c.OK {
			continue
		}
		for _, p := range c.packages {
			if !slices.Contains(packages, p) {
				packages = append(packages, p)
			}
		}
		if c.sysctl != "" {
			if err := m.execute(ctx, asRoot("sysctl", "-q", "-w", c.sysctl)); err != nil {
				m.say("could not set %s: %v", c.sysctl, err) // it only limits
			}
		}
	}
	if packages == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return hotseat.Invalid("install the programs with this system's package manager, then run hotseat doctor",
			"apt-get is not there; on Debian the missing packages are called %s", strings.Join(packages, " "))
	}
	m.say("Installing %s", strings.Join(packages, " "))
	if err := m.execute(ctx, installCommand(packages)); err == nil {
		return nil
	}
	// The usual cause: the list of packages was never fetched, or is old.
	if err := m.execute(ctx, asRoot("apt-get", "update", "-qq")); err != nil {
		return hotseat.Unavailable("run it by hand: "+strings.Join(asRoot("apt-get", "update"), " "), "fetch the list of packages: %w", err)
	}
	if err := m.execute(ctx, installCommand(packages)); err != nil {
		return hotseat.Unavailable("run it by hand: "+strings.Join(installCommand(packages), " "), "install packages: %w", err)
	}
	return nil
}

func installCommand(packages []string) []string {
	return asRoot(append([]string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends"}, packages...)...)
}

// asRoot puts sudo before a command unless we are root already.
func asRoot(argv ...string) []string {
	if os.Geteuid() == 0 {
		return argv
	}
	return append([]string{"sudo"}, argv...)
}

// execute runs a command and shows what it wrote if it fails.
func (m *Main) execute(ctx context.Context, argv []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = m.Stdin // sudo may ask for a password
	out, err := cmd.CombinedOutput()
	if err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(string(out))))
	}
	return nil
}
