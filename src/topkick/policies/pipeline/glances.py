"""Choose what to read: the session file, the bus, and the artifacts that answers name."""

from collections.abc import Iterator

from topkick.core.files import Glance
from topkick.core.mission import Mission
from topkick.policies.pipeline import notes
from topkick.policies.pipeline.prompts import below

MESSAGES_READ = 30
LONGEST_REF = 300


def session_path(mission: Mission) -> str:
    assert mission.plan is not None
    return mission.plan.file


def glance(mission: Mission, *more: str) -> Glance:
    answers = notes.answers(mission).values()
    places = tuple(place for each in answers for place in places_of(mission, each.ref))
    patterns = tuple(f"{place}/*" for place in places)
    return Glance((session_path(mission), *places, *more), (), (), patterns, MESSAGES_READ)


def places_of(mission: Mission, ref: str) -> tuple[str, ...]:
    """Return paths from the session directory, else from the project's root; never outside of
    it.
    """
    return tuple(_places(mission, ref))


def _places(mission: Mission, ref: str) -> Iterator[str]:
    directory = session_path(mission).rpartition("/")[0]
    root = notes.settings_of(mission).root
    path = ref.strip().removeprefix("./").rstrip("/")
    path = path.removeprefix(f"{root}/") if root else path
    strange = ".." in path.split("/") or set(path) & set("*?[\n") or len(path) > LONGEST_REF
    if path and not strange and not path.startswith("/"):
        yield below(directory, path)
        if directory:
            yield path
