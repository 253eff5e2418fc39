"""Printed figures beside recomputed ones, read from the replication's own home where it is."""

import pytest
from changes import insert
from shown import rows, table, text

PAPER = "llm_debate_bias"
FIGURES = (
    ("Table 5", "McNemar chi2", "A/B", 33.52, "33.52", 33.5225, "agrees", None),
    ("Table 5", "McNemar p", "A/B", None, "< 0.001", 7e-9, "agrees", None),
    ("Table 10", "z", "A/B", 2.5, "2.5", 2.9, "differs", None),
    ("Table 7", "McNemar p", "P/C", 0.002, "0.002", 0.00018, "contradicted", 0.00018),
    ("Table 16", "McNemar chi2", "A/B", None, None, None, "not_published", None),
)


COLUMNS = (
    "location",
    "statistic",
    "qualifier",
    "published_value",
    "published_text",
    "warehouse_value",
    "agreement_status",
    "other_value",
)


def _with_figures(figures=FIGURES):
    """Return statements that leave only these figures of one paper."""
    return [
        f"delete from rpt_published_comparison where paper_id = '{PAPER}'",
        *(
            insert(
                "rpt_published_comparison",
                paper_id=PAPER,
                n=100,
                note="a note",
                **dict(zip(COLUMNS, one, strict=True)),
            )
            for one in figures
        ),
    ]


def test_the_page_opens_on_a_paper_with_recomputed_figures(shown_page, demo):
    app = shown_page("replication")
    assert app.selectbox(key="replication_paper").value != PAPER
    assert "None of this paper's figures" not in text(app)


def test_the_replications_own_home_is_read(open_page, publish, home):
    publish()
    apart = publish(*_with_figures(), where=home.replication(PAPER))
    app = open_page("replication")
    assert (
        "#### 2 of 4 figures that can be checked come out as printed; ⚠ 1 figure does not."
        in text(app)
    )
    assert f"From the replication's own warehouse, `{apart.name}`" in text(app)
    listed = table(app, "recomputed")
    assert listed["result"].tolist()[:2] == ["comes out otherwise", "the paper contradicts itself"]
    assert listed["beside it"].tolist()[1] == pytest.approx(0.00018)


def test_the_listed_figures_can_be_narrowed_by_the_url(open_page, publish, home):
    publish()
    publish(*_with_figures(), where=home.replication(PAPER))
    app = open_page("replication", status="contradicted")
    listed = table(app, "recomputed")
    assert listed["published"].tolist() == ["0.002"]


def test_imported_people_stand_beside_the_papers_two(shown_page, changed):
    person = (
        "Table 2",
        "accuracy of a person",
        "ddo:rater-ann, ddo",
        None,
        "Human 1: 77.33, Human 2: 78.67",
        75.0,
        "not_comparable",
        None,
    )
    changed(*_with_figures((person,)))
    app = shown_page("replication", paper=PAPER)
    listed = table(app, "person, data set")
    assert listed["right (%)"].tolist() == [75.0]
    assert listed["published (%)"].tolist() == ["Human 1: 77.33, Human 2: 78.67"]
    assert listed["debates"].tolist() == [100]
    assert listed["95 % interval"].isna().all()


def test_another_paper_is_read_from_this_version(shown_page, demo):
    app = shown_page("replication", paper="debatable_intelligence")
    known = rows(
        demo,
        "from rpt_published_comparison where paper_id = 'debatable_intelligence'"
        " and agreement_status in ('agrees', 'differs', 'contradicted')",
    )
    agrees = sum(one["agreement_status"] == "agrees" for one in known)
    assert f"{agrees} of {len(known)} figures that can be checked come" in text(app)


def test_statistics_of_a_data_set_stand_beside_the_printed_ones(shown_page, changed):
    version = changed("update rpt_corpus_statistics set published_value = 158.2")
    listed = next(
        one.value for one in shown_page("replication").dataframe if "here" in one.value.columns
    )
    found = rows(version, "from rpt_corpus_statistics")
    assert sorted(listed["here"].dropna()) == sorted(
        one["value"] for one in found if one["value"] is not None
    )
    assert set(listed["published"]) == {158.2}
