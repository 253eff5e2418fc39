"""How do you judge? A person reads without knowing who wrote, and becomes a judge."""

import time
from typing import Any

import streamlit as st

from dashboard.app import draw
from dashboard.core.access import is_read_only
from dashboard.core.choices import choose_dataset, choose_one, choose_tab
from dashboard.core.data import newest_version
from dashboard.core.findings import Row
from dashboard.core.handing_in import asked_name, name_problem, waiting, why_not_writable
from dashboard.core.labels import Metric, escape_markdown, plural
from dashboard.core.widgets import how_computed, page_title, sample_badge
from dashboard.core.words import DIMENSIONS, worded
from dashboard.oversight.judging import form as judging
from dashboard.oversight.judging import panels as judging_panels
from dashboard.oversight.judging import queries as judging_queries
from dashboard.oversight.judging.form import SPEECH, Belief, Drafts, Key
from warehouse.errors import WarehouseError
from warehouse.home import Home, find_home
from warehouse.names import give_passphrase, has_passphrase, is_passphrase
from warehouse.reader import Version

PAGE = "judge_yourself"
HANDED, SKIPPED, SHOWN = f"{PAGE}_handed", f"{PAGE}_skipped", f"{PAGE}_shown"
PASSPHRASE, KNOWN = f"{PAGE}_passphrase", f"{PAGE}_known"
CALIBRATION = Metric(
    name="calibration",
    definition=(
        "For stories, from all your final probabilities that answer A is right: the Brier score is "
        "their mean squared distance from what is so, and the calibration error the mean distance, "
        "over groups of like probabilities, between what you said and how often it was so; beside "
        "it stands what somebody without any error would show with as many judgements. Winners and "
        "scores of speeches have no truth: there you are set beside the data set's own people. You "
        "are never counted among them."
    ),
    place="Shown for every judge of stories on the page Oversight",
)
# Of what becomes of a judgement that was handed in.
_SECONDS_BETWEEN_LOOKS = 3
_NOTHING = {
    "story": (
        "Nobody has debated a story in this version yet.",
        "rostrum ingest sample --no-build\nrostrum run story-debate --judge JUDGE",
    ),
    "winner": ("This version has no debates to read.", "rostrum ingest sample"),
    "speech": ("This version has no speeches to score.", "rostrum ingest sample"),
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Judge it yourself")
    st.markdown(
        "#### Read without knowing who wrote it, say what you think after each part, and be "
        "measured as every judge is."
    )
    home = find_home()
    blocked = why_not_writable(home)
    if blocked:
        st.info(blocked)
    person = _person()
    task = choose_tab(
        PAGE, "task", "What to judge", judging_panels.TASKS, then_forget=("dataset", "dimension")
    )
    found = judging_queries.items(version, task)
    if not found:
        told, commands = _NOTHING[task]
        st.markdown(f"**{told}** These commands change that:")
        st.code(commands, language="shell")
        return
    mine, is_sample = _chosen(version, found, task)
    if is_sample:
        sample_badge(top)
    chosen = _of_campaign(version, mine, task)
    problem = name_problem(person) or _passphrase(home, person)
    if problem:
        st.info(problem)
        how_computed([CALIBRATION], [])
        return
    handed = st.session_state.get(HANDED)
    if handed and handed["key"][:2] == (person, task):
        _after(version, home, handed)
    else:
        _next_item(version, home, person, task, chosen, blocked=bool(blocked))
    with st.container(border=True):
        answers = judging_panels.your_calibration(version, person)
    how_computed([CALIBRATION], answers)


def _person() -> str:
    left, right = st.columns([3, 2])
    name = asked_name(
        PAGE,
        "Your name, or any other you will remember",
        left,
        "It stands in the warehouse beside what you judge; it need not be your own.",
    )
    right.text_input(
        "A passphrase for it, if you like",
        type="password",
        key=PASSPHRASE,
        max_chars=200,
        help=(
            "With it nobody goes on by mistake with what you have begun under this name. A "
            "courtesy, not access control: whoever can read the folder of this server can read "
            "what you judge. Only a salted hash is kept, and never published."
        ),
    )
    return name


def _passphrase(home: Home, person: str) -> str:
    """Return why this reader may not go on under a name; empty where it may."""
    given = str(st.session_state.get(PASSPHRASE, ""))
    if st.session_state.get(KNOWN) == person:
        return ""
    if has_passphrase(home, person):
        if not given:
            return "Somebody goes by this name already: give its passphrase, or another name."
        if not is_passphrase(home, person, given):
            return "This is not the passphrase of this name; try again, or give another name."
    elif given and not is_read_only():
        try:
            give_passphrase(home, person, given)
        except OSError:
            return "The passphrase could not be kept, as the home cannot be written to."
    st.session_state[KNOWN] = person if given else None
    return ""


def _chosen(
    version: Version, found: list[dict[str, Any]], task: str
) -> tuple[list[dict[str, Any]], bool]:
    """Return the items that the reader's data set and dimension have, and if they are a sample."""
    left, right = st.columns(2)
    with left:
        datasets = list(dict.fromkeys(row["dataset_id"] for row in found))
        offered = judging_queries.titles(version, datasets)
        dataset, is_sample = choose_dataset(PAGE, offered.frame, then_forget=("dimension",))
    rows = [row for row in found if row["dataset_id"] == dataset]
    if task == SPEECH:
        with right:
            dimensions = {row["dimension"]: worded(row["dimension"], DIMENSIONS) for row in rows}
            dimension = choose_one(PAGE, "dimension", "Question", dimensions)
        rows = [row for row in rows if row["dimension"] == dimension]
    return rows, is_sample


def _of_campaign(version: Version, chosen: list[dict[str, Any]], task: str) -> list[dict[str, Any]]:
    """Return the items of the campaign the reader takes part in, in the order drawn; else all."""
    if not chosen:
        return chosen
    dataset, dimension = chosen[0]["dataset_id"], chosen[0]["dimension"]
    found = judging_queries.campaigns(version, task, dataset, dimension)
    if not found:
        return chosen
    samples = {str(row["sample_id"]): row for row in found}
    picked = choose_one(
        PAGE,
        "sample",
        "Which items",
        {one: f"random sample {one}" for one in samples} | {"all": "anything, as I like"},
    )
    if picked == "all":
        return chosen
    judging_panels.campaign(samples[picked])
    rows = {row["item_id"]: row for row in chosen}
    return [
        rows[str(one["item_id"])] | dict(one)
        for one in judging_queries.handed_out(version, picked)
        if one["item_id"] in rows
    ]


@st.cache_resource(show_spinner=False)
def _drafts(home: str) -> Drafts:
    del home  # One store a home.
    return Drafts()


def _next_item(
    version: Version,
    home: Home,
    person: str,
    task: str,
    chosen: list[dict[str, Any]],
    *,
    blocked: bool,
) -> None:
    drafts = _drafts(str(home.root))
    _warn_of_other_tab(drafts, person, task)
    rows = {Key(person, task, row["item_id"], row["dimension"]): row for row in chosen}
    published = judging_queries.judged(version, person, task)
    files, refused = waiting(home), judging.refused(home)
    left = []
    for key in rows:
        name = judging.file_name(key)
        if (key.item, key.dimension) in published or name in files:
            continue
        if name in refused:
            drafts.reopen(key)
        if not drafts.is_done(key):
            left.append(key)
    done = len(rows) - len(left)
    # Of a random sample: whoever comes is given the first item that still wants people.
    is_drawn = any("position" in row for row in chosen)
    left = [key for key in left if rows[key].get("rater_count", 0) < rows[key].get("raters", 1)]
    skipped = st.session_state.setdefault(SKIPPED, set())
    offered = [key for key in left if key not in skipped]
    if not is_drawn:
        offered = judging.in_own_order(offered, drafts)
    if not offered:
        st.markdown(
            f"**You have judged {plural(done, 'item')} here"
            + (f" and skipped {plural(len(left), 'item')}" if left else "")
            + ".** Nothing else is left; choose another data set or task."
        )
        return
    st.caption(f"{plural(done, 'item')} of {len(rows):,} judged by you here.")
    _read(version, home, offered[0], rows[offered[0]], drafts, blocked=blocked)


def _warn_of_other_tab(drafts: Drafts, person: str, task: str) -> None:
    shown: tuple[Key, int] | None = st.session_state.pop(SHOWN, None)
    if shown is None or shown[0][:2] != (person, task):
        return
    key, step = shown
    if drafts.is_done(key) or len(drafts.of(key)) + 1 != step:
        st.warning(
            "What stood here was answered in another tab meanwhile. What you gave in this one was "
            "not taken down; go on from here."
        )


def _read(
    version: Version, home: Home, key: Key, row: Row, drafts: Drafts, *, blocked: bool
) -> None:
    parts = judging_queries.parts(version, key.task, key.item)
    beliefs = drafts.of(key)
    step = len(beliefs) + 1
    st.session_state[SHOWN] = (key, step)
    refused = judging.why_refused(home, key)
    if refused:
        st.warning("What you handed in of this item before was refused:")
        st.code(refused, language=None, wrap_lines=True)
    judging_panels.heading(row, key.task)
    if not parts:
        st.info("Nothing of it can be read in this version.")
        st.button("Skip this one", key=f"{PAGE}_{key.digest}_skip", on_click=_skip, args=(key,))
        return
    for at, found in enumerate(parts[:step], start=1):
        said = beliefs[at - 1] if at <= len(beliefs) else None
        judging_panels.part(found, at, len(parts), said, key.task)
    is_last = step >= len(parts)
    state = f"{PAGE}_{key.digest}_{step}"
    # Not a form: what stands in one is handed over when it is sent, and a reload would lose it.
    for name, typed in drafts.typed(key, step).items():
        st.session_state.setdefault(name, typed)
    with st.container(border=True):
        value = judging_panels.question(state, row, key.task, disabled=blocked)
        reason = (
            ""
            if key.task == SPEECH
            else st.text_area(
                "Why? A sentence will do.", key=f"{state}_reason", disabled=blocked, max_chars=5_000
            )
        )
        label = "Hand in" if is_last else "Go on to the next part"
        sent = st.button(label, type="primary", key=f"{state}_send", disabled=blocked)
    names = (f"{state}_{one}" for one in ("p", "value", "reason"))
    drafts.type(key, step, {one: st.session_state.get(one) for one in names})
    st.button("Skip this one", key=f"{state}_skip", on_click=_skip, args=(key,))
    if not is_last:
        st.caption("What you say here stays as it is once you have read on.")
    if not sent:
        return
    if value.number is None:
        st.error(f"Nothing was taken down: {value.problem}")
        return
    belief = Belief(step, value.number, reason.strip(), judging.now())
    if is_last:
        _hand_in(home, key, row, drafts, belief)
        return
    if drafts.add(key, belief):
        st.session_state[SHOWN] = (key, step + 1)
    st.rerun()


def _hand_in(home: Home, key: Key, row: Row, drafts: Drafts, final: Belief) -> None:
    beliefs = drafts.of(key)
    if drafts.is_done(key) or final.step != len(beliefs) + 1:
        st.rerun()
    at = time.time()
    try:
        judging.hand_in(home, key, str(row["item_hash"]), beliefs, final)
    except (OSError, WarehouseError) as error:
        st.error("The judgement could not be written; nothing was handed in:")
        st.code(judging.without_paths(home, str(error)), language=None, wrap_lines=True)
        return
    drafts.finish(key)
    del st.session_state[SHOWN]
    st.session_state[HANDED] = {
        "key": tuple(key),
        "at": at,
        "title": row["title"],
        "number": final.number,
    }
    st.rerun()


def _skip(key: Key) -> None:
    st.session_state.setdefault(SKIPPED, set()).add(key)


@st.fragment(run_every=_SECONDS_BETWEEN_LOOKS)
def _handed_in(home: Home, key: Key, since: float) -> None:
    judging_panels.handed_in(home, key, since, newest_version())


def _after(version: Version, home: Home, handed: dict[str, Any]) -> None:
    st.markdown(f"#### {escape_markdown(handed['title'])}")
    _handed_in(home, Key(*handed["key"]), handed["at"])
    st.button("Next", type="primary", key=f"{PAGE}_next", on_click=_forget_handed)
    if st.toggle("Show what is known, and how others judged", key=f"{PAGE}_reveal"):
        judging_panels.reveal(version, Key(*handed["key"]), handed["number"])


def _forget_handed() -> None:
    st.session_state.pop(HANDED, None)
    st.session_state[f"{PAGE}_reveal"] = False


if __name__ == "__main__":
    draw(page)
