"""Remote operations, carried out by a process of their own."""

from pathlib import Path

from topkick.core.errands import Propose, Share, Upshot
from topkick.outside.ground.looks import Trip
from topkick.outside.ground.truth_files import TruthFiles
from topkick.outside.trees.proposing import propose
from topkick.outside.trees.remotes import Store, alone, find_remote
from topkick.outside.trees.sharing import Sharing
from topkick.outside.trees.signed import Signed


def go(trip: Trip) -> Upshot:
    root, store = Path(trip.root), Path(trip.store)
    match trip.errand:
        case Share() as share:
            remote = find_remote(root, share.where)
            with alone(store / "share.git"):
                known = Store(store / "share.git", remote, Signed(trip.name, trip.email))
                return Sharing(trip.id, share, trip.texts, TruthFiles(root), known).run()
        case Propose() as proposal:
            with alone(store / "propose.git"):
                return propose(proposal, root, store / "propose.git")
