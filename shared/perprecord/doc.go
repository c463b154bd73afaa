// Package perprecord gathers an account's record on a perpetuals venue, once a request and shared: its fills made into decisions
// and positions with our own accounting, and how it stands now. Whoever grades a perpetuals trader grades this record's evidence,
// so that all grades of an account agree.
//
// Accounting is pure and linear in the number of fills. Grades are trader's, margin is margin's, and answers are the pages'.
package perprecord
