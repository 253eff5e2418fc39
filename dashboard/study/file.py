"""A study as one HTML file: what the pages of its subjects show, and all it takes to cite it."""

import re
from collections.abc import Mapping, Sequence

import pandas as pd
import yaml

from dashboard.core import queries
from dashboard.core.glossary import BETTER, catalogue, range_of
from dashboard.core.html_file import document, safe, table
from dashboard.core.labels import KINDS
from dashboard.core.widgets import SAMPLE_NOTE
from dashboard.study.errors import StudyFailed
from dashboard.study.shown import Parameters, Shown, shown, without_repeats
from dashboard.study.subjects import STUDIES, Subject, address_of
from warehouse.home import PROJECT_ROOT
from warehouse.reader import Version

CITATION = PROJECT_ROOT / "CITATION.cff"
_TITLE = "Rostrum study"


def study(
    version: Version,
    subjects: Sequence[str] = (),
    judges: Sequence[str] = (),
    address: Parameters | None = None,
) -> bytes:
    """Return a study as a file.

    Args:
        subjects: Keys of `STUDIES`; all that have data, and these judges, where none is named.
        judges: Judges to narrow it to; all where none is named.
        address: URL parameters of the page of the one subject, in place of what judges lead to.

    Raises:
        StudyFailed: A subject has no data, no subject has the judges, or a page cannot be drawn.
    """
    addresses: dict[str, Parameters] = {}
    for name in subjects or STUDIES:
        try:
            addresses[name] = address or _address(version, STUDIES[name], judges)
        except StudyFailed:
            if subjects:
                raise
    if not addresses:
        of = f" of {', '.join(judges)}" if judges else ""
        raise StudyFailed(f"report: the published version has no data{of}; run a judge, then build")
    found = {name: _views(version, STUDIES[name], one) for name, one in addresses.items()}
    titles = [STUDIES[name].title for name in found]
    parts = [_contents(found), *(_subject(name, views) for name, views in found.items())]
    parts += [_judges(version), _measures(found), _versions(version), _citation(version)]
    source = f"{version.name}, published {version.published_at:%Y-%m-%d %H:%M} UTC"
    about = f"Judges: {', '.join(judges)}. " if judges else ""
    first = f'<p class="quiet">{safe(about)}Warehouse {safe(source)}.</p>'
    return document(f"{_TITLE}: {', '.join(titles)}", [first, *parts], source=source)


def _address(version: Version, subject: Subject, judges: Sequence[str]) -> Parameters:
    rows = subject.choices(version).rows
    if not rows:
        name = subject.title.lower()
        raise StudyFailed(f"report: {name}: the published version has no data of it")
    if not judges:
        return {}
    if not subject.has_judges:
        message = f"report: {subject.title.lower()} cannot be narrowed to judges; leave out --judge"
        raise StudyFailed(message)
    return {**address_of(subject, rows, judges), "judge": list(judges)}


def _views(version: Version, subject: Subject, address: Parameters) -> list[Shown]:
    if not subject.tab:
        return [shown(version, subject.page, address)]
    asked = {name: value for name, value in address.items() if name != subject.tab}
    found = [
        shown(version, subject.page, {**asked, subject.tab: view}, heading)
        for view, heading in subject.views.items()
    ]
    # A way of asking may lack a view, which its page then does not offer.
    there = [one for one in found if one.is_there]
    if not there:
        raise StudyFailed(f"report: {subject.title.lower()}: nothing is there of this selection")
    return there


def _contents(found: Mapping[str, Sequence[Shown]]) -> str:
    links = [(name, STUDIES[name].title) for name in found]
    links += [
        ("judges", "Judges and their settings"),
        ("measures", "What the measures mean"),
        ("versions", "Versions"),
        ("citation", "How to cite"),
    ]
    items = "".join(f'<li><a href="#{name}">{safe(title)}</a></li>' for name, title in links)
    return f"<ul>{items}</ul>"


def _subject(name: str, views: Sequence[Shown]) -> str:
    chosen: dict[str, str] = {}
    for view in views:
        chosen |= view.chosen
    selected = "; ".join(f"{label}: {value}" for label, value in chosen.items())
    parts = [f'<h2 id="{name}">{safe(STUDIES[name].title)}</h2>']
    parts += [f'<p class="quiet">Selected: {safe(selected)}.</p>']
    parts += [part.html for part in without_repeats([view.parts for view in views])]
    parts += [f"<h3>{safe(STUDIES[name].title)}: how this is computed</h3>"]
    parts += [part.html for part in without_repeats([view.methods for view in views])]
    return "\n".join(parts)


def _judges(version: Version) -> str:
    judges = queries.judges(version).frame
    shown_as = pd.DataFrame(
        {
            "judge": judges["judge_id"],
            "what it is": [KINDS.get(kind, kind) for kind in judges["judge_kind"]],
            "family": judges["family"],
            "billion parameters": judges["size_b_params"],
            "settings": judges["settings"],
            "members": judges["members"],
        }
    )
    return f'<h2 id="judges">Judges and their settings</h2>\n{table(shown_as)}'


def _measures(found: Mapping[str, Sequence[Shown]]) -> str:
    words = {
        word
        for views in found.values()
        for view in views
        for sql in view.queries
        for word in re.findall(r"\w+", sql)
    }
    rows = [
        {
            "measure": measure.name,
            "column": name,
            "meaning": measure.meaning,
            "range": range_of(measure),
            "better": BETTER[measure.direction],
            "definition": measure.definition,
            "paper": measure.paper,
        }
        for name, measure in catalogue().measures.items()
        if name in words
    ]
    return f'<h2 id="measures">What the measures mean</h2>\n{table(pd.DataFrame(rows))}'


def _versions(version: Version) -> str:
    row = queries.publication(version).frame.iloc[0]
    facts = {
        "published version": version.name,
        "published": f"{version.published_at:%Y-%m-%d %H:%M} UTC",
        "Rostrum": row["code_version"],
        "models (hash)": row["project_hash"],
    }
    frame = pd.DataFrame({"what": list(facts), "which": [str(one) for one in facts.values()]})
    return f'<h2 id="versions">Versions</h2>\n{table(frame)}'


def _citation(version: Version) -> str:
    cited = yaml.safe_load(CITATION.read_text("utf-8"))
    own = (
        f"{_people(cited['authors'])} ({str(cited['date-released'])[:4]}). {cited['title']} "
        f"{cited['version']}. Warehouse version {version.name}."
    )
    papers = [f"{_people(one['authors'])}. {one['title']}." for one in cited["references"]]
    datasets = queries.datasets(version).frame
    shown_as = pd.DataFrame(
        {
            "data set": datasets["title"],
            "licence": datasets["licence"],
            "citation": datasets["citation"],
            "note": [SAMPLE_NOTE if one else "" for one in datasets["is_sample"]],
        }
    )
    items = "".join(f"<li>{safe(one)}</li>" for one in (own, *papers))
    return (
        f'<h2 id="citation">How to cite</h2>\n<p>{safe(cited["message"])}</p>\n<ul>{items}</ul>\n'
        f"{table(shown_as)}"
    )


def _people(authors: Sequence[Mapping[str, str]]) -> str:
    names = [
        one.get("name") or f"{one.get('given-names', '')} {one.get('family-names', '')}".strip()
        for one in authors
    ]
    return ", ".join(names)
