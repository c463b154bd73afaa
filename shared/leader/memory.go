package leader

import "github.com/mirrorworthy/mirrorworthy/shared/store"

// Memory is what the boards keep.
type Memory struct {
	Leaders      store.Leaders
	Boards       store.Boards
	Launches     store.Launches
	TrackRecords store.TrackRecords
	Peers        store.Peers
}
