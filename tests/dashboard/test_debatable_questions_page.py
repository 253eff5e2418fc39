"""Debatable questions: who conveys the debate, at what length, and the answers themselves."""

import math
from dataclasses import replace

import pytest
from shown import headline, row, rows, table, text, value

from dashboard.core.data import frame_of
from dashboard.core.labels import estimate, number
from dashboard.questions import queries as question_queries
from dashboard.questions import text_queries as question_text_queries
from dashboard.questions.labels import words_text
from dashboard.questions.queries import Field
from warehouse.reader import run_query

PAGE, DATASET = "debatable_questions", "sample-questions"
LONG, SHORT = "simulated/even-handed", "simulated/one-sided"
PD, DA = "rule/cache-model", "simulated/attentive"
QUESTIONS = 40
PD_MART = (
    "from rpt_debateqa_leaderboard where condition_id = $condition and evaluator_id = $evaluator"
    " and evaluator_template = $template"
)
PRINTED_ONLY = (
    "delete from rpt_debateqa_leaderboard",
    "delete from rpt_debateqa_weighted_rank where origin = 'own'",
)
UNRANKED = "update rpt_judge_ranks set rank_low = null, rank_high = null"
# One curated set, and one that waits for people.
CURATED, WAITING = "curated-set", "waiting-set"


def _mute(judge: str) -> tuple[str, ...]:
    """Return changes after which no answer of a model could be scored."""
    return (
        "update rpt_debateqa_leaderboard set score = null, score_low = null, score_high = null,"
        " place = null, n_scored = 0, n_questions = 0, score_shared = null, place_shared = null,"
        f" n_questions_shared = 0, reason = 'no scored answer' where judge_id = '{judge}'"
        " and metric = 'perspective_diversity'",
        f"update dim_answer set answer_status = 'timeout', response = null"
        f" where judge_id = '{judge}'",
    )


@pytest.fixture
def field(demo) -> Field:
    return _field(demo)


def _field(version) -> Field:
    condition = value(
        version,
        "select condition_id from rpt_debateqa_leaderboard where template = 'qa_basic' limit 1",
    )
    return Field(DATASET, condition, False, PD, "pd_restate", DA, "dispute_awareness", "shared")


def _scored(version, field: Field, evaluator: str, template: str) -> dict[str, dict]:
    found = rows(
        version,
        f"{PD_MART} order by score",
        condition=field.condition_id,
        evaluator=evaluator,
        template=template,
    )
    return {one["judge_id"]: one for one in found}


def _question(version, field: Field) -> str:
    return question_text_queries.questions(version, field).frame["question_id"][0]


def _board(app):
    return table(app, "both at k")


def test_without_answers_of_ones_own_the_printed_scores_are_shown_and_named_as_such(
    shown_page, changed
):
    version = changed(*PRINTED_ONLY, "delete from dim_answer")
    app = shown_page(PAGE)
    best = row(
        version,
        "from rpt_debateqa_weighted_rank where pd_evaluator_id = 'Qwen2 0.5B'"
        " and da_evaluator_id = 'Phi-3 medium 128k' and k = 0.5 order by place, judge_id",
    )
    assert best["judge_id"] in headline(app)
    assert _board(app)["model"][0] == best["judge_id"]
    assert _board(app)["tokens"][0] == best["mean_answer_tokens"]


def test_the_page_gives_scores_with_their_length_and_says_whose_answers_have_none(
    shown_page, changed
):
    version = changed(*_mute(SHORT), UNRANKED)
    app = shown_page(PAGE)
    found = _scored(version, _field(version), PD, "pd_restate")[LONG]
    said = headline(app)
    score = estimate(found["score"], found["score_low"], found["score_high"])
    length = words_text(found["mean_word_count"])
    assert f"P.D. of 2 models runs from {score} at {length} to" in said


def test_models_are_named_by_the_metric_that_paired_tests_put_them_ahead_in(shown_page, changed):
    changed(
        UNRANKED,
        "update rpt_judge_ranks set rank_low = 1, rank_high = 1, n_ranked = 3 where measure ="
        f" 'perspective_diversity' and judge_id = '{LONG}'",
        # The first by D.A. is not told from the second, and by another evaluator from nobody.
        "update rpt_judge_ranks set rank_low = 1, rank_high = if(evaluator_id = 'simulated/"
        f"attentive', 3, 1), n_ranked = 3 where measure = 'dispute_awareness'"
        f" and judge_id = '{LONG}'",
    )
    app = shown_page(PAGE)
    said = headline(app)
    assert f"; {LONG} has the lowest P.D., place 1 of 3 asked alike" in said
    assert "highest D.A." not in said
    assert "none is named" not in said
    # The lowest P.D. is in the headline with its interval; no one has the highest D.A.
    assert app.metric[0].label == "D.A."


