"""What can happen, as closed unions: commands, facts, events, questions, orders.

Facts come from the world and events from our own decisions; both are journaled and folded.
Questions go from the kernel to a policy; orders say what should be running now. The rest of the
program knows all of them by this one name.
"""

from topkick.core.happenings.commands import *
from topkick.core.happenings.events import *
from topkick.core.happenings.events import Event
from topkick.core.happenings.facts import *
from topkick.core.happenings.facts import Fact
from topkick.core.happenings.orders import *
from topkick.core.happenings.questions import *

Happening = Fact | Event
