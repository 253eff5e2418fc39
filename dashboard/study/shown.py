"""What a page shows, taken from the page itself and written as HTML.

Streamlit runs a page without a server and hands over what it drew, in order. So a file says and
draws what the page does, and a new panel of a page is in the file without another line.

Streamlit's runner stands in for its server while a page runs: only a process of its own, such as
`python -m dashboard.study`, may call this.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.proto.Block_pb2 import Block
from streamlit.testing.v1 import AppTest

from dashboard.core.data import PINNED
from dashboard.core.html_file import WIDTH, prose, safe, svg, table
from dashboard.core.widgets import HOW_COMPUTED, WHOLE
from dashboard.study.errors import StudyFailed
from warehouse.home import PROJECT_ROOT
from warehouse.reader import Version

APP = PROJECT_ROOT / "dashboard" / "app.py"
# A page takes one or two seconds; a home of 60 judges on a busy machine, many more.
LIMIT_S = 300
ROWS_WRITTEN = 60
# Charts beside each other are drawn in part of the width.
_NARROW = 340
Parameters = Mapping[str, str | list[str]]


class Part(NamedTuple):
    """A piece of a page.

    Attributes:
        html: As it stands in a file.
        level: Of a heading, as in `h3`; 0 for all else.
    """

    html: str
    level: int = 0


# Where a page lets its reader choose a view.
_VIEW = Part("")


class Shown(NamedTuple):
    """What a page shows.

    Attributes:
        parts: In order.
        methods: What stands under "How this is computed".
        queries: The SQL there.
        chosen: What is selected, by the label of each box.
        is_there: Whether the page has what it was asked for, and a figure at all.
    """

    parts: list[Part]
    methods: list[Part]
    queries: list[str]
    chosen: dict[str, str]
    is_there: bool


def shown(version: Version, page: str, parameters: Parameters, heading: str = "") -> Shown:
    """Return what a page shows, with everything unfolded and every tab of panels one below another.

    Args:
        page: The page's file in `pages`, without its ending.
        parameters: Of its address.
        heading: Stands where the page lets its reader choose a view.

    Raises:
        StudyFailed: The page could not be drawn.
    """
    app = AppTest.from_file(str(APP), default_timeout=LIMIT_S)
    # Else each page reads what every installed package says of itself, to find components: half of
    # the time of a study, whose pages have none.
    app._bidi_component_manager = BidiComponentManager()
    app.switch_page(f"pages/{page}.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    app.session_state[WHOLE] = True
    app.session_state[PINNED] = version
    try:
        app.run()
    except RuntimeError as error:
        raise StudyFailed(f"report: the page {page} took more than {LIMIT_S} s") from error
    if app.exception or app.error:
        said = [one.value for one in (*app.exception, *app.error, *app.code)]
        raise StudyFailed(f"report: the page {page} cannot be drawn: {' '.join(said)}")
    main: list[Part] = []
    methods: list[Part] = []
    _walk(app.main, main, methods, WIDTH)
    if heading:
        at = next((at for at, part in enumerate(main) if part is _VIEW), len(main))
        main.insert(at, _heading(heading, 3))
    boxes = [*app.selectbox, *app.multiselect]
    return Shown(
        parts=[part for part in main if part is not _VIEW],
        methods=methods,
        queries=[one.value for one in app.code if one.proto.language == "sql"],
        chosen={one.label: _chosen(one) for one in boxes},
        is_there=bool(app.dataframe or app.metric),
    )


def _chosen(box: Any) -> str:
    """Return what is selected in a box, as it reads there."""
    if isinstance(box.value, list):
        return ", ".join(map(str, box.value)) or str(box.proto.placeholder).partition(";")[0]
    return str(box.options[box.index]) if box.index is not None else ""


def _walk(block: Any, parts: list[Part], methods: list[Part], width: int) -> None:
    for child in block.children.values():
        kind = child.type
        if kind == "expander":
            here = methods if child.label == HOW_COMPUTED else parts
            if here is parts:
                parts.append(_heading(child.label, 5))
            _walk(child, here, methods, width)
        elif kind == "tab":
            parts.append(_heading(child.label, 5))
            _walk(child, parts, methods, width)
        elif _is_row(child):
            parts += _row(child, methods, width)
        elif hasattr(child, "children"):
            _walk(child, parts, methods, width)
        elif kind == "vega_lite_chart":
            rows = tuple((one.name, one.data.data) for one in child.proto.datasets)
            parts.append(Part(f"<figure>{_drawn(child.proto.spec, rows, width)}</figure>"))
        elif kind == "button_group":
            parts.append(_VIEW)
        elif kind in _WRITTEN:
            parts.append(_WRITTEN[kind](child))


def _is_row(block: Any) -> bool:
    inside = list(getattr(block, "children", {}).values())
    if any(one.type == "column" for one in inside):
        return True
    across = Block.FlexContainer.Direction.HORIZONTAL
    return (
        getattr(block, "type", "") == "flex_container"
        and block.proto.flex_container.direction == across
        and all(hasattr(one, "children") for one in inside)
    )


def _row(block: Any, methods: list[Part], width: int) -> list[Part]:
    """Return what stands side by side, as one part; as it is where only one column has text."""
    columns: list[list[Part]] = []
    for column in block.children.values():
        columns.append([])
        _walk(column, columns[-1], methods, min(width, _NARROW))
    filled = [column for column in columns if column]
    if len(filled) < 2:
        return [part for column in filled for part in column]
    boxes = ("\n".join(part.html for part in column) for column in filled)
    return [Part(f'<div class="row">{"".join(f"<div>{box}</div>" for box in boxes)}</div>')]


def _heading(markdown: str, level: int) -> Part:
    words = prose(markdown).strip().removeprefix("<p>").removesuffix("</p>")
    return Part(f"<h{level}>{words}</h{level}>", level)


def _markdown(element: Any) -> Part:
    text = str(element.value)
    if text.startswith("#### "):
        words = prose(text.removeprefix("#### ")).replace("<p>", '<p class="finding">')
        return Part(words)
    if text.startswith(":orange-badge["):
        return Part(f'<p><span class="badge">{safe(text[14:-1])}</span></p>')
    return Part(prose(text))


def _metric(element: Any) -> Part:
    label = prose(element.label).strip().removeprefix("<p>").removesuffix("</p>")
    return Part(f'<p class="quiet">{label}</p>\n<p class="value">{safe(element.value)}</p>')


def _table(element: Any) -> Part:
    settings = json.loads(element.proto.columns or "{}")
    frame = element.value
    hidden = [name for name in frame.columns if (settings.get(name) or {}).get("hidden")]
    return Part(table(frame.drop(columns=hidden), most=ROWS_WRITTEN))


# Views of one page share charts, and drawing one takes longer than all else about it.
@lru_cache(maxsize=500)
def _drawn(chart: str, datasets: tuple[tuple[str, bytes], ...], width: int) -> str:
    """Return a chart as SVG; Streamlit sends its rows apart from it, as Arrow."""
    rows = {name: pa.ipc.open_stream(sent).read_all().to_pylist() for name, sent in datasets}
    return svg({**json.loads(chart), "datasets": rows}, width)


_WRITTEN: Mapping[str, Callable[[Any], Part]] = {
    "subheader": lambda one: _heading(one.value, 4),
    "markdown": _markdown,
    "caption": lambda one: Part(prose(one.value).replace("<p>", '<p class="quiet">')),
    "text": lambda one: Part(f"<p>{safe(one.value)}</p>"),
    "info": lambda one: Part(f'<div class="note">{prose(one.value)}</div>'),
    "warning": lambda one: Part(f'<div class="note">{prose(one.value)}</div>'),
    "metric": _metric,
    "code": lambda one: Part(f"<pre>{safe(one.value)}</pre>"),
    "dataframe": _table,
}


def without_repeats(runs: Sequence[Sequence[Part]]) -> list[Part]:
    """Return the parts of several views of one page, each once.

    Args:
        runs: The parts of each view; what an earlier view has is left out of a later one.
    """
    kept: list[Part] = []
    before: set[str] = set()
    for run in runs:
        kept += [part for part in run if part.level or part.html not in before]
        before |= {part.html for part in run}
    return [
        part for at, part in enumerate(kept) if not part.level or _has_text(part, kept[at + 1 :])
    ]


def _has_text(heading: Part, after: Sequence[Part]) -> bool:
    """Whether anything stands under a heading."""
    for part in after:
        if not part.level:
            return True
        if part.level <= heading.level:
            return False
    return False
