// Package bytecode reads a token contract's code, without its source, for what somebody privileged could do with it.
//
// It follows the dispatcher to each function and looks at which storage the function writes, under which conditions. It sees
// possibilities, never intentions: issuers of well-known coins can mint and block as well. It fetches nothing.
package bytecode
