//! Where appended options go, and the file put together with all its changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::change::{Change, line_end};
use crate::optionfile::grammar::{self, Shape};
use crate::optionfile::product::IncludeArgument;
use crate::optionfile::{Directive, Line, LineKind, OptionFile, Product};

/// Where appended options go.
pub(super) struct Place {
    /// In front of the line with this index; the number of lines for the end.
    pub index: usize,
    /// The group they are in.
    pub group: Arc<[u8]>,
    /// Whether its header has to be written too.
    needs_header: bool,
}

impl OptionFile {
    pub(super) fn place_for_addition(&self, product: &Product) -> Place {
        // The last byte of an include on a last line without newline is lost on some
        // servers. A newline would bring it back: leave that line where it is.
        let cuts_last_byte = product.include_argument() == IncludeArgument::Historic;
        let ends_in_cut_include = cuts_last_byte
            && self.line(self.line_count()).is_some_and(|last| {
                line_end(last.raw).is_empty() && is_directive(last.raw, product)
            });
        let end = self.line_count() - usize::from(ends_in_cut_include);
        let new_group = Place { index: end, group: Arc::from(&b"mysqld"[..]), needs_header: true };
        let mut next_header = None;
        let mut own = None;
        for (index, name) in self.headers().rev() {
            if product.reads(name) {
                own = Some((index, name));
                break;
            }
            next_header = Some(index);
        }
        let Some((header, group)) = own else {
            return new_group;
        };
        let index = self.end_of_group(header, next_header, end);
        let is_include = |line: Line| {
            matches!(
                line.kind,
                LineKind::Directive(Directive::Include { .. } | Directive::IncludeDir { .. })
            ) && is_directive(line.raw, product)
        };
        // Only lines that begin like a directive are worth a closer look.
        let is_followed_by_include = self
            .raw_lines()
            .enumerate()
            .take(end)
            .skip(index)
            .filter(|(_, raw)| matches!(grammar::trim_start(raw).first(), Some(b'!' | b'?')))
            .filter_map(|(index, _)| self.line(index + 1))
            .any(is_include);
        if is_followed_by_include {
            return new_group;
        }
        Place { index, group: Arc::from(group), needs_header: false }
    }

    /// Behind the last line that says something to the group whose header has the index
    /// `header`; at most `end`.
    fn end_of_group(&self, header: usize, next_header: Option<usize>, end: usize) -> usize {
        let mut index = next_header.unwrap_or(end);
        let mut go_back_over = |is_skipped: fn(&LineKind) -> bool| {
            // The header itself, at least, is neither blank nor a comment.
            while index > header + 1 && self.line(index).is_some_and(|line| is_skipped(&line.kind))
            {
                index -= 1;
            }
            index
        };
        if next_header.is_some() {
            // A comment that touches the next header belongs to it. A single word may
            // be prose as well as an option.
            go_back_over(|kind| {
                matches!(kind, LineKind::Comment | LineKind::CommentedOption { value: None, .. })
            });
        }
        go_back_over(|kind| matches!(kind, LineKind::Blank))
    }

    /// The bytes with all changes.
    pub(super) fn rebuilt(
        &self,
        changes: &BTreeMap<usize, Change>,
        appended: &[Change],
        place: Option<&Place>,
    ) -> OptionFile {
        let mut bytes = Vec::with_capacity(self.as_bytes().len() + 64);
        for (index, raw) in self.raw_lines().enumerate() {
            if place.is_some_and(|place| place.index == index) {
                self.write_additions(&mut bytes, appended, place);
            }
            match changes.get(&(index + 1)) {
                Some(change) => bytes.extend_from_slice(&change.raw),
                None => bytes.extend_from_slice(raw),
            }
        }
        if place.is_some_and(|place| place.index == self.line_count()) {
            self.write_additions(&mut bytes, appended, place);
        }
        OptionFile::parse(bytes).with_path(self.path())
    }

    fn write_additions(&self, bytes: &mut Vec<u8>, appended: &[Change], place: Option<&Place>) {
        let Some(place) = place else { return };
        let end: &[u8] = match self.line(place.index.max(1)) {
            Some(line) if line.raw.ends_with(b"\r\n") => b"\r\n",
            _ => b"\n",
        };
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.extend_from_slice(end);
        }
        if place.needs_header {
            let above = place.index.checked_sub(1).and_then(|i| self.line(i + 1));
            if above.is_some_and(|line| line.kind != LineKind::Blank) {
                bytes.extend_from_slice(end);
            }
            bytes.extend_from_slice(b"[");
            bytes.extend_from_slice(&place.group);
            bytes.extend_from_slice(b"]");
            bytes.extend_from_slice(end);
        }
        for addition in appended {
            bytes.extend_from_slice(&addition.raw);
            bytes.extend_from_slice(end);
        }
    }
}

/// Whether a line is a directive to this product: `?include` is not one to all.
fn is_directive(raw: &[u8], product: &Product) -> bool {
    let text = grammar::c_string(raw);
    matches!(grammar::shape(text, product.has_question_mark_includes()), Shape::Directive { .. })
}
