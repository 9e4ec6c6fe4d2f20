"""A run seen from outside: which person made a decision."""

import os
import pwd

import pytest

from topkick.app.run_view import who_am_i


def test_who_decided_has_a_name_where_the_environment_tells_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("USER", raising=False)
    monkeypatch.delenv("LOGNAME", raising=False)
    assert who_am_i() == pwd.getpwuid(os.getuid()).pw_name


def test_a_user_that_the_machine_does_not_know_is_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("USER", raising=False)
    monkeypatch.delenv("LOGNAME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 3_999_999_999)
    assert who_am_i() == "3999999999"
