"""Which checks are made, and how many turns of the model they may take."""

import pytest

from acp_tui.check.model import Profile
from acp_tui.check.prompts import CheckPrompts, ModelAct
from acp_tui.check.runner import check_ids, chosen_checks, longest_run, plan_checks


def test_checks_are_chosen_by_profile_or_by_id() -> None:
    assert [one.id for one in chosen_checks(Profile.V1, ["a15", "A3", "A3"])] == ["A15", "A3"]
    assert {one.id for one in chosen_checks(Profile.REGISTRY)} < {
        one.id for one in chosen_checks(Profile.V1)
    }
    assert {one.id for one in chosen_checks(Profile.STRICT)} == set(check_ids())
    with pytest.raises(ValueError, match="no such check: B1"):
        chosen_checks(Profile.V1, ["A3", "B1"])


def test_the_registry_needs_no_model() -> None:
    made = plan_checks(chosen_checks(Profile.REGISTRY), 2, model=False)
    assert made.turns == 0
    assert made.checks


def test_a_scene_is_counted_once_and_what_may_fail_as_often_as_it_is_tried() -> None:
    assert plan_checks(chosen_checks(Profile.V1, ["A12", "A14"]), 3).turns == 1
    assert plan_checks(chosen_checks(Profile.V1, ["A15", "A16"]), 3).turns == 3


def test_what_the_model_has_no_turns_for_is_left_out() -> None:
    made = plan_checks(chosen_checks(Profile.V1, ["A3", "A12", "A13", "A15"]), 2, 2)
    assert [one.id for one in made.checks] == ["A3", "A12", "A13"]
    assert [one.id for one in made.unaffordable] == ["A15"]
    assert made.turns <= 2


def test_a_run_may_take_as_long_as_all_that_it_waits_for() -> None:
    made = plan_checks(chosen_checks(Profile.V1, ["A3", "A12"]), 2)
    assert longest_run(made, 60, 4) == (1 + 3 * 2) * 60 / 2
    assert longest_run(made, 60, 1) == (1 + 3 * 2) * 60
    assert longest_run(made, 1, 1) == 60


def test_a_persons_prompt_comes_first_and_names_the_folder() -> None:
    prompts = CheckPrompts({ModelAct.WRITE: "write {folder}/x"})
    assert prompts.text(ModelAct.WRITE, "acp-tui-demo", "/there") == "write /there/x"
    assert prompts.text(ModelAct.ASK, "acp-tui-demo", "/there") is None
    assert "/there/" in (prompts.text(ModelAct.EDIT, "", "/there") or "")
