//! What format Template is made of: a text with places for fields, one for a row and one for the result around the rows.
//!
//! `${column:rule}` is the place of a column, by name or by number from 0; `$$` is a dollar sign; what stands between the places
//! is their delimiters.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;

use crate::Format;
use crate::custom::{CustomDialect, Rule};

const ROW: &str = "format_template_row_format";
const RESULT: &str = "format_template_resultset_format";

#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Empty where the field is nobody's.
    pub name: String,
    /// `None`: the template names none.
    pub rule: Option<Rule>,
}

#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub places: Vec<Place>,
    /// One more than places.
    pub delimiters: Vec<Vec<u8>>,
    setting: &'static str,
}

impl Template {
    /// That of rows. Errors: INVALID_TEMPLATE_FORMAT, BAD_ARGUMENTS for a rule that is none.
    pub fn of_rows(settings: &Settings) -> Result<Template> {
        check_no_files(settings)?;
        let template = Template::parse(&settings.format_template_row_format, ROW)?;
        if template.places.is_empty() {
            return Err(template.invalid("it has no place for a column"));
        }
        Ok(template)
    }

    /// That of the result; where nobody gives one, the rows stand alone. Errors as above.
    pub fn of_result(settings: &Settings) -> Result<Template> {
        match settings.format_template_resultset_format.as_str() {
            "" => Template::parse("${data}", RESULT),
            text => Template::parse(text, RESULT),
        }
    }

    fn parse(text: &str, setting: &'static str) -> Result<Template> {
        let mut template = Template { places: Vec::new(), delimiters: vec![Vec::new()], setting };
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            template.delimit(before);
            if let Some(behind) = behind.strip_prefix('$') {
                template.delimit("$");
                rest = behind;
                continue;
            }
            let place = behind.strip_prefix('{').and_then(place);
            let Some((name, rule, behind)) = place else {
                return Err(template.invalid("a dollar sign is neither doubled nor the start of a place ${column:rule}"));
            };
            let rule = match rule {
                "" | "None" => None,
                rule => Some(Rule::by_name(rule, setting)?),
            };
            template.places.push(Place { name, rule });
            template.delimiters.push(Vec::new());
            rest = behind;
        }
        template.delimit(rest);
        Ok(template)
    }

    fn delimit(&mut self, text: &str) {
        if let Some(delimiter) = self.delimiters.last_mut() {
            delimiter.extend_from_slice(text.as_bytes());
        }
    }

    pub fn invalid(&self, what: &str) -> Error {
        let text = format!("Invalid format string for Template, setting {}: {what}", self.setting);
        Error::new(ErrorCode::INVALID_TEMPLATE_FORMAT, text)
    }

    /// The column that a place is for, among so many; `None`: it is for none. Errors: INVALID_TEMPLATE_FORMAT for a number beyond,
    /// NOT_FOUND_COLUMN_IN_BLOCK.
    pub fn column(&self, place: &Place, count: usize, find: impl Fn(&str) -> Option<usize>) -> Result<Option<usize>> {
        if place.name.is_empty() {
            return Ok(None);
        }
        match place.name.parse::<usize>() {
            Ok(number) if number < count => Ok(Some(number)),
            Ok(number) => Err(self.invalid(&format!("there is no column {number} among {count}, which count from 0"))),
            Err(_) => find(&place.name).map(Some).ok_or_else(|| {
                let text = format!("Not found column {} of the template in setting {}", place.name, self.setting);
                Error::new(ErrorCode::NOT_FOUND_COLUMN_IN_BLOCK, text)
            }),
        }
    }

    /// How the field at a place is read: it ends before the delimiter behind it, where that is nothing before one of what may
    /// follow (`behind`). Error: INVALID_TEMPLATE_FORMAT where fields of its rule can only be written.
    pub fn dialect(
        &self,
        at: usize,
        format: Format,
        behind: [&[u8]; 2],
        settings: &Settings,
    ) -> Result<Option<CustomDialect>> {
        let Some(rule) = self.places[at].rule else { return Ok(None) };
        rule.check_reading(self.setting).map_err(|error| self.invalid(&error.message()))?;
        let [delimiter, other] = match self.delimiters[at + 1].as_slice() {
            [] => behind,
            delimiter => [delimiter, &[]],
        };
        // Fields of CSV end with one character, as they do in CSV.
        let length = if rule == Rule::Csv { delimiter.len().min(1) } else { delimiter.len() };
        Ok(Some(CustomDialect {
            rule,
            field: delimiter[..length].to_vec(),
            row_after: other.to_vec(),
            spaces: format == Format::TemplateIgnoreSpaces,
            ..CustomDialect::of(settings)?
        }))
    }
}

/// The name and the rule of a place, and the text behind it.
fn place(text: &str) -> Option<(String, &str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '`' | '"'));
    let (name, rest) = match quote {
        Some(quote) => text[1..].split_once(quote)?,
        None => text.split_at(text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?),
    };
    let (rule, behind) = rest.split_once('}')?;
    let rule = if rule.is_empty() { rule } else { rule.strip_prefix(':')? };
    Some((name.to_string(), rule, behind))
}

/// Templates are texts of settings here: a name of a file would let whoever asks read any file of the server.
fn check_no_files(settings: &Settings) -> Result<()> {
    if settings.format_template_row.is_empty() && settings.format_template_resultset.is_empty() {
        return Ok(());
    }
    Err(Error::not_implemented("A template in a file").with_context(
        "give its text in format_template_row_format and format_template_resultset_format instead of the settings \
         format_template_row and format_template_resultset",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_places_between_delimiters() {
        let template = Template::parse("a$$${x:CSV}, ${`y:}`}${:JSON}", ROW).expect("a template");
        let texts: Vec<_> = template.delimiters.iter().map(|text| String::from_utf8_lossy(text)).collect();
        assert_eq!(texts, ["a$", ", ", "", ""]);
        let places: Vec<_> = template.places.iter().map(|place| (place.name.as_str(), place.rule)).collect();
        assert_eq!(places, [("x", Some(Rule::Csv)), ("y:}", None), ("", Some(Rule::Json))]);
        for wrong in ["$a", "${a", "${a:CSV", "x$", "${`a}", "${a b:CSV}", "${-1:CSV}"] {
            let error = Template::parse(wrong, ROW).expect_err(wrong);
            assert_eq!(error.code(), ErrorCode::INVALID_TEMPLATE_FORMAT, "{wrong}");
        }
    }
}
