"""Sentences of one idea each, made of a justification by rules: what stands in for a model.

Sentences end at their marks and at the ends of lines. A sentence is divided further at semicolons
and dashes, and at a comma or a contrast where what follows can stand alone:

- it has a subject and a verb of its own (`…, and the examples help.`);
- or its verb comes first, and it gets the subject of the part before it (`The speech is clear but
  lacks examples.`);
- or, after *but* and *yet*, it is a mere adjective, and it gets subject and verb (`…is clear but
  slow.`);
- or it begins with *which*, which becomes *this*.

*Although*, *though* and *while* at the beginning are left off where their part can stand alone, and
*however* with its comma in any case.

Nothing is lost: every word of the justification is in its sentences, in its order, but for the
connectives at the seams. Words that are added repeat a subject.
"""

import html
import re

from inference.speeches.keypoints.words import lexicon

# Verbs that judges use of speeches, as they stand behind a subject.
_VERBS = lexicon().forms["verbs"]
_AUXILIARIES = frozenset(
    {"is", "are", "was", "were", "remains", "remain", "feels", "sounds", "seems", "reads"}
)
# Begin a part that has a subject of its own.
_SUBJECTS = lexicon().forms["subjects"]
_CONTRASTS = frozenset({"but", "yet", "though", "although", "while", "whereas"})
_SEAMS = frozenset({"and", "so", "because", "since", *_CONTRASTS})
_GRANTING = ("although", "even though", "though", "while", "whilst")
_ABBREVIATIONS = (
    "e.g.",
    "i.e.",
    "etc.",
    "vs.",
    "mr.",
    "mrs.",
    "ms.",
    "dr.",
    "st.",
    "no.",
    "approx.",
)

