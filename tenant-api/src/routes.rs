//! The API's routes, one file each.

mod chatbot_config;
mod events;
mod knowledge;
mod leads;
mod messages;
mod openapi;
mod threads;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

/// What the widget calls.
pub fn shopper_api() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(chatbot_config::handler))
        .routes(routes!(leads::handler))
        .routes(routes!(threads::handler))
        .routes(routes!(messages::list::handler, messages::send::handler))
        .routes(routes!(events::handler))
        .routes(routes!(openapi::handler))
}

/// What operators' programs call.
pub fn platform_api() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(knowledge::handler))
}
