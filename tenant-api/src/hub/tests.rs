//! Readers that are interrupted anywhere, while attempts, processes and memory come and go: what they end up with is what
//! is stored, and no moment shows a character twice.

mod world;

use proptest::prelude::*;
use tokio::runtime::Builder;

use world::{Action, TurnPlan, World};

fn turns() -> impl Strategy<Value = Vec<TurnPlan>> {
    let attempt = (1_usize..6, 0_usize..40);
    let turn = (
        prop::collection::vec(attempt, 1..=3),
        prop::option::of(0_usize..3),
        prop::collection::vec((any::<prop::sample::Index>(), 0_u8..10), 60),
        any::<bool>(),
    );
    prop::collection::vec(turn, 1..=3).prop_map(|turns| {
        turns
            .into_iter()
            .map(|(attempts, stored, order, asks_early)| TurnPlan { attempts, stored, order, asks_early })
            .collect()
    })
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        6 => Just(Action::Nothing),
        6 => Just(Action::Read),
        3 => Just(Action::Connect),
        2 => Just(Action::Disconnect),
        1 => any::<prop::sample::Index>().prop_map(Action::Restart),
        1 => Just(Action::CatchUp),
        1 => Just(Action::Evict),
    ];
    prop::collection::vec(action, 200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_interrupted_reader_ends_up_with_what_is_stored(turns in turns(), actions in actions()) {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new();
            let mut actions = actions.into_iter();
            for step in world::script(&turns) {
                world.step(step);
                world.act(actions.next().unwrap_or(Action::Nothing)).await;
            }
            world.finish().await;
        });
    }
}
