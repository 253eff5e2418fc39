"""Who may see the dashboard, and who may change anything from it, where people sign in.

`access.toml` in the home lists them: `run` and `read` hold e-mail addresses, which the provider has
to have verified, or values of another claim that `claim` names. Without the file no sign-in is
needed; a file that cannot be read admits nobody. It is read for every page, so that removing a name
takes effect at once.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAuthError

from dashboard.core.labels import code_span
from warehouse.home import find_home
from warehouse.serving import is_read_only as is_served_read_only

FILE = "access.toml"
_EMAIL = "email"
_KEYS = {"claim", "run", "read"}


class BadAccess(Exception):
    """The file of who may do what is not what it should be; the message says why."""


@dataclass(frozen=True)
class Access:
    """Who may do what.

    Attributes:
        claim: What the sign-in says of a person that is compared with the lists.
        run: Who may start runs, hand in and change things.
        read: Who else may read; None for whoever can sign in.
    """

    claim: str
    run: tuple[str, ...]
    read: tuple[str, ...] | None

    def may_run(self, person: Mapping[str, Any]) -> bool:
        """Whether a person may start runs, hand in and change things."""
        return self._is_listed(person, self.run)

    def may_read(self, person: Mapping[str, Any]) -> bool:
        """Whether a person may see the dashboard."""
        return self.read is None or self.may_run(person) or self._is_listed(person, self.read)

    def _is_listed(self, person: Mapping[str, Any], listed: tuple[str, ...]) -> bool:
        # Some providers let people state an address that is not theirs.
        if self.claim == _EMAIL and person.get("email_verified") is not True:
            return False
        said = person.get(self.claim)
        values = {
            each.casefold()
            for each in (said if isinstance(said, list) else [said])
            if isinstance(each, str)
        }
        return any(
            value == one.casefold() or (one.startswith("*@") and value.endswith(one[1:].casefold()))
            for one in listed
            for value in values
        )


def read_access() -> Access | None:
    """Return who may do what; None where nobody is asked.

    Raises:
        BadAccess: The file cannot be read or holds something else.
    """
    path = find_home().root / FILE
    try:
        # A link to nothing is a file that cannot be read, not one that is absent.
        path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadAccess(f"{path} cannot be read: {error}") from error
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadAccess(f"{path} cannot be read: {error}") from error
    if unknown := sorted(set(found) - _KEYS):
        raise BadAccess(f"{path} has {', '.join(unknown)}; it may have {', '.join(sorted(_KEYS))}")
    claim, run, read = found.get("claim", _EMAIL), found.get("run", []), found.get("read")
    if not isinstance(claim, str) or not _is_list(run) or not (read is None or _is_list(read)):
        raise BadAccess(f"{path}: claim is a text, run and read are lists of texts")
    return Access(claim, tuple(run), None if read is None else tuple(read))


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def is_read_only() -> bool:
    """Whether this reader may start, hand in or change nothing."""
    if is_served_read_only():
        return True
    access = read_access()
    return access is not None and not access.may_run(st.user.to_dict())


def is_admitted() -> bool:
    """Whether this reader may see anything."""
    try:
        access = read_access()
    except BadAccess:
        return False
    person = st.user.to_dict()
    return access is None or (person.get("is_logged_in") is True and access.may_read(person))


def show_entrance() -> None:
    """Tell a reader who is not admitted why, or offer to sign in."""
    try:
        read_access()
    except BadAccess as error:
        st.error("Nobody is let in, as it is not clear who may be:")
        st.code(str(error), language=None, wrap_lines=True)
        return
    person = st.user.to_dict()
    st.header("Rostrum")
    if person.get("is_logged_in") is True:
        st.markdown(f"You are signed in as {_name(person)}, who may not read this dashboard.")
        _offer_sign_out()
    else:
        st.markdown("Sign in to read this dashboard.")
        if st.button("Sign in", type="primary", key="access_sign_in"):
            _sign_in()


def show_reader() -> None:
    """Say who is signed in, and offer to sign out; draw nothing where nobody is asked."""
    person = st.user.to_dict()
    if read_access() is not None:
        may = "may read" if is_read_only() else "may run"
        st.caption(f"Signed in as {_name(person)}, who {may}.")
        _offer_sign_out()


def _name(person: Mapping[str, Any]) -> str:
    return code_span(str(person.get(_EMAIL) or person.get("name") or person.get("sub")))


def _offer_sign_out() -> None:
    if st.button("Sign out", key="access_sign_out"):
        st.logout()


def _sign_in() -> None:
    try:
        st.login()
    except StreamlitAuthError as error:
        st.error("Signing in is not set up (see docs/scale.md):")
        st.code(str(error), language=None, wrap_lines=True)
