//! The sections of a Markdown document as plain text. A row of a table becomes a line that names its columns, so that
//! it can be quoted alone.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The text between one heading and the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Headings above the text, outermost first.
    pub headings: Vec<String>,
    pub text: String,
}

/// Splits a document at its headings; sections without text are left out.
pub fn sections(markdown: &str) -> Vec<Section> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        reader.read(event);
    }
    reader.finish_section();
    reader.sections
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    /// Headings above the current place, with their levels.
    headings: Vec<(HeadingLevel, String)>,
    text: String,
    table: Table,
}

#[derive(Default)]
struct Table {
    columns: Vec<String>,
    row: Vec<String>,
}

impl Reader {
    fn read(&mut self, event: Event) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.finish_section();
                self.headings.retain(|(above, _)| *above < level);
            }
            Event::End(TagEnd::Heading(level)) => {
                let heading = std::mem::take(&mut self.text).trim().to_owned();
                self.headings.push((level, heading));
            }
            Event::Start(Tag::Item) => self.text.push_str("- "),
            Event::End(TagEnd::TableCell) => self.finish_cell(),
            Event::Start(Tag::TableCell) => self.text.push('\u{1}'),
            Event::End(TagEnd::TableHead) => self.table.columns = std::mem::take(&mut self.table.row),
            Event::End(TagEnd::TableRow) => self.finish_row(),
            Event::End(TagEnd::Table) => self.table = Table::default(),
            Event::End(TagEnd::Item) | Event::HardBreak => self.break_line(),
            Event::End(TagEnd::Paragraph | TagEnd::List(_) | TagEnd::CodeBlock | TagEnd::BlockQuote(_)) => {
                self.break_line();
            }
            Event::SoftBreak => self.text.push(' '),
            Event::Text(text) | Event::Code(text) => {
                // The mark of a table cell's beginning is ours alone.
                self.text.extend(text.chars().filter(|character| *character != '\u{1}'));
            }
            _ => {}
        }
    }

    fn break_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn finish_cell(&mut self) {
        let at = self.text.rfind('\u{1}').unwrap_or(self.text.len());
        let cell = self.text.split_off(at).trim_start_matches('\u{1}').trim().to_owned();
        self.table.row.push(cell);
    }

    fn finish_row(&mut self) {
        let row = std::mem::take(&mut self.table.row);
        let cells = row.iter().zip(&self.table.columns).filter(|(cell, _)| !cell.is_empty());
        let cells: Vec<_> = cells
            .map(|(cell, column)| if column.is_empty() { cell.clone() } else { format!("{column}: {cell}") })
            .collect();
        self.text.push_str(&cells.join("; "));
        self.break_line();
    }

    fn finish_section(&mut self) {
        let text = std::mem::take(&mut self.text).trim().to_owned();
        if !text.is_empty() {
            let headings = self.headings.iter().map(|(_, heading)| heading.clone()).collect();
            self.sections.push(Section { headings, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_goes_and_the_text_stays() {
        let sections = sections("Oil **the chain**, see [care](/care).\n\n1. Clean\n2. Dry\n");
        assert_eq!(sections.len(), 1);
        assert_eq!(sections[0].text, "Oil the chain, see care.\n- Clean\n- Dry");
    }

    #[test]
    fn a_row_of_a_table_names_its_columns() {
        let sections =
            sections("# Costs\n\n| Where | Cost |\n| --- | --- |\n| Belgium | €8.95 |\n| Germany | €11.95 |\n");
        assert_eq!(sections[0].headings, ["Costs"]);
        assert_eq!(sections[0].text, "Where: Belgium; Cost: €8.95\nWhere: Germany; Cost: €11.95");
    }

    #[test]
    fn a_heading_ends_the_deeper_ones_above_it() {
        let sections = sections("# A\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\nd\n");
        let headings: Vec<_> = sections.iter().map(|section| section.headings.join("/")).collect();
        assert_eq!(headings, ["A/B", "A/C", "D"]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(markdown in any::<String>()) {
            for section in sections(&markdown) {
                prop_assert!(!section.text.is_empty());
            }
        }
    }
}
