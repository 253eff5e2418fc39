"""What fools the judge? Every bias of every judge, tested and corrected, and each one close up."""

from collections.abc import Sequence

import streamlit as st

from dashboard.app import draw
from dashboard.core.chart_files import behind
from dashboard.core.choices import choose_tab
from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.glossary import meaning
from dashboard.core.labels import count, is_missing, plural
from dashboard.core.widgets import (
    figure,
    figure_row,
    headline,
    how_computed,
    page_title,
    sample_badge,
    unfolding,
)
from dashboard.debates import accuracy as verdict_accuracy
from dashboard.debates import battery as verdict_battery
from dashboard.debates import evidence as verdict_evidence
from dashboard.debates import queries as verdict_queries
from dashboard.debates.findings import (
    battery_finding,
    battery_title,
    significant,
    tested,
)
from dashboard.debates.labels import ACCURACY, BATTERY, BIASES, CONSISTENCY, JOINT, RELEASED
from dashboard.debates.one_way import WAYS, one_way
from dashboard.debates.paired import paired
from dashboard.debates.queries import Bench
from dashboard.debates.selection import OPENED, Chosen, nothing_judged, select
from dashboard.debates.side import side
from dashboard.study.button import study_button
from warehouse.reader import Version

PAGE = "bias_lab"
TABS = {**{bias: metric.name for bias, metric in BIASES.items()}, "accuracy": "accuracy"}
_FIGURES = {
    "position": "The paper's Figures 2 and 4, redrawn for these judges.",
    "label": "The paper's Figures 3 and 5, redrawn for these judges.",
}

