package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func write(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
		t.Error(err)
	}
}

func TestFolderIsBuiltOnceByManyAtOnce(t *testing.T) {
	root := t.TempDir()
	var builds atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			dir, err := Folder(t.Context(), root, "k", func(_ context.Context, dir string) error {
				builds.Add(1)
				time.Sleep(20 * time.Millisecond)
				write(t, dir, "file")
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
				t.Error("seen before it was whole:", err)
			}
		})
	}
	wg.Wait()
	if n := builds.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
}

func TestFailedBuildLeavesNothing(t *testing.T) {
	root := t.TempDir()
	boom := errors.New("boom")
	_, err := Folder(t.Context(), root, "k", func(_ context.Context, dir string) error {
		write(t, dir, "half")
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(root, "k*"))
	if len(left) != 1 || filepath.Base(left[0]) != "k.lock" {
		t.Errorf("left behind: %v", left)
	}
}

func TestKilledBuildIsRemovedAndMadeAnew(t *testing.T) {
	root := t.TempDir()
	half := filepath.Join(root, "k.part-123")
	if err := os.Mkdir(half, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := Folder(t.Context(), root, "k", func(_ context.Context, dir string) error {
		write(t, dir, "whole")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("the half-written folder is still there")
	}
	if _, err := os.Stat(filepath.Join(dir, "whole")); err != nil {
		t.Error(err)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	root := t.TempDir()
	unlock, err := lock(t.Context(), filepath.Join(root, "k.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
	defer cancel()
	if _, err := Folder(ctx, root, "k", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
