package main

import (
	"context"
	"errors"
	"io"
)

func stale(ctx context.Context, args []string, w io.Writer) error {
	return errors.New("not there yet")
}
