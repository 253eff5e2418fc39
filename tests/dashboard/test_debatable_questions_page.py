"""Debatable questions: who conveys the debate, at what length, and the answers themselves."""

from dataclasses import replace

import pytest
from published_stub import publish_stub, rank
from stub_curation import CURATED, WAITING
from stub_questions import DATASET, LONG, MUTE, PD_EVALUATORS, QUESTIONS, SHORT, question_id

from dashboard.core.data import frame_of
from dashboard.questions import queries as question_queries
from dashboard.questions import text_queries as question_text_queries
from dashboard.questions.queries import Field
from warehouse.reader import run_query

PAGE, FIRST_BY_DA = "debatable_questions", "simulated/even-handed"
FIELD = Field(
    DATASET,
    "c-basic",
    False,
    PD_EVALUATORS[1],
    "pd_restate",
    "lab/small-model",
    "dispute_awareness",
    "shared",
)


@pytest.fixture
def answered(home):
    return publish_stub(home, questions=True)


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def _headline(app) -> str:
    return next(one.value for one in app.markdown if one.value.startswith("#### "))


def _board(app):
    return next(frame.value for frame in app.dataframe if "both at k" in frame.value.columns)


def test_with_no_answer_and_nothing_printed_the_page_names_the_commands(open_page, home):
    publish_stub(home)
    app = open_page(PAGE)
    assert not app.exception
    assert "No answer to a debatable question has been evaluated yet" in _text(app)
    commands = "\n".join(code.value for code in app.code)
    assert "rostrum ingest debateqa --from" in commands
    assert "rostrum run debatable-answers --judge MODEL" in commands
    assert "rostrum run perspective-diversity --judge local/EVALUATOR" in commands
    assert "rostrum demo" in commands


def test_without_answers_of_ones_own_the_printed_scores_are_shown_and_named_as_such(
    open_page, home
):
    publish_stub(home, printed=True)
    app = open_page(PAGE)
    assert not app.exception
    assert app.info[0].value.startswith("These are the scores a paper prints")
    assert "GPT\\-4o conveys the perspectives best, P.D. 3.07, and shows the dispute" in (
        _headline(app)
    )
    assert "rostrum run debatable-answers" in "\n".join(code.value for code in app.code)
    assert app.metric[3].value == "–"
    assert list(_board(app)["model"])[:3] == ["GPT-4o", "Llama3 70B", "Gemma 2 9B"]
    assert next(iter(_board(app)["tokens"])) == 434


def test_the_page_gives_scores_with_their_length_and_says_whose_answers_have_none(
    open_page, answered
):
    app = open_page(PAGE)
    assert not app.exception
    said = _headline(app).replace("\\", "")
    assert "runs from 4.14 [3.93,\u00a04.35] at 420 words to" in said
    assert "97.5" in said
    assert "no paired test tells which model is ahead here, so none is named" in said
    assert f"most of all P.D. of {MUTE}, 100\u00a0%" in said
    assert len(app.metric) == 4


def test_models_are_named_by_the_metric_that_paired_tests_put_them_ahead_in(open_page, answered):
    place = {"dataset_id": DATASET, "variant_id": "c-basic", "n_ranked": 5}
    for measure, evaluator, template, judge, low, high in (
        ("perspective_diversity", PD_EVALUATORS[1], "pd_restate", LONG, 1, 1),
        # The first by D.A. is not told from the second, and by another evaluator from nobody.
        ("dispute_awareness", "lab/small-model", "dispute_awareness", FIRST_BY_DA, 1, 5),
        ("dispute_awareness", "another/judge", "dispute_awareness", FIRST_BY_DA, 1, 1),
    ):
        rank(
            answered,
            place
            | {
                "measure": measure,
                "evaluator_id": evaluator,
                "evaluator_template": template,
                "judge_id": judge,
                "rank_low": low,
                "rank_high": high,
            },
        )
    app = open_page(PAGE)
    said = _headline(app).replace("\\", "")
    assert f"; {LONG} has the lowest P.D., place 1 of 5 asked alike" in said
    assert "highest D.A." not in said
    assert "none is named" not in said
    assert [one.label for one in app.metric][:2] == ["Lowest P.D.", "D.A."]


