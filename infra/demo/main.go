// Command demo walks through copying a leader as a wallet app would, against a service that make run started, and prints it as a person
// would like to read it: it browses leaders, vets one, sizes the copy, makes agents and activates them with a wallet made on the spot,
// follows what they do, is told by webhooks, lets the credentials lapse and activates again.
//
// Days pass in it: it moves the sample market's clock. It works with the sample market alone, and with nobody's money.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	address := flag.String("url", "http://127.0.0.1:3000", "where the service answers")
	key := flag.String("key", "", "a partner's key; by default the one that make run keeps in its data folder")
	data := flag.String("data", "data", "the data folder of make run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, *address, *key, *data); err != nil {
		fmt.Fprintln(os.Stderr, "demo: "+err.Error())
		os.Exit(1)
	}
}

func command(ctx context.Context, address, key, data string) error {
	if key == "" {
		text, err := os.ReadFile(filepath.Join(data, "key-test"))
		if err != nil {
			return fmt.Errorf("no key: %w; start make run first, or name the key", err)
		}
		key = strings.TrimSpace(string(text))
	}
	w, err := newWalk(ctx, strings.TrimSuffix(address, "/"), key, os.Stdout)
	if err != nil {
		return err
	}
	defer w.close()
	return w.all(ctx)
}
