package leader

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// cutter lets so many writes through and fails the next one, once.
type cutter struct {
	mu   sync.Mutex
	left int
	cut  bool
}

var errCut = errors.New("cut short")

func (c *cutter) step() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 && !c.cut {
		c.cut = true
		return errCut
	}
	c.left--
	return nil
}

type cutRecords struct {
	store.TrackRecords
	steps *cutter
}

func (c cutRecords) Forecast(ctx context.Context, forecast store.Forecast) (store.Forecast, error) {
	if err := c.steps.step(); err != nil {
		return store.Forecast{}, err
	}
	return c.TrackRecords.Forecast(ctx, forecast)
}

func (c cutRecords) FollowUp(ctx context.Context, followUp store.FollowUp) error {
	if err := c.steps.step(); err != nil {
		return err
	}
	return c.TrackRecords.FollowUp(ctx, followUp)
}

func (c cutRecords) Resolve(ctx context.Context, source, chain, wallet, id string, outcome store.Outcome) error {
	if err := c.steps.step(); err != nil {
		return err
	}
	return c.TrackRecords.Resolve(ctx, source, chain, wallet, id, outcome)
}

type cutLeaders struct {
	store.Leaders
	steps *cutter
}

func (c cutLeaders) Grade(ctx context.Context, group store.Group, address string, since time.Time, grading store.Grading, events ...store.Event) error {
	if err := c.steps.step(); err != nil {
		return err
	}
	return c.Leaders.Grade(ctx, group, address, since, grading, events...)
}
