"""A worker of the campaign: reads its orders from the environment and ends with its bystander."""

import json
import os
import select
import sys
from pathlib import Path

from proof.processes.batch import Order
from proof.processes.campaign import work


def main() -> None:
    orders = [Order(**fields) for fields in json.loads(os.environ.pop("PROOF_ORDERS"))]
    work(orders, Path(sys.argv[1]), goes_on=lambda: not select.select([0], [], [], 0)[0])


main()
