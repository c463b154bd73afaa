package main

import (
	"fmt"
	"os"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

var epoch = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func main() {
	doc, err := generate(".", catalogue.Endpoints(host.Kept{}, copying.Copying{}), illustrations{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(doc)
}
