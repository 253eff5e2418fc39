"""What a page shows, and what the published tables say of it."""

from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from warehouse.home import PROJECT_ROOT
from warehouse.reader import Version, run_query


def opened(name: str = "start", **parameters: str | list[str]) -> AppTest:
    """Open a page, by name and URL parameters; it runs without an error."""
    app = AppTest.from_file(str(PROJECT_ROOT / "dashboard" / "app.py"), default_timeout=60)
    if name != "start":
        app.switch_page(f"pages/{name}.py")
    for parameter, value in parameters.items():
        app.query_params[parameter] = value
    app.run()
    assert not app.exception
    return app


def text(app: AppTest) -> str:
    """Return everything a page says, without the marks that keep text from being run."""
    parts = [*app.markdown, *app.caption, *app.subheader, *app.warning, *app.text, *app.info]
    return "\n".join(str(part.value) for part in parts).replace("\\", "").replace("\u2060", "")


def headline(app: AppTest) -> str:
    return next(line for line in text(app).split("\n") if line.startswith("#### "))


def table(app: AppTest, column: str) -> pd.DataFrame:
    frames = (frame.value for frame in app.dataframe)
    return next(frame for frame in frames if column in frame.columns)


def drawn(chart: Any) -> list[list[dict[str, Any]]]:
    return [
        pa.ipc.open_stream(one.data.data).read_all().to_pylist() for one in chart.proto.datasets
    ]


def codes(app: AppTest) -> list[str]:
    return [code.value for code in app.code]


def rows(version: Version, sql: str, **parameters: Any) -> list[dict[str, Any]]:
    """Return what a query gives on a version."""
    found = run_query(version, sql, parameters or None)
    return [dict(zip(found.columns, one, strict=True)) for one in found.rows]


def row(version: Version, sql: str, **parameters: Any) -> dict[str, Any]:
    return rows(version, sql, **parameters)[0]


def value(version: Version, sql: str, **parameters: Any) -> Any:
    """Return the first value that a query gives on a version."""
    return run_query(version, sql, parameters or None).rows[0][0]


class Tags(HTMLParser):
    """The tags, links and ids of a file, all of whose tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str | None] = []
        self.ids: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href")]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(text: str) -> Tags:
    """Read an HTML file."""
    parser = Tags()
    parser.feed(text)
    assert parser.open == []
    return parser
