//! The description of the API, made from the handlers.

use utoipa::Modify;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

use crate::problem::ProblemBody;
use crate::routes;
use crate::wire::{StreamCommand, StreamLog, StreamMessage};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Vitrine",
        description = "Chats of shoppers with a shop's assistant.\n\nEvery successful answer is `{data, message}`; every \
                       other one is problem details (RFC 9457) with a machine-readable `code`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    // What no route names as its body.
    components(schemas(ProblemBody, StreamMessage, StreamLog, StreamCommand)),
    modifiers(&Security),
    tags(
        (name = "chatbot", description = "The chatbot as a shop set it up"),
        (name = "leads", description = "What visitors say about themselves"),
        (name = "threads", description = "Conversations"),
        (name = "messages", description = "What is said in them"),
        (name = "platform", description = "For operators of the platform"),
        (name = "meta", description = "About this API"),
    )
)]
struct Description;

struct Security;

impl Modify for Security {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let bearer = |description: &str| {
            SecurityScheme::Http(
                HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description)).build(),
            )
        };
        let components = openapi.components.get_or_insert_default();
        components
            .add_security_scheme("visitor", bearer("The embed token of the widget's document, or a visitor token"));
        components.add_security_scheme("platform", bearer("The platform's own token"));
    }
}

/// The whole description.
pub fn description() -> utoipa::openapi::OpenApi {
    let mut description = Description::openapi();
    description.merge(routes::shopper_api().into_openapi());
    description.merge(routes::platform_api().into_openapi());
    description
}

/// The description as it is served and committed.
pub fn json() -> String {
    let mut json = description().to_pretty_json().expect("an API description is JSON");
    json.push('\n');
    json
}
