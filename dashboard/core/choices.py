"""What the reader chooses. The URL holds it, so that a view can be shared.

Streamlit's own binding of widgets to the URL drops what is no option and draws the default in its
place. Here it is named, and nothing is drawn instead: else a link would show another's figures.
"""

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.core.findings import records
from dashboard.core.labels import capital, code_span, count, plural


class Filters(NamedTuple):
    """Where the widgets go by which a page is narrowed: one row of them.

    Attributes:
        boxes: For what is changed most, at most four.
        more: For what is seldom changed, folded away; the row itself where there is none.
    """

    boxes: Sequence[DeltaGenerator]
    more: DeltaGenerator


def filter_row(page: str, widths: Sequence[float], *, is_more: bool = False) -> Filters:
    """Lay out a page's filters in one row that ends with the way back to what it opened with.

    Args:
        widths: How wide each is beside the others.
        is_more: Whether some are seldom changed.
    """
    ends = [0.13 * sum(widths)] * (2 if is_more else 1)
    *boxes, last = st.columns([*widths, *ends], vertical_alignment="bottom")
    more = last
    if is_more:
        *boxes, place = boxes
        more = place.popover("More", width="stretch")
    with last:
        reset_button(page)
    return Filters(boxes, more)


class NotThere(Exception):
    """The URL names what this version, or what else is selected, does not have.

    Attributes:
        name: The URL parameter.
        values: What it asks for in vain.
    """

    def __init__(self, name: str, values: Sequence[str]) -> None:
        """Take the parameter and the values that are not there."""
        super().__init__(f"{name}: {', '.join(values)}")
        self.name = name
        self.values = tuple(values)


def asked_for(name: str, options: Container[str]) -> str | None:
    """Return the option that the URL asks for; None where it asks for none.

    Args:
        options: What there is.

    Raises:
        NotThere: It asks for something else. Another option is never shown in its place.
    """
    asked = st.query_params.get(name)
    if asked is not None and asked not in options:
        raise NotThere(name, [asked])
    return asked


def not_there(missing: NotThere) -> None:
    """Say what the URL asks for in vain, and offer ways on.

    Args:
        missing: What it asks for.
    """
    named = ", ".join(code_span(one) for one in missing.values)
    st.markdown(
        f"**Not found: {missing.name} {named}.** This version has no data of it, or none in the "
        "rest of the selection. Nothing is shown in its place."
    )
    left, right, _ = st.columns([2, 2, 7])
    left.button(
        "Leave it out",
        key="not_there_leave_out",
        on_click=change_url,
        args=({missing.name: None},),
        help="Keep the rest of the selection.",
    )
    right.button(
        "Reset selection",
        key="not_there_reset",
        on_click=st.query_params.clear,
        help="Back to the view this page opens with.",
    )


def choose_one(
    page: str,
    name: str,
    label: str,
    options: Sequence[str] | Mapping[str, str],
    *,
    explain: str = "",
    then_forget: Sequence[str] = (),
    default: str | None = None,
) -> str:
    """Let the reader choose one option; the URL holds the choice, so that a view can be shared.

    Args:
        options: At least one, with how each reads where that is not itself.
        explain: Hover text.
        default: What is chosen where the URL names none; else the first option.

    Raises:
        NotThere: The URL asks for something that is no option.
    """
    key = f"{page}_{name}"
    names = list(options)
    st.session_state[key] = asked_for(name, names) or default or names[0]
    return st.selectbox(
        label,
        names,
        key=key,
        format_func=lambda one: options[one] if isinstance(options, Mapping) else one,
        help=explain or None,
        on_change=_put_in_url,
        args=(page, name, tuple(then_forget)),
    )


def left_out(offered: int, whole: int) -> str:
    """Return how to come to what a box has no room for; empty where it offers everything.

    Args:
        offered: How many it offers.
        whole: How many there are.
    """
    if offered >= whole:
        return ""
    return f"The first {count(offered)} of {count(whole)}; the page Search finds all the others."


