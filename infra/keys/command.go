package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

var errUsage = errors.New(`what to do?
  create PARTNER NAME [-per-minute N] [-burst N] [-test]   a partner and its first key
  issue PARTNER [-test] [-label TEXT]                      another key; two of a mode may be live
  list                                                     partners, limits and keys
  rotate KEY [-revoke-old]                                 a successor; the old key works on until it is revoked
  revoke KEY                                               the end of a key, for good
  limit PARTNER PER-MINUTE BURST                           the fair-use limit, in units
KEY is a key's id, its 8 characters after mw_live_ or mw_test_`)

// command runs one command line.
type command struct {
	administration *partnerkey.Administration
	// out gets what a script would want, notes what a person would.
	out, notes io.Writer
}

func (c command) run(ctx context.Context, arguments []string) error {
	name, arguments := arguments[0], arguments[1:]
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	test := new(bool)
	switch name {
	case "create":
		perMinute := flags.Int("per-minute", partnerkey.DefaultLimit.PerMinute, "")
		burst := flags.Int("burst", partnerkey.DefaultLimit.Burst, "")
		flags.BoolVar(test, "test", false, "")
		words, err := parse(flags, arguments, 2)
		if err != nil {
			return err
		}
		return c.create(ctx, words[0], words[1], store.Limit{PerMinute: *perMinute, Burst: *burst}, mode(*test))
	case "issue":
		flags.BoolVar(test, "test", false, "")
		label := flags.String("label", "", "")
		words, err := parse(flags, arguments, 1)
		if err != nil {
			return err
		}
		key, err := c.administration.Issue(ctx, words[0], mode(*test), *label)
		return c.show(key, err)
	case "list":
		if _, err := parse(flags, arguments, 0); err != nil {
			return err
		}
		return c.list(ctx)
	case "rotate":
		revokeOld := flags.Bool("revoke-old", false, "")
		words, err := parse(flags, arguments, 1)
		if err != nil {
			return err
		}
		key, err := c.administration.Rotate(ctx, keyID(words[0]), *revokeOld)
		return c.show(key, err)
	case "revoke":
		words, err := parse(flags, arguments, 1)
		if err != nil {
			return err
		}
		if err := c.administration.Revoke(ctx, keyID(words[0])); err != nil {
			return err
		}
		return c.note("Revoked. Servers that know the key refuse it within 30 seconds.")
	case "limit":
		words, err := parse(flags, arguments, 3)
		if err != nil {
			return err
		}
		return c.limit(ctx, words[0], words[1], words[2])
	}
	return errUsage
}

// parse separates flags from words, wherever they stand, and wants so many words.
func parse(flags *flag.FlagSet, arguments []string, want int) ([]string, error) {
	var words []string
	for {
		if err := flags.Parse(arguments); err != nil {
			return nil, fmt.Errorf("%w\n%w", err, errUsage)
		}
		if flags.NArg() == 0 {
			break
		}
		words, arguments = append(words, flags.Arg(0)), flags.Args()[1:]
	}
	if len(words) != want {
		return nil, errUsage
	}
	return words, nil
}

func mode(test bool) string {
	if test {
		return store.ModeTest
	}
	return store.ModeLive
}

// keyID takes a whole key for its id.
func keyID(text string) string {
	if key, err := partnerkey.Parse(text); err == nil {
		return key.ID
	}
	return text
}

func (c command) create(ctx context.Context, id, name string, limit store.Limit, mode string) error {
	if _, err := c.administration.Create(ctx, id, name, limit); err != nil {
		return err
	}
	key, err := c.administration.Issue(ctx, id, mode, "")
	if err != nil {
		err = fmt.Errorf("the partner is there, its key is not: run issue %s: %w", id, err)
	}
	return c.show(key, err)
}

// show prints a new key, also where something went wrong after it was made.
func (c command) show(key partnerkey.Key, err error) error {
	if key.ID == "" {
		return err
	}
	_, printed := fmt.Fprintln(c.out, key.Reveal())
	return errors.Join(err, printed, c.note("This is the only time that the key "+key.ID+" is shown."))
}

func (c command) note(text string) error {
	_, err := fmt.Fprintln(c.notes, text)
	return err
}

func (c command) limit(ctx context.Context, partner, perMinute, burst string) error {
	var limit store.Limit
	var err error
	if limit.PerMinute, err = strconv.Atoi(perMinute); err != nil {
		return fmt.Errorf("units a minute %q: want a whole number", perMinute)
	}
	if limit.Burst, err = strconv.Atoi(burst); err != nil {
		return fmt.Errorf("burst %q: want a whole number", burst)
	}
	if err := c.administration.SetLimit(ctx, partner, limit); err != nil {
		return err
	}
	return c.note("Set. It holds everywhere within 30 seconds.")
}

func (c command) list(ctx context.Context) error {
	all, err := c.administration.List(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	row := func(columns ...string) {
		for _, column := range columns {
			// The writer keeps its errors until it is flushed.
			_, _ = io.WriteString(table, column+"\t")
		}
		_, _ = io.WriteString(table, "\n")
	}
	row("PARTNER", "NAME", "UNITS/MINUTE", "BURST", "KEY", "MODE", "LABEL", "CREATED", "REVOKED")
	for _, p := range all {
		limit := p.Partner.Limit
		partner := []string{p.Partner.ID, strconv.QuoteToGraphic(p.Partner.Name), strconv.Itoa(limit.PerMinute), strconv.Itoa(limit.Burst)}
		if len(p.Keys) == 0 {
			row(append(partner, "none")...)
		}
		for _, key := range p.Keys {
			revoked := "-"
			if !key.Live() {
				revoked = key.RevokedAt.Format(time.RFC3339)
			}
			row(append(partner[:len(partner):len(partner)], key.ID, key.Mode, strconv.QuoteToGraphic(key.Label), key.CreatedAt.Format(time.RFC3339), revoked)...)
		}
	}
	return table.Flush()
}
