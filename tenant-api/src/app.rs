//! What every handler shares, and which host answers what.

mod guard;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use secrecy::SecretString;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;
use vitrine_database::Database;
use vitrine_tenant_config::{Tenants, TenantsReceiver};

use crate::documents::{self, Assets};
use crate::hosts::{Hosts, Place};
use crate::hub::Hub;
use crate::limits::{RateLimits, StreamLimits};
use crate::metrics::HttpMetrics;
use crate::problem::{Code, Problem};
use crate::routes;
use crate::tokens::Tokens;
use crate::turns::Turns;

/// Where operators' programs find their calls, on any host: they are authorized by a token no browser has.
const PLATFORM_PREFIX: &str = "/api/platform/";

/// Shared by every request.
pub type AppState = Arc<App>;

/// The parts of a running API.
pub struct App {
    pub tenants: TenantsReceiver,
    pub database: Database,
    pub turns: Turns,
    pub hub: Hub,
    pub tokens: Tokens,
    pub hosts: Hosts,
    pub assets: Assets,
    pub rates: RateLimits,
    pub streams: Arc<StreamLimits>,
    pub metrics: HttpMetrics,
    /// Authorizes platform calls; without one there are none.
    pub platform_token: Option<SecretString>,
    /// How many proxies of ours stand in front: so many entries of `X-Forwarded-For` are believed.
    pub proxies: usize,
}

impl App {
    /// The configs in force, for one request.
    pub fn tenants(&self) -> Arc<Tenants> {
        Arc::clone(&self.tenants.borrow())
    }

    /// The widget's origin, which its calls must carry.
    pub fn widget_origin(&self) -> &str {
        self.hosts.origins().widget.as_str()
    }
}

/// Answers a request by its host.
pub struct Front {
    state: AppState,
    widget: Router,
    platform: Router,
    console: Router,
    uploads: Router,
    demo: Router,
    sites: Vec<Router>,
}

impl Front {
    pub fn new(state: AppState) -> Self {
        let api = routes::shopper_api()
            .split_for_parts()
            .0
            .layer(from_fn_with_state(Arc::clone(&state), guard::shopper_calls));
        let finish = |router: Router<AppState>| {
            router
                .fallback(not_found)
                .method_not_allowed_fallback(method_not_allowed)
                .layer(CatchPanicLayer::custom(panicked))
                .layer(from_fn_with_state(Arc::clone(&state), guard::observe))
                .with_state(Arc::clone(&state))
        };
        let sites = state.hosts.sites().iter().map(|site| finish(documents::site(site))).collect();
        Self {
            widget: finish(api.merge(documents::widget(&state.assets))),
            platform: finish(routes::platform_api().split_for_parts().0),
            console: finish(documents::console()),
            uploads: finish(Router::new()),
            demo: finish(documents::demo()),
            sites,
            state,
        }
    }

    /// Answers one request. `ConnectInfo` in its extensions says where it came from.
    pub async fn answer(&self, request: Request) -> Response {
        let mut response = match self.router(&request) {
            Ok(router) => match router.clone().oneshot(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            },
            Err(problem) => problem.into_response(),
        };
        guard::secure(&mut response);
        response
    }

    fn router(&self, request: &Request) -> Result<&Router, Problem> {
        guard::bounds(request)?;
        if request.uri().path().starts_with(PLATFORM_PREFIX) {
            return Ok(&self.platform);
        }
        match self.place(request) {
            Some(Place::Widget) => Ok(&self.widget),
            Some(Place::Console) => Ok(&self.console),
            Some(Place::Uploads) => Ok(&self.uploads),
            Some(Place::Demo) => Ok(&self.demo),
            Some(Place::Site(index)) => Ok(&self.sites[index]),
            None => Err(Problem::new(Code::NotFound, "nothing is served on this host")),
        }
    }

    fn place(&self, request: &Request) -> Option<Place> {
        let host = match request.headers().get(header::HOST) {
            Some(host) => host.to_str().ok()?,
            None => request.uri().authority()?.as_str(),
        };
        self.state.hosts.place(host)
    }
}

async fn not_found() -> Problem {
    Problem::new(Code::NotFound, "there is nothing at this address")
}

async fn method_not_allowed() -> Problem {
    Problem::new(Code::MethodNotAllowed, "this address does not take this method")
}

fn panicked(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    // What was said in the panic may hold a text of a person: it goes to nobody.
    tracing::error!("a handler panicked");
    Problem::new(Code::Internal, "Something went wrong on our side. Please try again.").into_response()
}
