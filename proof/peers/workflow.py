"""A DBOS program: one workflow for each job, whose only step runs the job's process.

`python workflow.py DATABASE AGENT WITNESS PROJECT JOB...`, with the interpreter of the peers.
"""

import os
import subprocess
import sys

from dbos import DBOS, SetWorkflowID

DATABASE, AGENT, WITNESS, PROJECT, *JOBS = sys.argv[1:]
DBOS(
    config={
        "name": "jobs",
        "system_database_url": f"sqlite:///{DATABASE}",
        "run_admin_server": False,
        "log_level": "ERROR",
    }
)


@DBOS.step()
def run_process(job: str) -> int:
    words = [sys.executable, "-I", "-S", AGENT, WITNESS, PROJECT, job]
    env = {**os.environ, "TOPKICK_UNIT": job, "TOPKICK_SPRINT": "1"}
    return subprocess.run(words, env=env, check=False).returncode


@DBOS.workflow()
def do(job: str) -> int:
    return run_process(job)


def main() -> int:
    DBOS.launch()
    handles = []
    for job in JOBS:
        with SetWorkflowID(job):
            handles.append(DBOS.start_workflow(do, job))
    codes = [handle.get_result() for handle in handles]
    DBOS.destroy()
    return max(codes)


sys.exit(main())
