// Command keys administers partners and their API keys, in the store that the environment names: the DynamoDB tables
// RECORDS_TABLE and METERS_TABLE (with KEY_PEPPER), or else the file in DATA_DIR (with the pepper beside it).
//
// A key is shown once, when it is made. The command judges no key and meters nothing.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := administer(ctx, os.Args[1:], os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "keys:", err)
		stop()
		os.Exit(1)
	}
}

// administer opens the store, runs one command on it and closes it.
func administer(ctx context.Context, arguments []string, getenv func(string) string) (err error) {
	if len(arguments) == 0 {
		return errUsage
	}
	config, err := host.ReadConfig(getenv)
	if err != nil {
		return err
	}
	keys, pepper, closeStore, err := open(config, getenv)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	c := command{
		administration: partnerkey.NewAdministration(keys, pepper, time.Now, rand.Reader),
		out:            os.Stdout, notes: os.Stderr,
	}
	return c.run(ctx, arguments)
}

// open gives the keys of the store that the configuration names, and the pepper that goes with it.
func open(config host.Config, getenv func(string) string) (keys store.Keys, pepper []byte, closeStore func() error, err error) {
	if config.Pepper != "" {
		if pepper, err = partnerkey.ParsePepper(config.Pepper.Reveal()); err != nil {
			return nil, nil, nil, fmt.Errorf("KEY_PEPPER: %w", err)
		}
	}
	if config.RecordsTable != "" {
		switch {
		case config.MetersTable == "":
			return nil, nil, nil, errors.New("RECORDS_TABLE is set and METERS_TABLE is not: set both, or neither for the file in DATA_DIR")
		case pepper == nil:
			return nil, nil, nil, errors.New("KEY_PEPPER must be the pepper of the functions that will check the keys")
		}
		return host.OpenDynamo(config, getenv).Keys(), pepper, func() error { return nil }, nil
	}
	if err := os.MkdirAll(config.DataDir, 0o700); err != nil {
		return nil, nil, nil, fmt.Errorf("DATA_DIR=%s: %w", config.DataDir, err)
	}
	if pepper == nil {
		if pepper, err = partnerkey.LoadPepper(filepath.Join(config.DataDir, "pepper"), rand.Reader); err != nil {
			return nil, nil, nil, fmt.Errorf("DATA_DIR=%s: %w", config.DataDir, err)
		}
	}
	kept, err := embedded.Open(filepath.Join(config.DataDir, "store.db"))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("DATA_DIR=%s: %w", config.DataDir, err)
	}
	return kept.Keys(), pepper, kept.Close, nil
}