_ASKED = {
    "position": verdict_queries.position,
    "label": verdict_queries.label,
    "order": verdict_queries.order,
    "stance": verdict_queries.stance,
    "verbosity": verdict_queries.verbosity,
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Bias lab")
    choices = verdict_queries.choices(version).frame
    if choices.empty:
        nothing_judged("what fools a judge: position, labels, the last word, stance and length")
        return
    chosen = select(PAGE, choices)
    bench = chosen.bench
    battery = verdict_queries.battery(version, bench)
    accuracy = verdict_queries.accuracy(version, bench)
    unparsed = verdict_queries.unparsed(version, bench)
    if chosen.is_sample:
        sample_badge(top)
    if chosen.is_published:
        st.info(
            "These rows are built from the figures a paper prints, not from debates: there is "
            "nothing to read behind them."
        )
    contrasts, joint = verdict_battery.told_apart(battery.frame)
    headline(battery_finding(contrasts, unparsed.rows))
    _figures(contrasts, accuracy.rows)
    _battery(chosen, battery, contrasts, joint)
    st.subheader("One bias at a time", anchor=False)
    tab = choose_tab(PAGE, "bias", "Bias", TABS, then_forget=("row", *OPENED))
    shown = _tab(version, chosen, tab, accuracy)
    verdict_evidence.opened(PAGE, version, bench.dataset_id, bench.experiment)
    more = _more(version, bench)
    how_computed(
        [BATTERY, JOINT, *([BIASES[tab]] if tab in BIASES else [ACCURACY, RELEASED]), CONSISTENCY],
        [("Battery", battery), ("Accuracy", accuracy), ("Unparsed", unparsed), *shown, *more],
    )
    study_button(version, "debates")


def _figures(contrasts: Sequence[Row], accuracies: Sequence[Row]) -> None:
    with figure_row():
        known = tested(contrasts)
        # The headline names the largest of those that are significant.
        if not significant(known):
            value, note = (
                verdict_battery.points_note(known[0])
                if known
                else ("–", "unknown: nothing could be tested")
            )
            figure("Largest effect", value, note, BATTERY.line)
        figure(
            "Significant biases",
            f"{count(len(significant(known)))} of {count(len(known))}",
            f"of {plural(len(known), 'test')}, corrected judge by judge · "
            f"{plural(len({row['judge_id'] for row in contrasts}), 'judge')}",
            "Tests whose p is under 0.05 after correction over all biases of the judge.",
        )
        value, note = verdict_accuracy.best_accuracy(accuracies)
        figure("Highest accuracy", value, note, ACCURACY.line)
        least = [row for row in accuracies if not is_missing(row["accuracy"])][::-1]
        value, note = verdict_accuracy.best_accuracy(least)
        figure("Lowest accuracy", value, note, ACCURACY.line)


def _battery(
    chosen: Chosen, answer: Answer, contrasts: Sequence[Row], joint: Sequence[Row]
) -> None:
    st.caption(BATTERY.line)
    first, others, called = verdict_battery.leading(contrasts, chosen.several)
    with behind(answer):
        verdict_battery.battery(first, chosen.several, title=battery_title(contrasts))
    if others:
        unfolding(called, _others, chosen, answer, others, key=f"{PAGE}_others")
    if joint:
        label = f"All of them in one model ({plural(len(joint), 'estimate')})"
        unfolding(label, _joint, chosen, joint)
    verdict_battery.battery_table(answer, chosen.several)


def _others(chosen: Chosen, answer: Answer, others: Sequence[Row]) -> None:
    with behind(answer):
        verdict_battery.battery(others, chosen.several, title=battery_title(others))


def _joint(chosen: Chosen, joint: Sequence[Row]) -> None:
    st.markdown(JOINT.definition)
    # People's winner is in the model to be held fixed; it is no bias.
    verdict_battery.battery(tested(joint), chosen.several, title=battery_title(joint))


def _tab(version: Version, chosen: Chosen, tab: str, accuracy: Answer) -> list[tuple[str, Answer]]:
    bench, several = chosen.bench, chosen.several
    if tab in BIASES:
        st.markdown(BIASES[tab].line)
    if tab in _FIGURES:
        answer = _ASKED[tab](version, bench)
        with behind(answer):
            paired(PAGE, answer, tab, several, _FIGURES[tab])
    elif tab in WAYS:
        answer = _ASKED[tab](version, bench)
        with behind(answer):
            one_way(PAGE, answer, several, tab)
    elif tab == "side":
        answer = verdict_queries.side(version, bench)
        pairs = verdict_queries.side_pairs(version, bench)
        with behind(answer, pairs):
            side(answer, pairs)
        return [(TABS[tab].capitalize(), answer), ("Side, two judges", pairs)]
    else:
        st.markdown(ACCURACY.line)
        with behind(accuracy):
            verdict_accuracy.accuracy(accuracy, several)
        answer = verdict_queries.confusion(version, bench)
        with behind(answer):
            verdict_accuracy.confusion(PAGE, answer, several)
    return [(TABS[tab].capitalize() if tab != "accuracy" else "Confusion", answer)]


def _more(version: Version, bench: Bench) -> list[tuple[str, Answer]]:
    consistency = verdict_queries.consistency(version, bench)
    panels = verdict_queries.panels(version, bench)
    funnel = verdict_queries.funnel(version, bench.dataset_id)
    unfolding("Does a judge contradict itself?", _consistency, consistency)
    unfolding("What do a panel of judges, or asking both ways round, gain?", _panels, panels)
    unfolding("Which debates are these?", verdict_accuracy.funnel.show, funnel)
    return [("Flips", consistency), ("Panels", panels), ("Debates left out", funnel)]


def _consistency(answer: Answer) -> None:
    st.caption(meaning("self_consistency_flip_share"))
    verdict_accuracy.consistency.show(answer)


def _panels(answer: Answer) -> None:
    st.caption(
        "Each beside a single verdict on the same debates, choices beside choices and "
        "probabilities beside probabilities. A remedy the paper advises is to ask with both "
        "positions and take the mean."
    )
    verdict_accuracy.panels(answer)


if __name__ == "__main__":
    draw(page)
