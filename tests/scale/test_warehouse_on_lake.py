"""What holds of publishing and reading holds on a lake: the file's own tests, run again on one."""

from __future__ import annotations

import pytest

from tests.warehouse.test_publish import (  # noqa: F401
    test_a_broken_rule_is_named_with_its_model_and_one_of_its_rows,
    test_a_build_cut_short_is_refused,
    test_a_build_that_is_not_whole_is_refused_by_name,
    test_a_failed_test_whose_rows_name_no_rule_is_named_itself,
    test_a_passed_build_is_published_with_its_descriptions_and_nothing_else,
    test_data_loaded_since_the_build_are_named,
    test_nothing_built_and_nothing_published_say_what_to_do,
    test_old_versions_are_pruned_and_open_readers_keep_theirs,
    test_what_an_earlier_dbt_wrote_does_not_vouch_for_one_that_died_at_its_start,
)

pytestmark = [
    pytest.mark.scale,
    pytest.mark.slow,
    pytest.mark.usefixtures("lake"),
    pytest.mark.parametrize("lake", ["folder"], indirect=True),
]