def choose_dataset(
    page: str,
    offered: pd.DataFrame,
    *,
    name: str = "dataset",
    label: str = "Data set",
    then_forget: Sequence[str] = (),
) -> tuple[str, bool]:
    """Let the reader choose a data set, and return it and whether it is a sample.

    Args:
        offered: Columns `dataset_id`, `title`, `is_sample` and perhaps `is_published`; the first
            one is the default.

    Raises:
        NotThere: The URL asks for something that is no option.
    """
    rows = {str(row["dataset_id"]): row for row in records(offered)}
    titles = {}
    for one, row in rows.items():
        printed = " (printed figures)" if row.get("is_published") else ""
        titles[one] = f"{row['title']}{' (sample)' if row['is_sample'] else printed}"
    chosen = choose_one(page, name, label, titles, then_forget=then_forget)
    return chosen, bool(rows[chosen]["is_sample"])


def choose_many(
    page: str, name: str, label: str, options: Sequence[str], *, everything: str, explain: str = ""
) -> tuple[str, ...]:
    """Let the reader choose several options; none chosen means all of them.

    Args:
        name: Name of the URL parameter, repeated per choice.
        options: What there is.
        everything: What the empty box says.
        explain: Hover text.

    Raises:
        NotThere: The URL asks for nothing that is an option. Of several, those that are options
            are shown, and the others are named.
    """
    asked = st.query_params.get_all(name)
    known = [one for one in asked if one in options]
    if asked and not known:
        raise NotThere(name, asked)
    if len(known) < len(asked):
        unknown = ", ".join(code_span(one) for one in asked if one not in options)
        st.caption(f"Not in this selection, so not shown: {unknown}.")
    key = f"{page}_{name}"
    st.session_state[key] = known
    chosen = st.multiselect(
        label,
        options,
        key=key,
        placeholder=everything,
        help=explain or None,
        on_change=_put_in_url,
        args=(page, name, ()),
    )
    return tuple(chosen) or tuple(options)


def choose_judges(page: str, judges: Sequence[str]) -> tuple[str, ...]:
    """Let the reader choose several judges; none chosen means all of them."""
    everything = f"All {plural(len(judges), 'judge')}"
    return choose_many(page, "judge", "Judges", judges, everything=everything)


def choose_tab(
    page: str,
    name: str,
    label: str,
    options: Mapping[str, str],
    *,
    then_forget: Sequence[str] = (),
) -> str:
    """Let the reader choose one of a few views side by side; only the chosen one is worked out.

    Args:
        label: What is chosen, for screen readers.
        options: At least one, with how each reads; the first is the default.

    Raises:
        NotThere: The URL asks for something that is no option.
    """
    asked = asked_for(name, options)
    chosen = next(iter(options)) if asked is None else asked
    key = f"{page}_{name}"
    st.session_state[key] = chosen
    st.segmented_control(
        label,
        list(options),
        key=key,
        required=True,
        format_func=lambda one: capital(options[one]),
        label_visibility="collapsed",
        on_change=_put_in_url,
        args=(page, name, tuple(then_forget)),
    )
    return str(chosen)


def _put_in_url(page: str, name: str, then_forget: tuple[str, ...]) -> None:
    # Only a reader's own change is written: writing defaults would add a step to the browser's
    # history on every visit, and "back" would lead nowhere.
    change_url({name: st.session_state[f"{page}_{name}"], **dict.fromkeys(then_forget)})


def change_url(changes: Mapping[str, str | list[str] | None]) -> None:
    """Change parameters of the URL all at once, so that "back" undoes them at once.

    Args:
        changes: New values; None removes a parameter.
    """
    # Read one by one: a parameter may stand in the URL several times.
    after: dict[str, list[str]] = {name: st.query_params.get_all(name) for name in st.query_params}
    for name, value in changes.items():
        after[name] = [value] if isinstance(value, str) else value or []
    st.query_params.from_dict({name: values for name, values in after.items() if values})


def reset_button(page: str) -> None:
    """Offer to go back to the default selection."""
    st.button(
        "Reset",
        key=f"{page}_reset",
        on_click=st.query_params.clear,
        disabled=not st.query_params,
        help="Back to the view this page opens with.",
        width="stretch",
    )