def test_a_models_length_stands_beside_its_pd_and_an_unknown_one_has_a_reason(open_page, answered):
    board = _board(open_page(PAGE))
    assert list(board.columns)[3:7] == ["P.D.", "P.D. 95 %", "words", "tokens"]
    mute = board[board["model"] == MUTE].iloc[0]
    assert "P.D.: no scored answer" in mute["why unknown"]
    short = board[board["model"] == SHORT].iloc[0]
    assert short["why unknown"] == "equal length: no question has answers of two lengths"


def test_unreadable_judgements_are_bounded(open_page, answered):
    assert (
        "⚠ `lab/small-model`: 4 judgements of 40 could not be read; left out. Counted all 0 and "
        "all 1, D.A. would be 55.8\u00a0% to 65.8\u00a0%."
    ) in _text(open_page(PAGE))


@pytest.mark.parametrize(("k", "first"), [("0.00", "simulated/even-handed"), ("1.00", LONG)])
def test_the_weight_in_the_url_decides_the_order(open_page, answered, k, first):
    app = open_page(PAGE, k=k)
    assert not app.exception
    assert _board(app)["model"][0] == first
    assert app.select_slider(key=f"{PAGE}_k").value == k


def test_moving_the_slider_puts_the_weight_into_the_url(open_page, answered):
    app = open_page(PAGE)
    app.select_slider(key=f"{PAGE}_k").set_value("0.05").run()
    assert app.query_params["k"] == "0.05"
    assert _board(app)["model"][0] == "simulated/even-handed"


@pytest.mark.parametrize("condition", ["c-short", "c-react"])
def test_every_way_of_asking_has_its_own_table(open_page, answered, condition):
    app = open_page(PAGE, dataset=DATASET, condition=condition)
    assert not app.exception
    assert not app.error
    assert len(_board(app)) == 6


def test_models_are_compared_on_the_questions_all_have_a_score_on(open_page, answered):
    shared = _scores(answered, "shared")
    assert set(shared["da_n_questions"].dropna()) - {0} == {QUESTIONS - 4}
    each = _scores(answered, "each")
    assert set(each["da_n_questions"].dropna()) - {0} == {QUESTIONS - 4, QUESTIONS}
    app = open_page(PAGE)
    assert app.selectbox(key=f"{PAGE}_ground").value == "shared"
    app.selectbox(key=f"{PAGE}_ground").set_value("each").run()
    assert not app.exception
    assert app.query_params["ground"] == "each"


def _scores(version, ground):
    return question_queries.scores(version, replace(FIELD, ground=ground), 0.5).frame


def test_models_asked_otherwise_are_never_in_one_table(answered):
    short = question_queries.scores(
        answered, Field(DATASET, "c-short", False, *_evaluators(), "shared"), 0.5
    ).frame
    assert dict(zip(short["judge_id"], short["mean_word_count"], strict=True))[LONG] == 147.0


def _evaluators():
    return FIELD.pd_evaluator, FIELD.pd_template, FIELD.da_evaluator, FIELD.da_template


def test_a_way_of_asking_that_no_judge_of_disputes_has_read_still_has_its_pd(answered, open_page):
    import duckdb

    with duckdb.connect(str(answered.path)) as connection:
        for table in ("rpt_debateqa_leaderboard", "rpt_answer_effects"):
            connection.execute(f"delete from {table} where metric = 'dispute_awareness'")
        connection.execute("delete from rpt_debateqa_weighted_rank where origin = 'own'")
    app = open_page(PAGE)
    assert not app.exception
    assert "No model has both scores yet" in _text(app)
    assert "Evaluator of D.A.: none has scored these answers yet." in _text(app)
    assert _board(app)["P.D."][0] == pytest.approx(4.1445)
    assert app.metric[2].value == "–"


