// Package leader keeps the boards: it finds traders, grades them again and again, ranks them, and records what became of those it
// called worth mirroring and of those it did not.
//
// Its jobs write, its endpoints read what was written last. Grades come from the assessors that the pages use, so that a row says
// what the page says; what a launch was, who was early in many of them by more than chance, and who passes the gate is judged in
// packages of their own.
package leader
