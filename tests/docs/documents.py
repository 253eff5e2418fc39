"""The project's Markdown as tests read it: code, links, headings."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from warehouse.home import PROJECT_ROOT

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
# The file an added block is, or the place in a file that it belongs to.
_PLACE = re.compile(r"(?:#|--) (\S+\.\w+)(?:, (in|at the end of) (\w+))?")
_COMMENT = re.compile(r"\s+#\s.*$|^#\s.*$")


class Addition(NamedTuple):
    """A block that adds something: its file, the table in it and which end of that, its lines."""

    file: str
    table: str | None
    is_last: bool
    lines: str


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(PROJECT_ROOT).as_posix()

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def fences(self, *languages: str) -> list[str]:
        return [body for language, body in _FENCE.findall(self.text) if language in languages]

    def additions(self) -> Iterator[Addition]:
        """The blocks that say in their first line where they go."""
        for body in self.fences("python", "toml", "text", "sql", "yaml", "csv"):
            first, _, rest = body.partition("\n")
            found = _PLACE.fullmatch(first)
            assert found is not None, f"a block has to begin with its file: {first}"
            yield Addition(found[1], found[3], found[2] == "at the end of", rest)

    def spans(self) -> list[str]:
        """What stands in single backticks, line breaks as spaces."""
        return [" ".join(span.split()) for span in _SPAN.findall(_FENCE.sub("", self.text))]

    def links(self) -> list[str]:
        return _LINK.findall(_FENCE.sub("", self.text))

    def anchors(self) -> set[str]:
        """What a link to a heading of this page may say after the #."""
        lines = _FENCE.sub("", self.text).splitlines()
        headings = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    def shell(self) -> Iterator[list[str]]:
        plain = "\n".join(self.fences("")).replace("\\\n", " ").splitlines()
        shell = "\n".join(self.fences("sh", "shell")).replace("\\\n", " ").splitlines()
        # A block without a language may be a drawing.
        for line in [*shell, *(line for line in plain if line.startswith(("rostrum ", "make ")))]:
            for command in _COMMENT.sub("", line).split("&&"):
                if words := shlex.split(command):
                    yield words


def project_files() -> list[Path]:
    """Every file that is in the repository, or would be with the next commit."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    paths = [PROJECT_ROOT / name for name in listed.split("\0") if name]
    return sorted(path for path in paths if path.is_file())


def pages() -> list[Page]:
    return [Page(path) for path in project_files() if path.suffix == ".md"]


def rostrum_arguments(words: list[str]) -> list[str] | None:
    """What follows `rostrum` in a command; None where it is another program's."""
    if words and words[0].rpartition("/")[2] == "rostrum":
        return words[1:]
    return None
