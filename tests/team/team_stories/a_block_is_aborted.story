log supervisor: Judge started: the first of this session
judge starts
RESEARCH-001: pending -> in_progress
asks analyst for RESEARCH-001
bus: analyst -> coordinator (state_update) [analyst] State of RESEARCH-001
RESEARCH-001: in_progress -> completed
DRAFT-001: pending -> in_progress
asks writer for DRAFT-001
bus: writer -> coordinator (state_update) [writer] State of DRAFT-001
DRAFT-001: in_progress -> completed
DRAFT-002: pending -> in_progress
asks writer for DRAFT-002
bus: writer -> coordinator (state_update) [writer] State of DRAFT-002
DRAFT-002: in_progress -> completed
bus: coordinator -> supervisor (checkpoint_request) Checkpoint request: CHECKPOINT-001
bus: supervisor -> coordinator (progress) [supervisor] Claimed CHECKPOINT-001
bus: supervisor -> coordinator (task_complete) [supervisor] Completed CHECKPOINT-001
bus: supervisor -> coordinator (state_update) [supervisor] State of CHECKPOINT-001
bus: supervisor -> coordinator (supervision_report) [supervisor] CHECKPOINT-001: block
CHECKPOINT-001: pending -> in_progress
CHECKPOINT-001: in_progress -> blocked
log CHECKPOINT-001: Verdict block: score 0.40; artifacts/CHECKPOINT-001-report.md
for a person: CHECKPOINT-001 blocks (score 0.40): goal 3 has no requirement. Report: team/notes/artifacts/CHECKPOINT-001-report.md
    topkick checkpoint override team/notes CHECKPOINT-001 --why "..."
    topkick checkpoint revise team/notes CHECKPOINT-001 --task DRAFT-002 --why "..."
    topkick checkpoint abort team/notes --why "..."
log session: Aborted: ann: nobody wants it
wisdom: - 2026-05-28T20:27:20Z [coordinator] the session was aborted by ann, because: nobody wants it
session: active -> aborted
for a person: the session was aborted by ann, because: nobody wants it
for a person: the session was aborted by ann, because: nobody wants it
