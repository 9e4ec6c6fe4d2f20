"""Fold a policy's requests to the world, and the answers to them, into the mission."""

from topkick.core import happenings as h
from topkick.core.evolve import evolve
from topkick.core.mission import Mission


def observed(m: Mission, _f: h.FilesObserved, _: int) -> Mission:
    return evolve(m, looking=None)


def edited(m: Mission, _f: h.FilesEdited, _: int) -> Mission:
    return evolve(m, editing=())


def bus_heard(m: Mission, _f: h.BusHeard, _: int) -> Mission:
    return evolve(m, listening=None)


def posted(m: Mission, _f: h.MessagesPosted, _: int) -> Mission:
    return evolve(m, posting=())


def errand_done(m: Mission, _f: h.ErrandDone, _: int) -> Mission:
    return evolve(m, errand=None)


def look_asked(m: Mission, e: h.LookAsked, _: int) -> Mission:
    return evolve(m, looking=e.glance, looks=m.looks + 1)


def edits_asked(m: Mission, e: h.EditsAsked, _: int) -> Mission:
    return evolve(m, editing=e.edits, edits_asked=m.edits_asked + 1)


def listen_asked(m: Mission, e: h.ListenAsked, _: int) -> Mission:
    return evolve(m, listening=(e.name, e.after))


def post_asked(m: Mission, e: h.PostAsked, _: int) -> Mission:
    number = m.posts_asked + 1
    return evolve(m, posting=e.messages, posting_after=e.after, posts_asked=number)


def errand_asked(m: Mission, e: h.ErrandAsked, _: int) -> Mission:
    return evolve(m, errand=e.errand, errands_asked=m.errands_asked + 1)
