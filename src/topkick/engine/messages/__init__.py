"""Everything that can happen, as closed unions: commands, facts, events, orders.

Facts come from the world and events from the kernel's decisions; both are journaled and folded.
Orders say what should be running now. The program imports all of them under this one name; only the
kernel and policies import `questions`, which the kernel asks a policy. `CODEC` writes and reads the
journal's records, `COMMANDS` the commands in its queue.
"""

from topkick.engine.codec.codec import Codec
from topkick.engine.messages.commands import *
from topkick.engine.messages.commands import Command
from topkick.engine.messages.events import *
from topkick.engine.messages.events import Event
from topkick.engine.messages.facts import *
from topkick.engine.messages.facts import Fact
from topkick.engine.messages.orders import *

Happening = Fact | Event
CODEC = Codec(Happening)
COMMANDS = Codec(Command)
