//! Writing values into documents.

use serde::Serialize;

/// JSON that can stand in a script, whatever it holds.
pub fn json_for_script(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("what is written into documents is plain structures");
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Text for HTML content and quoted attributes.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Fills `{{name}}` by what `value` gives for the name; a name without a value stays empty.
pub fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once("}}") else {
            filled.push_str("{{");
            rest = after;
            continue;
        };
        filled.push_str(&value(name.trim()).unwrap_or_default());
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_filled_in_and_unknown_ones_stay_empty() {
        let value = |name: &str| (name == "widget").then(|| "http://w".to_owned());
        assert_eq!(
            fill(r#"<script src="{{widget}}/w/{{ key:x }}.js"> {{"#, value),
            r#"<script src="http://w/w/.js"> {{"#
        );
    }

    proptest! {
        #[test]
        fn no_text_ends_its_script(text in ".*(</script>|<!--|\u{2028})?.*") {
            let json = json_for_script(&text);
            let dangerous = ['<', '>', '&', '\u{2028}', '\u{2029}'];
            prop_assert!(!json.contains(dangerous));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }

        #[test]
        fn no_text_ends_its_attribute(text in ".*[\"'<>].*") {
            prop_assert!(!html(&text).contains(['"', '\'', '<', '>']));
        }
    }
}