def test_a_models_length_stands_beside_its_pd_and_an_unknown_one_has_a_reason(shown_page, changed):
    changed(
        *_mute(SHORT),
        "update rpt_debateqa_leaderboard set score_adjusted = null, length_reason ="
        " 'no question has answers of two lengths' where judge_id = 'simulated/padded'",
    )
    board = _board(shown_page(PAGE)).set_index("model")
    assert list(board.columns)[2:6] == ["P.D.", "P.D. 95 %", "words", "tokens"]
    assert "P.D.: no scored answer" in board.loc[SHORT, "why unknown"]
    reason = board.loc["simulated/padded", "why unknown"]
    assert reason == "equal length: no question has answers of two lengths"


@pytest.mark.parametrize(("k", "metric"), [("0.00", "D.A. (%)"), ("1.00", "P.D.")])
def test_the_weight_in_the_url_decides_the_order(shown_page, demo, k, metric):
    app = shown_page(PAGE, k=k)
    board = _board(app)
    best = board[metric].max() if k == "0.00" else board[metric].min()
    assert board[metric][0] == best
    assert app.select_slider(key=f"{PAGE}_k").value == k


def test_models_are_compared_on_the_questions_all_have_a_score_on(open_page, changed):
    version = changed(
        "update rpt_debateqa_leaderboard set n_questions_shared = 36"
        " where metric = 'dispute_awareness'"
    )
    field = _field(version)
    for ground, n in (("shared", QUESTIONS - 4), ("each", QUESTIONS)):
        found = question_queries.scores(version, replace(field, ground=ground), 0.5).frame
        assert set(found["da_n_questions"]) == {n}
    app = open_page(PAGE)
    assert app.selectbox(key=f"{PAGE}_ground").value == "shared"
    app.selectbox(key=f"{PAGE}_ground").set_value("each").run()
    assert not app.exception
    assert app.query_params["ground"] == "each"


def test_models_asked_otherwise_are_never_in_one_table(demo, field):
    other = value(
        demo, "select condition_id from rpt_debateqa_leaderboard where template = 'qa_detailed'"
    )
    found = question_queries.scores(demo, replace(field, condition_id=other), 0.5).frame
    lengths = dict(zip(found["judge_id"], found["mean_word_count"], strict=True))
    scored = _scored(demo, replace(field, condition_id=other), PD, "pd_restate")
    assert lengths == {judge: one["mean_word_count"] for judge, one in scored.items()}


def test_a_way_of_asking_that_no_judge_of_disputes_has_read_still_has_its_pd(shown_page, changed):
    version = changed(
        "delete from rpt_debateqa_leaderboard where metric = 'dispute_awareness'",
        "delete from rpt_answer_effects where metric = 'dispute_awareness'",
        "delete from rpt_debateqa_weighted_rank where origin = 'own'",
    )
    app = shown_page(PAGE)
    scored = _scored(version, _field(version), PD, "pd_restate")
    assert _board(app)["P.D."][0] == pytest.approx(next(iter(scored.values()))["score"], rel=0.2)
    assert {one.label: one.value for one in app.metric}["First at k = 0.50"] == "–"


def test_the_line_of_a_model_passes_through_its_pd_at_equal_length(demo, field):
    found = question_queries.lengths(demo, field).frame
    one = found[(found["judge_id"] == LONG) & found["is_here"]].iloc[0]
    board = _scored(demo, field, PD, "pd_restate")[LONG]
    along = math.log2(one["words_to"] / one["words_from"])
    assert one["line_to"] - one["line_from"] == pytest.approx(one["length_slope"] * along)
    words, score = board["reference_word_count"], board["score_adjusted"]
    if score is None:
        words, score = board["mean_word_count"], board["score"]
    here = one["line_from"] + one["length_slope"] * math.log2(words / one["words_from"])
    assert here == pytest.approx(score)
    assert along >= 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda version, field: question_queries.scores(version, field, 0.5),
        question_queries.places,
        question_queries.lengths,
        question_queries.effects,
        question_text_queries.questions,
        lambda version, field: question_text_queries.answers(
            version, field, _question(version, field)
        ),
        lambda version, field: question_text_queries.perspectives(
            version, _question(version, field)
        ),
    ],
)
def test_the_query_shown_to_readers_gives_the_rows_on_the_page(demo, field, ask):
    answer = ask(demo, field)
    assert len(answer.frame) > 0
    assert "$" not in answer.sql
    assert "{" not in answer.sql
    assert frame_of(run_query(demo, answer.sql)).equals(answer.frame)


def test_the_best_and_the_worst_answer_stand_beside_the_perspectives(shown_page, demo, field):
    question = _question(demo, field)
    app = shown_page(PAGE, condition=field.condition_id, question=question)
    board = list(_board(app)["model"])
    assert app.selectbox(key=f"{PAGE}_first").value == board[0]
    assert app.selectbox(key=f"{PAGE}_second").value == board[-1]
    texts = {one.value for one in app.text}
    answers = question_text_queries.answers(demo, field, question).frame
    shown = answers[answers["judge_id"].isin([board[0], board[-1]])]
    assert set(shown["response"]) <= texts
    perspectives = question_text_queries.perspectives(demo, question).frame
    assert set(perspectives["point_of_view"]) | set(perspectives["explanation"]) <= texts
    assert f"**{len(perspectives)} perspectives**" in text(app)
    for score in shown["pd_score"]:
        assert f"P.D. {number(score)}, mean of {len(perspectives)} perspectives" in text(app)