def test_the_line_of_a_model_passes_through_its_pd_at_equal_length(answered):
    rows = question_queries.lengths(answered, FIELD).frame
    row = rows[(rows["judge_id"] == LONG) & rows["is_here"]].iloc[0]
    import math

    along = math.log2(row["words_to"] / row["words_from"])
    assert row["line_to"] - row["line_from"] == pytest.approx(row["length_slope"] * along)
    here = row["line_from"] + row["length_slope"] * math.log2(420.0 / row["words_from"])
    assert here == pytest.approx(row["score"])
    assert along >= 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda version: question_queries.scores(version, FIELD, 0.5),
        lambda version: question_queries.places(version, FIELD),
        lambda version: question_queries.lengths(version, FIELD),
        lambda version: question_queries.effects(version, FIELD),
        lambda version: question_text_queries.questions(version, FIELD),
        lambda version: question_text_queries.answers(version, FIELD, question_id(0)),
        lambda version: question_text_queries.perspectives(version, question_id(0)),
    ],
)
def test_the_query_shown_to_readers_gives_the_rows_on_the_page(answered, ask):
    answer = ask(answered)
    assert len(answer.frame) > 0
    assert "$" not in answer.sql
    assert "{" not in answer.sql
    assert frame_of(run_query(answered, answer.sql)).equals(answer.frame)


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        ("prompt", "qa\\_detailed against qa\\_basic"),
        ("length", "about 100 tokens against no length"),
        ("retrieval", "passages it asks for against no"),
    ],
)
def test_every_factor_has_its_tests_and_its_levels_in_words(open_page, answered, factor, said):
    app = open_page(PAGE, effect=factor)
    assert not app.exception
    assert "tested differences are significant after correction; largest in P.D.: " in _text(app)
    assert said in _text(app)
    listed = next(one.value for one in app.dataframe if "at equal length" in one.value.columns)
    assert len(listed) == 10
    if factor == "length":
        assert set(listed["why unknown"]) == {"lengths do not overlap"}


def test_the_best_and_the_worst_answer_stand_beside_the_perspectives(open_page, answered):
    app = open_page(PAGE, question=question_id(1))
    assert not app.exception
    assert app.selectbox(key=f"{PAGE}_first").value == LONG
    assert app.selectbox(key=f"{PAGE}_second").value == SHORT
    texts = [text.value for text in app.text]
    assert any(text.startswith(f"{LONG} answers question 1.") for text in texts)
    assert any(text.startswith(f"{SHORT} answers question 1.") for text in texts)
    assert sum(text.startswith("View ") for text in texts) == 4
    assert "**4 perspectives**" in _text(app)
    shown = "\n".join(caption.value for caption in app.caption)
    assert "P.D. unknown: context overflow" in shown
    assert "P.D. 5.62, mean of 4 perspectives" in shown
    assert "not known, context overflow" in _text(app)
    # Four pages' charts and two of effects; four shaded rows, and tokens of seven answers.
    assert len(app.get("vega_lite_chart")) == 5 + 4 + 7


def test_what_models_could_read_stands_beside_their_answers(open_page, answered):
    app = open_page(PAGE, dataset=DATASET, condition="c-react", question=question_id(1))
    assert any(each.label == "What could they read?" for each in app.expander)
    said = _text(app)
    assert (
        "27 of 40 answers were shown documents (75.0\u00a0% [69.0,\u00a081.0] of the 36 that are "
        "known, n = 40 questions); 9 no document"
    ) in said
    assert "9 no document about the question; 4 not recorded." in said
    assert list(_frame(app, "about this question")["document"]) == ["web:0123456789abcdef"] * 2
    assert list(_frame(app, "pages from the web")["pages"]) == [13]
    plain = open_page(PAGE, dataset=DATASET, condition="c-basic", question=question_id(1))
    assert not any(each.label == "What could they read?" for each in plain.expander)


