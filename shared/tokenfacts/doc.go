// Package tokenfacts fetches what is known of one token, each fact once a request, whichever answers ask for it.
//
// It chooses between providers where several know a fact and says what is not to be had. It judges nothing.
package tokenfacts