def test_what_models_could_read_stands_beside_their_answers(shown_page, demo, field, changed):
    version = changed(
        "insert into rpt_retrieval_coverage by name select dataset_id, condition_id, judge_id,"
        " 'web' as retriever, 40 as n_answers, 36 as n_known, 40 as n_questions, 27 as"
        " shown_count, 9 as no_documents_count, 0 as no_trusted_documents_count, 0 as"
        " nothing_found_count, 4 as not_recorded_count, 0 as other_questions_count, 0.75 as"
        " shown_share, 0.69 as shown_share_low, 0.81 as shown_share_high"
        f" from rpt_debateqa_leaderboard where condition_id = '{field.condition_id}'"
        f" and evaluator_id = '{PD}' and evaluator_template = 'pd_restate'",
        "insert into fct_answer_document by name select answer_id, 1 as document_rank,"
        " 'web:0123456789abcdef' as document_id, 1 as chunk, 0.5 as similarity,"
        " true as is_own_question, 'https://towns.example.org/ideas' as url from dim_answer",
        "insert into rpt_page_outcomes by name select distinct dataset_id, retriever,"
        " 'taken' as page_status, 13 as n_pages, 9 as n_answers from rpt_retrieval_coverage",
    )
    question = _question(version, field)
    app = shown_page(PAGE, condition=field.condition_id, question=question)
    assert any(each.label == "What could they read?" for each in app.expander)
    documents = table(app, "about this question")["document"]
    assert list(documents) == ["web:0123456789abcdef"] * 2
    assert list(table(app, "pages from the web")["pages"]) == [13]


FUNNEL = "insert into rpt_curation_funnel by name select '{}' as dataset_id, {} as step_order,"
CURATION = [
    *(
        FUNNEL.format(CURATED, at)
        + f" 'dedupe' as step, 'question' as unit, 'rule_{at}' as rule, 1 as rule_order,"
        f" 10 as n_before, {10 - removed} as n_after, {removed} as n_affected,"
        f" 'removes' as effect, {printed} as published_after"
        for at, (removed, printed) in enumerate([(1, 4473), (4, 3216), (3, "null")])
    ),
    FUNNEL.format(WAITING, 1) + " 'annotation' as step, 'the step has not been done' as reason",
    f"insert into rpt_curation_removals by name select '{CURATED}' as dataset_id, 'dedupe' as"
    " step, 'question' as unit, 'rule_1' as rule, 'b:2' as item_id, 1 as step_order",
    f"insert into rpt_document_relevance by name select '{CURATED}' as dataset_id, 'chunks' as"
    " averaged_over, 20 as n_questions, 100 as n_chunks, 0.41 as mean_similarity",
    f"insert into rpt_view_coverage by name select '{CURATED}' as dataset_id, 20 as n_questions,"
    " 60 as n_examined, 40 as not_examined_count, 0.85 as covered_share, 0.904 as published_value",
    f"insert into rpt_view_distinctness by name select '{CURATED}' as dataset_id, 20 as"
    " n_questions, 0 as n_pairs, 'no two points of view of one question' as reason",
    *(
        f"insert into rpt_annotation_outcomes by name select '{CURATED}' as dataset_id,"
        f" '{task}' as task, 3 as n_annotators, 20 as n_partial_answers, 2 as removed_count,"
        " 0.9 as passed_share, 20 as n_questions"
        for task in ("grounded", "addressing", "ethical", "faultless")
    ),
]


def test_a_curated_set_shows_its_funnel_what_fell_and_what_people_found(shown_page, changed):
    changed(*CURATION)
    app = shown_page(PAGE, set=CURATED)
    funnel = table(app, "left in the paper")
    assert list(funnel["removed"]) == [1, 4, 3]
    assert list(funnel["left in the paper"].dropna()) == [4473, 3216]
    assert list(table(app, "because of")["which"]) == ["b:2"]
    values = {one.label: one.value for one in app.metric}
    assert values["Relevance of documents"] == "0.410"
    assert values["Coverage by points of view"] == "85.0\u00a0%"
    assert values["Distinct points of view"] == "–"
    people = table(app, "κ in the paper")
    assert len(people) == 4
    assert len(people["κ in the paper"].dropna()) == 2


def test_a_set_that_came_whole_has_distributions_and_no_funnel(shown_page, demo):
    app = shown_page(PAGE, set=DATASET)
    counted = rows(
        demo,
        "select n from rpt_curation_distributions where quantity = 'perspectives_per_question'"
        f" and dataset_id = '{DATASET}' order by value_order",
    )
    assert list(table(app, "perspectives")["questions"]) == [one["n"] for one in counted]


def test_text_of_strangers_in_a_curation_is_shown_as_text(shown_page, changed):
    strange = "<img src=x> [click](http://evil.example)"
    changed(*CURATION, f"update rpt_curation_removals set text = '{strange}', detail = '{strange}'")
    app = shown_page(PAGE, set=CURATED)
    assert table(app, "because of")["text"][0] == strange
    assert "[click](http" not in "\n".join(one.value for one in [*app.markdown, *app.caption])
