use super::*;

fn faq(id: &str, question: &str, answer: &str) -> KnowledgeItem {
    KnowledgeItem::Faq(Faq {
        id: id.to_owned(),
        question: question.to_owned(),
        answer: answer.to_owned(),
        language: None,
        url: None,
    })
}

fn product(price: &str) -> KnowledgeItem {
    KnowledgeItem::Product(Product {
        id: "bell".to_owned(),
        title: "Bell".to_owned(),
        description: String::new(),
        price: Some(price.to_owned()),
        currency: Some("EUR".to_owned()),
        url: None,
        category: String::new(),
        language: None,
        attributes: BTreeMap::new(),
    })
}

fn check(items: Vec<KnowledgeItem>) -> Result<(), ItemError> {
    KnowledgeImport { items }.check()
}

#[test]
fn an_error_names_the_item_and_its_field() {
    let error = check(vec![faq("returns", "May I return it?", " ")]).unwrap_err();
    assert_eq!(error.to_string(), r#"faq "returns": answer must not be empty"#);
}

#[test]
fn two_items_of_a_kind_cannot_share_an_id() {
    let error = check(vec![faq("a", "q", "a"), faq("a", "other", "a")]).unwrap_err();
    assert_eq!(error, ItemError::Duplicate { item: r#"faq "a""#.to_owned() });
}

#[test]
fn a_price_is_a_plain_decimal_number() {
    for price in ["749", "749.00", "6850000"] {
        assert_eq!(check(vec![product(price)]), Ok(()), "{price}");
    }
    for price in ["", "7,50", "€ 7", "1.2.3", ".5", "-1"] {
        assert!(check(vec![product(price)]).is_err(), "{price}");
    }
}

#[test]
fn an_oversized_field_item_or_import_is_refused() {
    let long_question = "q".repeat(FIELD_CHARACTERS_MAX + 1);
    assert!(matches!(
        check(vec![faq("a", &long_question, "a")]),
        Err(ItemError::FieldTooLong { field: "question", .. })
    ));
    let long_answer = "a".repeat(ITEM_BYTES_MAX);
    assert!(matches!(check(vec![faq("a", "q", &long_answer)]), Err(ItemError::ItemTooLarge { .. })));
    let answer = "a".repeat(ITEM_BYTES_MAX - 1);
    let many = (0..11).map(|number| faq(&number.to_string(), "q", &answer)).collect();
    assert_eq!(check(many), Err(ItemError::ImportTooLarge));
}

#[test]
fn the_body_of_a_request_is_tagged_by_kind() {
    let body = r#"{"items":[{"kind":"faq","id":"a","question":"q","answer":"a","language":"nl"}]}"#;
    let import: KnowledgeImport = serde_json::from_str(body).unwrap();
    assert_eq!(import.items[0].language(), Some(Language::Nl));
    assert_eq!(serde_json::to_string(&import).unwrap(), body);
}

#[test]
fn a_text_the_database_cannot_hold_is_refused() {
    assert!(matches!(check(vec![faq("a", "q", "a\0b")]), Err(ItemError::NullCharacter { .. })));
    assert!(matches!(check(vec![faq("a\0", "q", "a")]), Err(ItemError::NullCharacter { .. })));
}
