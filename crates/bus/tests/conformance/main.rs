//! One suite, both implementations: what the bus promises, held against the in-process form and a real Apache Kafka.

mod cases;
mod kafka_only;
mod scene;

/// Makes one test per case for the bus that `$start` gives.
macro_rules! conformance {
    ($start:path: $($case:path as $name:ident,)+) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $case($start().await).await;
            }
        )+
    };
}

/// Makes the whole suite in a module of its own.
macro_rules! suite {
    ($implementation:ident, $start:path) => {
        mod $implementation {
            conformance! { $start:
                crate::cases::order::records_of_a_key_are_handled_in_order as records_of_a_key_are_handled_in_order,
                crate::cases::order::a_slow_key_holds_no_other as a_slow_key_holds_no_other,
                crate::cases::order::every_group_gets_every_record as every_group_gets_every_record,
                crate::cases::order::members_of_a_group_share_the_records as members_of_a_group_share_the_records,
                crate::cases::crash::a_crash_loses_nothing as a_crash_loses_nothing,
                crate::cases::crash::an_offset_is_stored_only_when_everything_below_it_is_final
                    as an_offset_is_stored_only_when_everything_below_it_is_final,
                crate::cases::crash::a_shutdown_finishes_what_is_in_flight as a_shutdown_finishes_what_is_in_flight,
                crate::cases::crash::a_shutdown_gives_up_what_outlives_its_grace
                    as a_shutdown_gives_up_what_outlives_its_grace,
                crate::cases::trouble::no_more_is_in_flight_than_allowed as no_more_is_in_flight_than_allowed,
                crate::cases::trouble::what_is_not_final_counts_as_lag as what_is_not_final_counts_as_lag,
                crate::cases::trouble::a_retry_holds_up_its_own_key_only as a_retry_holds_up_its_own_key_only,
                crate::cases::trouble::poison_goes_to_the_dead_letters_and_holds_nothing_up
                    as poison_goes_to_the_dead_letters_and_holds_nothing_up,
                crate::cases::trouble::a_handler_that_panics_is_tried_again_and_then_dead_lettered
                    as a_handler_that_panics_is_tried_again_and_then_dead_lettered,
                crate::cases::publishing::every_record_has_its_own_result as every_record_has_its_own_result,
                crate::cases::tailing::a_tail_begins_in_the_past_and_says_when_it_has_caught_up
                    as a_tail_begins_in_the_past_and_says_when_it_has_caught_up,
                crate::cases::tailing::a_tail_that_begins_now_leaves_the_past_out
                    as a_tail_that_begins_now_leaves_the_past_out,
                crate::cases::tailing::a_tail_begins_where_its_span_says as a_tail_begins_where_its_span_says,
                crate::cases::tailing::every_tail_reads_everything_and_no_group_notices
                    as every_tail_reads_everything_and_no_group_notices,
            }
        }
    };
}

suite!(local, crate::scene::local);
suite!(kafka, crate::scene::kafka);
