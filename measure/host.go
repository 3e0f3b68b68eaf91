package measure

import (
	"bytes"
	"runtime"

	"hotseat"
)

// TierLocal is the tier of a run whose benchmark shares the machine and its
// network with the servers.
const TierLocal = "local"

// Host describes this machine. What cannot be found out is left empty.
func Host() hotseat.Host { return hostAt(newProcfs("/proc")) }

func hostAt(proc *procfs) hotseat.Host {
	h := hotseat.Host{CPUs: runtime.NumCPU(), CPUModel: runtime.GOARCH, Tier: TierLocal}
	if text, err := proc.read("cpuinfo"); err == nil {
		if model := cpuModel(text); model != "" {
			h.CPUModel = model
		}
	}
	if text, err := proc.read("sys/kernel/osrelease"); err == nil {
		h.Kernel = string(bytes.TrimSpace(text))
	}
	if text, err := proc.read("meminfo"); err == nil {
		h.MemoryBytes = labelled(text, "MemTotal:") << 10
	}
	return h
}

// cpuModel finds the processor's name in /proc/cpuinfo: x86 has "model name",
// some others "Model" or "cpu model", and many nothing at all.
func cpuModel(text []byte) string {
	for line := range bytes.Lines(text) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		switch string(bytes.TrimSpace(key)) {
		case "model name", "cpu model", "Model":
			return string(bytes.Join(bytes.Fields(value), []byte(" ")))
		}
	}
	return ""
}
