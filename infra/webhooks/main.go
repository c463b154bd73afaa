// Command webhooks makes what was given up for a partner due again, in the store that the environment names: the DynamoDB tables
// RECORDS_TABLE and METERS_TABLE, or else the file in DATA_DIR, which nobody else may have open. The job that delivers sends it when it
// runs next.
//
// It sends nothing itself and needs no secret.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Getenv, time.Now, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "webhooks:", err)
		stop()
		os.Exit(1)
	}
}

// command replays what was given up for one partner.
func command(ctx context.Context, arguments []string, getenv func(string) string, clock func() time.Time, out io.Writer) (err error) {
	if len(arguments) != 2 || arguments[0] != "replay" || arguments[1] == "" {
		return errors.New("want: replay PARTNER")
	}
	config, err := host.ReadConfig(getenv)
	if err != nil {
		return err
	}
	var partners store.Keys
	var outbox store.Outbox
	if config.RecordsTable != "" {
		if config.MetersTable == "" {
			return errors.New("RECORDS_TABLE is set and METERS_TABLE is not: set both, or neither for the file in DATA_DIR")
		}
		tables := host.OpenDynamo(config, getenv)
		partners, outbox = tables.Keys(), tables.Outbox()
	} else {
		file, openErr := embedded.Open(filepath.Join(config.DataDir, "store.db"))
		if openErr != nil {
			return fmt.Errorf("DATA_DIR=%s: %w", config.DataDir, openErr)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		partners, outbox = file.Keys(), file.Outbox()
	}
	if _, err := partners.Partner(ctx, arguments[1]); err != nil {
		return fmt.Errorf("partner %s: %w", arguments[1], err)
	}
	replayed, err := webhook.Replay(ctx, outbox, arguments[1], clock())
	fmt.Fprintf(out, "%d events of %s are due again\n", replayed, arguments[1])
	return err
}
