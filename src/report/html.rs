//! `report.html`: one file that loads nothing and runs nothing. The template escapes every value;
//! only the charts, whose text the drawing library escaped, and the style sheet go in as they are.

use minijinja::value::Value;
use minijinja::{Environment, HtmlEscape, context};

use super::charts::{Chart, ChartError, Width};
use super::model::Model;
use super::view::{Page, RenderError, each_phrase, fill};

/// Auto-escaping goes by the ending.
const NAME: &str = "report.html";
const TEMPLATE: &str = include_str!("templates/report.html");
const STYLE: &str = include_str!("templates/report.css");

/// Why a report can't be made.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// A chart can't be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// The template can't be filled.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// The report as one HTML file.
///
/// # Errors
/// When a chart can't be drawn or the template not be filled.
pub fn html(model: &Model) -> Result<String, HtmlError> {
    let chart = |chart: Chart, width| chart.svg(model, width).map(inlined);
    let effects = (chart(Chart::Effects, Width::Wide)?, chart(Chart::Effects, Width::Narrow)?);
    let timeline = (chart(Chart::Timeline, Width::Wide)?, chart(Chart::Timeline, Width::Narrow)?);
    let mut environment = Environment::new();
    environment.add_filter("words", words);
    let values = context! {
        page => Page::of(model),
        style => STYLE,
        effects_wide => effects.0,
        effects_narrow => effects.1,
        timeline_wide => timeline.0,
        timeline_narrow => timeline.1,
    };
    Ok(fill(environment, NAME, TEMPLATE, values)?)
}

/// Phrases, those that are names in `<code>`. What it returns counts as HTML, so it escapes.
fn words(phrases: &Value) -> Result<Value, minijinja::Error> {
    let mut out = String::new();
    for (code, text) in each_phrase(phrases)? {
        let text = HtmlEscape(&text);
        out.push_str(&if code { format!("<code>{text}</code>") } else { text.to_string() });
    }
    Ok(Value::from_safe_string(out))
}

/// Inside HTML an SVG needs no name space, and takes its size from the page.
fn inlined(svg: String) -> String {
    svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
}
