//! Tests of the module as a whole: known answers of my-cnf-syntax.md section 8, and
//! properties over generated files and over any bytes.

mod edits;
mod fixtures;
mod generator;
mod growth;
mod known_answers;
mod properties;
mod shapes;
