"""Who may see the dashboard and who may start runs, where people sign in."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.core.access import FILE, Access
from warehouse.home import PROJECT_ROOT, Home
from warehouse.reader import Version

Open = Callable[..., AppTest]
ADA = {"is_logged_in": True, "email": "ada@lab.example", "email_verified": True}
BOB = ADA | {"email": "bob@lab.example"}
EVE = ADA | {"email": "eve@else.example"}
RULES = 'run = ["Ada@lab.example"]\nread = ["*@lab.example"]\n'


def said(app: AppTest) -> str:
    kinds = (app.header, app.markdown, app.caption, app.info, app.error, app.code)
    return "\n".join(str(one.value) for kind in kinds for one in kind)


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in app.button}


@pytest.fixture
def open_as(publish: Callable[..., Version], home: Home) -> Open:
    """Opens a page as a person, under the rules of `access.toml`, if there are any."""

    def open_one(page: str, person: dict[str, Any], rules: str | None = RULES) -> AppTest:
        if not home.current.exists():
            publish()
        if rules is not None:
            (home.root / FILE).write_text(rules)
        app = AppTest.from_file(str(PROJECT_ROOT / "dashboard" / "app.py"), default_timeout=60)
        app.switch_page(f"pages/{page}.py")
        app.user = person
        app.run()
        assert not app.exception
        return app

    return open_one


def test_who_may_only_read_is_shown_pages_and_cannot_start_a_run(open_as: Open) -> None:
    app = open_as("start_run", BOB)
    assert "read-only" in said(app)
    assert keys(app) == {"access_sign_out"}
    assert not app.selectbox
    assert "bob@lab.example" in said(app)


def test_who_may_run_is_offered_what_to_run(open_as: Open) -> None:
    app = open_as("start_run", ADA)
    assert "read-only" not in said(app)
    assert [one.label for one in app.selectbox][:1] == ["What is asked"]


def test_without_the_file_nobody_is_asked(open_as: Open) -> None:
    app = open_as("start_run", {}, rules=None)
    assert app.selectbox
    assert not keys(app) & {"access_sign_in", "access_sign_out"}


@pytest.mark.parametrize("page", ["runs", "start_run", "sql"])
@pytest.mark.parametrize(
    ("person", "rules", "left"),
    [
        ({}, RULES, {"access_sign_in"}),
        (EVE, RULES, {"access_sign_out"}),
        (ADA, "run = 'ada@lab.example'", set()),
        (ADA, "rum = ['ada@lab.example']", set()),
        (ADA, "run = [", set()),
    ],
)
def test_nobody_else_is_shown_anything(
    open_as: Open, page: str, person: dict[str, Any], rules: str, left: set[str]
) -> None:
    app = open_as(page, person, rules)
    assert keys(app) == left
    assert not app.dataframe
    assert not app.text_area
    assert "Published warehouse" not in said(app)


def test_an_access_file_that_cannot_be_read_admits_nobody_and_opens_nothing(
    open_as: Open, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_as("runs", ADA, rules=None)
    looks: list[str] = []
    monkeypatch.setattr("dashboard.core.data.newest_version", lambda: looks.append("newest"))
    monkeypatch.setattr("dashboard.core.data.one_version", lambda: looks.append("one"))
    file = home.root / FILE
    for make in (
        file.mkdir,
        partial(file.symlink_to, home.root / "nowhere.toml"),
        partial(file.symlink_to, file),
        partial(file.write_bytes, b"\xff"),
    ):
        make()
        app = open_as("runs", ADA, rules=None)
        assert keys(app) == set()
        assert len(app.error) == 1
        assert not app.dataframe
        assert not looks
        file.rmdir() if file.is_dir() else file.unlink()


def test_the_provider_alone_says_who_is_signed_in(open_as: Open) -> None:
    assert keys(open_as("runs", ADA | {"is_logged_in": "no"})) == {"access_sign_in"}


def test_signing_in_that_is_not_set_up_is_explained(open_as: Open) -> None:
    app = open_as("runs", {})
    app.button(key="access_sign_in").click().run()
    assert not app.exception
    assert "Signing in is not set up" in said(app)


@pytest.mark.parametrize(
    ("access", "person", "may_run", "may_read"),
    [
        (Access("email", ("ada@lab.example",), None), ADA, True, True),
        (Access("email", ("ada@lab.example",), None), EVE, False, True),
        (Access("email", ("ada@lab.example",), ()), EVE, False, False),
        # An address that the provider has not verified may be another's.
        *(
            (
                Access("email", ("ada@lab.example",), ()),
                ADA | {"email_verified": said},
                False,
                False,
            )
            for said in (False, "false", "true", 0, 1, None)
        ),
        (Access("email", ("ada@lab.example",), ()), {"email": "ada@lab.example"}, False, False),
        # Not every address that ends so is of that place.
        (
            Access("email", (), ("*@lab.example",)),
            ADA | {"email": "x@sublab.example"},
            False,
            False,
        ),
        (Access("groups", ("judges",), ("all",)), {"groups": ["all", "judges"]}, True, True),
        (Access("groups", ("judges",), ("all",)), {"groups": "all"}, False, True),
        (Access("groups", ("judges",), ("None",)), {"groups": None}, False, False),
    ],
)
def test_lists_are_compared_with_the_claim(
    access: Access, person: dict[str, Any], may_run: bool, may_read: bool
) -> None:
    assert (access.may_run(person), access.may_read(person)) == (may_run, may_read)