_MARKUP = re.compile(
    r"<(script|style)\b.*?</\1\s*>|<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL | re.I
)
_BULLET = re.compile(r"^\s*(?:[-*\u2022>#]+|\(?\d{1,2}[.)])\s+")
_EMPHASIS = re.compile(r"(\*\*|__|`)")
_END = re.compile(r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]]*\s+(?=[\"'\u201c\u2018(\[]*[^\s])")
_STRONG = re.compile(r"\s*;\s+|\s+[\u2014\u2013-]{1,2}\s+|\u2014")
_SEAM = re.compile(r"(?:,\s*|\s+)(?=\S)")
# Join a sentence to the one before it, and are part of neither.
_JOINING = re.compile(
    r"^(however|moreover|furthermore|additionally|in addition|nevertheless|nonetheless),\s+(?=\S)",
    re.I,
)
_FEWEST = 3
_LONGEST_ADJECTIVE = 4


def sentences(text: str) -> list[str]:
    """Return the sentences of one idea each, by the rules at the top of this module."""
    found: list[str] = []
    for line in plain(text).splitlines():
        for sentence in _whole_sentences(line):
            for part in _STRONG.split(sentence):
                found += _clauses(part)
    return [_finished(each) for each in found if any(sign.isalnum() for sign in each)]


def whole_sentences(text: str) -> list[str]:
    """Return a text's sentences as they stand, not divided any further."""
    found = (each for line in plain(text).splitlines() for each in _whole_sentences(line))
    return [_finished(each) for each in found if any(sign.isalnum() for sign in each)]


def plain(text: str) -> str:
    """Return a text without markup, its lines without bullets."""
    bare = html.unescape(_MARKUP.sub(" ", text))
    lines = (_EMPHASIS.sub("", _BULLET.sub("", line)).strip() for line in bare.splitlines())
    return "\n".join(" ".join(line.split()) for line in lines if line)


def _whole_sentences(line: str) -> list[str]:
    found: list[str] = []
    start = 0
    for match in _END.finditer(line):
        before = line[start : match.start()]
        last = before.rsplit(maxsplit=1)[-1].casefold() if before.strip() else ""
        # "e.g. this" goes on, and so does an initial.
        if last in _ABBREVIATIONS or re.fullmatch(r"[a-z]\.", last):
            continue
        found.append(line[start : match.end()].strip())
        start = match.end()
    found.append(line[start:].strip())
    return [each for each in found if each]


def _clauses(sentence: str) -> list[str]:
    rest, found = _JOINING.sub("", sentence.strip()), list[str]()
    granted = _granted(rest)
    if granted:
        first, rest = granted
        found.append(first)
    at = 0
    while match := _SEAM.search(rest, at):
        left, right = rest[: match.start()], rest[match.end() :]
        parted = _parted(left, right, has_comma=match[0].startswith(","))
        if parted is None:
            at = match.end()
            continue
        found.append(left)
        rest, at = parted, 0
    return [*found, rest]


def _granted(sentence: str) -> tuple[str, str] | None:
    """Return the part behind a granting word and the rest; None where either cannot stand alone."""
    lower = sentence.casefold()
    for word in _GRANTING:
        if lower.startswith(word + " "):
            inner, comma, rest = sentence[len(word) :].strip().partition(", ")
            if comma and _stands(inner) and _stands(rest):
                return inner, rest
    return None


def _parted(left: str, right: str, *, has_comma: bool) -> str | None:
    """Return the part after a seam by itself; None where there is no seam."""
    first, _, behind = right.partition(" ")
    word = first.casefold()
    if not _has_verb(left) or len(left.split()) < _FEWEST:
        return None
    if word == "which" and has_comma and behind.split(" ")[0].casefold() in _VERBS:
        return f"this {behind}"
    if word not in _SEAMS:
        return None
    if word in _CONTRASTS or has_comma:
        if _stands(behind):
            return behind
    elif not _stands_surely(behind):
        behind = behind if _verb_first(behind) else ""
    elif word in ("because", "since", "so"):
        return None
    else:
        return behind
    if word in ("but", "yet", "and") and _verb_first(behind):
        subject = subject_of(left)
        return None if subject is None else f"{subject} {behind}"
    if word in ("but", "yet") and not _has_verb(behind):
        return _with_copula(left, behind)
    return None


def _stands(part: str) -> bool:
    """Return whether a part has a subject and, behind it, a verb."""
    found = _bare(part)
    if len(found) < _FEWEST or found[0] in _VERBS:
        return False
    return any(word in _VERBS for word in found[1:])


def _stands_surely(part: str) -> bool:
    """Return the same without a comma before it, where two nouns may be joined."""
    found = _bare(part)
    return bool(found) and found[0] in _SUBJECTS and _stands(part)


def _verb_first(part: str) -> bool:
    found = _bare(part)
    if found and found[0] in ("also", "never", "often", "still", "then", "not", "ultimately"):
        found = found[1:]
    return len(found) > 1 and found[0] in _VERBS


def _has_verb(part: str) -> bool:
    return any(word in _VERBS for word in _bare(part)[1:])


def subject_of(left: str) -> str | None:
    """Return the words before the first verb; None where there are too many to be a subject."""
    taken = left.split()
    for place, word in enumerate(_bare(left)):
        if word in _VERBS:
            # "Overall, the speech is…": what stands before a comma is no subject.
            subject = " ".join(taken[:place]).rpartition(",")[2].strip()
            return subject if 0 < len(subject.split()) <= 2 * _FEWEST else None
    return None


def _with_copula(left: str, right: str) -> str | None:
    subject = subject_of(left)
    verb = next((word for word in left.split() if word.casefold() in _VERBS), "")
    is_short = 0 < len(right.split()) <= _LONGEST_ADJECTIVE and "," not in right
    if subject is None or verb.casefold() not in _AUXILIARIES or not is_short:
        return None
    # "…is clear but in places": no adjective.
    if _bare(right)[0] in ("in", "at", "on", "for", "to", "with", "without", "by", "of", "only"):
        return None
    return f"{subject} {verb} {right}"


def _bare(part: str) -> list[str]:
    return [
        word.strip(".,:;!?()\"'\u201c\u201d").casefold().replace("\u2019", "'")
        for word in part.split()
    ]


def _finished(part: str) -> str:
    text = part.strip().rstrip(",:;").strip()
    text = text[0].upper() + text[1:]
    return text if text[-1] in ".!?\u2026" or text.endswith(('."', ".\u201d", ".)")) else f"{text}."
