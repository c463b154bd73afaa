package localwallet

import "time"

// Hasten has a wallet ask for receipts without waiting in between.
func Hasten(w *Wallet) { w.poll = time.Millisecond }
