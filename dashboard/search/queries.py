"""The questions the page Search puts to the full-text index of a published version."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from dashboard.core.data import Answer, ask, query
from warehouse.reader import Version

# How many of the best hits are looked at for the very phrase.
_LOOKED_AT = 200
# As the index was built with the same stemmer.
_STEM = "stem({word}, 'english')"
# Parts in quotation marks that are looked for.
_MOST_QUOTED = 5
# Between two words of a phrase, and around it.
_GAP = r"[^\p{L}\p{N}]+"


class Wanted(NamedTuple):
    """What somebody searches for.

    Attributes:
        words: Its words that can be searched for, in order.
        stems: Their stems.
        common: Its words that are too common to be searched for.
        phrase: All of it, as the index reads it.
        quoted: The parts in quotation marks, which a hit must hold as they are.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    common: tuple[str, ...]
    phrase: str
    quoted: tuple[str, ...]


def is_indexed(version: Version) -> bool:
    """Whether the version has a full-text index."""
    sql = """
select count(*) as found from duckdb_tables()
where schema_name = 'fts_main_search' and table_name = 'docs'"""
    return bool(ask(version, sql).frame["found"].iloc[0])


# How many texts there are, and how many are in the index, by what one can filter for.
contents = query("""
select
    text_kind, dataset_id, judge_id,
    count(*) as text_count,
    count(docs.name) as indexed_count
from dim_search_text
left join fts_main_search.docs as docs on text_id = docs.name
group by all
order by all""")

# How many texts of each kind are in the index, and how many in all.
kinds = query("""
select text_kind, count(*) as indexed_count, sum(count(*)) over () as whole_count
from dim_search_text
inner join fts_main_search.docs as docs on text_id = docs.name
group by text_kind""")


def wanted(version: Version, text: str) -> Wanted:
    """Return what a reader's words ask for, read as the index reads texts."""
    sql = f"""
with parts as (
    select * from (
        select unnest(fts_main_search.tokenize(part)) as word, part_order,
            unnest(range(len(fts_main_search.tokenize(part)))) as place
        from (select unnest($parts) as part, unnest(range(len($parts))) as part_order)
    )
    where word != ''
)
select word, {_STEM.format(word="word")} as stem, part_order,
    word in (select sw from fts_main_search.stopwords) as is_common
from parts
order by part_order, place"""
    quoted = re.findall(r'"([^"]+)"', text)[:_MOST_QUOTED]
    rows = ask(version, sql, parts=[text, *quoted]).rows
    whole = [row for row in rows if row["part_order"] == 0]
    told = [row for row in whole if not row["is_common"]]
    phrases = [
        " ".join(row["word"] for row in rows if row["part_order"] == at)
        for at in range(1, len(quoted) + 1)
    ]
    return Wanted(
        tuple(dict.fromkeys(row["word"] for row in told)),
        tuple(dict.fromkeys(row["stem"] for row in told)),
        tuple(dict.fromkeys(row["word"] for row in whole if row["is_common"])),
        " ".join(row["word"] for row in whole),
        tuple(one for one in phrases if one),
    )


def hits(
    version: Version,
    asked: Wanted,
    *,
    kinds: Sequence[str],
    datasets: Sequence[str],
    judges: Sequence[str],
    every_word: bool,
    limit: int,
) -> Answer:
    """The texts that hold the words, the best first, with how many there are in all.

    A text that holds the very phrase comes before those that hold its words elsewhere.

    Args:
        asked: What is searched for.
        kinds: Kinds of text.
        datasets: Data sets; empty for all.
        judges: Judges; empty for all, texts of nobody included.
        every_word: Whether a text must hold every word, or any of them.
        limit: How many rows.
    """
    quoted = {f"quoted_{at}": _pattern(one) for at, one in enumerate(asked.quoted)}
    held = " and ".join(f"regexp_matches(strip_accents(text), ${name})" for name in quoted)
    # Texts are only looked into once their number is small: without `materialized` DuckDB reads
    # all of them first, 20 seconds for 100,000 (November 2026).
    sql = f"""
with scored as materialized (
    select text_id, score
    from (
        select text_id,
            fts_main_search.match_bm25(text_id, $words, conjunctive := {every_word}) as score
        from dim_search_text
        where list_contains($kinds, text_kind)
            and ($datasets = ['*'] or list_contains($datasets, dataset_id))
            and ($judges = ['*'] or list_contains($judges, judge_id))
    )
    where score is not null
),
held as materialized (
    select scored.*, {"text" if quoted else "''"} as text
    from scored
    {"inner join dim_search_text using (text_id)" if quoted else ""}
),
found as materialized (
    select text_id, score, count(*) over () as hit_count
    from held
    where {held or "true"}
),
best as materialized (
    from found order by score desc, text_id limit {_LOOKED_AT}
),
looked_at as (
    select *, regexp_matches(strip_accents(text), $phrase) as holds_phrase
    from best
    inner join dim_search_text using (text_id)
)
select text_id, text_kind, dataset_id, judge_id, title, text, opens, opens_id, score, hit_count,
    holds_phrase,
    list_distinct(list_filter(
        regexp_extract_all(text, '[\\p{{L}}\\p{{N}}]+'),
        lambda word: list_contains($stems, {_STEM.format(word="lower(strip_accents(word))")})
    )) as found_words
from looked_at
order by holds_phrase desc, score desc, text_id
limit $limit"""
    return ask(
        version,
        sql,
        words=" ".join(asked.words),
        stems=list(asked.stems),
        phrase=_pattern(asked.phrase),
        **quoted,
        kinds=list(kinds) or [""],
        datasets=list(datasets) or ["*"],
        judges=list(judges) or ["*"],
        limit=limit,
    )


def _pattern(phrase: str) -> str:
    """Return the regular expression of a phrase, whose words are letters and digits alone."""
    return f"(?i)(^|{_GAP}){_GAP.join(phrase.split())}($|{_GAP})"