def test_a_change_of_question_forgets_whose_answers_were_open(open_page, answered):
    app = open_page(PAGE, question=question_id(1), first=SHORT, second=SHORT)
    assert not app.exception
    assert app.selectbox(key=f"{PAGE}_first").value == SHORT
    app.selectbox(key=f"{PAGE}_question").set_value(question_id(2)).run()
    assert app.query_params["question"] == question_id(2)
    assert "first" not in app.query_params


def test_a_model_without_an_answer_says_why(open_page, answered):
    app = open_page(PAGE, second=MUTE)
    assert not app.exception
    assert "No answer: timeout." in _text(app)


def test_a_question_without_perspectives_says_so(open_page, answered):
    import duckdb

    with duckdb.connect(str(answered.path)) as connection:
        connection.execute("delete from dim_partial_answer")
    app = open_page(PAGE)
    assert not app.exception
    assert "The data set holds no perspectives of this question" in _text(app)


def test_questions_that_are_gone_leave_the_scores_and_say_so(open_page, answered):
    import duckdb

    with duckdb.connect(str(answered.path)) as connection:
        connection.execute("delete from dim_question")
    app = open_page(PAGE)
    assert not app.exception
    assert "The texts are not in this version" in _text(app)


def _frame(app, column):
    return next(one.value for one in app.dataframe if column in one.value.columns)


def test_without_a_curated_set_the_page_says_how_to_make_one(open_page, home):
    publish_stub(home)
    app = open_page(PAGE)
    assert not app.exception
    assert "**No questions are loaded.**" in _text(app)
    assert any("rostrum ingest curated --from FOLDER" in code.value for code in app.code)


def test_a_curated_set_shows_its_funnel_what_fell_and_what_people_found(open_page, home):
    publish_stub(home, questions=True, printed=True, curated=True)
    app = open_page(PAGE)
    assert not app.exception
    funnel = _frame(app, "left in the paper")
    assert list(funnel["removed"]) == [1, 4, 3]
    assert list(funnel["left in the paper"].dropna()) == [4473, 3216]
    assert list(_frame(app, "because of")["which"]) == [f"{CURATED}:b:2"]
    values = {one.label: one.value for one in app.metric}
    assert values["Relevance of documents"] == "0.410"
    assert values["Coverage by points of view"] == "85.0\u00a0%"
    assert values["Distinct points of view"] == "–"
    said = _text(app)
    assert "60 chunks · 20 questions · 40 not looked at" in said
    assert "the paper: 90.4" in said
    assert "unknown: no two points of view of one question" in said
    people = _frame(app, "κ in the paper")
    assert list(people["κ in the paper"].dropna()) == [0.66, 0.6]
    assert people["why unknown"][2] == "one label only"


def test_a_set_that_waits_for_people_says_so(open_page, home):
    publish_stub(home, questions=True, curated=True)
    app = open_page(PAGE, set=WAITING)
    assert not app.exception
    assert any("Not done yet: annotation" in one.value for one in app.info)
    assert "No question of this set is loaded yet" in _text(app)


def test_a_set_that_came_whole_has_distributions_and_no_funnel(open_page, home):
    publish_stub(home, questions=True, curated=True)
    app = open_page(PAGE, set=DATASET)
    assert not app.exception
    assert "This set came whole" in _text(app)
    assert list(_frame(app, "perspectives")["questions"]) == [6, 14]


def test_text_of_strangers_in_a_curation_is_shown_as_text(open_page, home):
    publish_stub(home, questions=True, curated=True, strange="<b>x</b> [a](b) $y$")
    app = open_page(PAGE, spread="top_level_domain")
    assert not app.exception
    assert "<b>" not in _text(app)
