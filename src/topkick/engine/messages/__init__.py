"""Everything that can happen, as closed unions: commands, facts, events, questions, orders.

Facts come from the world and events from the kernel's decisions; both are journaled and folded. The
kernel asks a policy questions; orders say what should be running now. The rest of the program
imports all of them under this one name.
"""

from topkick.engine.messages.commands import *
from topkick.engine.messages.events import *
from topkick.engine.messages.events import Event
from topkick.engine.messages.facts import *
from topkick.engine.messages.facts import Fact
from topkick.engine.messages.orders import *
from topkick.engine.messages.questions import *

Happening = Fact | Event
