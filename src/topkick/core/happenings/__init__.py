"""Everything that can happen, as closed unions: commands, facts, events, questions, orders.

Facts come from the world and events from the kernel's decisions; both are journaled and folded. The
kernel asks a policy questions; orders say what should be running now. The rest of the program
imports all of them under this one name.
"""

from topkick.core.happenings.commands import *
from topkick.core.happenings.events import *
from topkick.core.happenings.events import Event
from topkick.core.happenings.facts import *
from topkick.core.happenings.facts import Fact
from topkick.core.happenings.orders import *
from topkick.core.happenings.questions import *

Happening = Fact | Event
