//! Tests of the module as a whole: known answers of my-cnf-syntax.md section 8, and
//! properties over generated files.

mod edits;
mod fixtures;
mod generator;
mod known_answers;
mod properties;
