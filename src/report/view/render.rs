//! Filling a template.

use minijinja::Environment;
use minijinja::value::Value;

/// A template can't be filled: a mistake in the program, not in the data.
#[derive(Debug, thiserror::Error)]
#[error("could not fill the template of the report: {0}")]
pub struct RenderError(#[from] minijinja::Error);

/// Fills a template in an environment that has the filters it needs. Values are escaped as HTML
/// where the template's name ends in `.html`.
pub(in crate::report) fn fill(
    mut environment: Environment<'_>,
    name: &'static str,
    template: &'static str,
    values: Value,
) -> Result<String, RenderError> {
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_keep_trailing_newline(true);
    environment.add_template(name, template)?;
    Ok(environment.get_template(name)?.render(values)?)
}
