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
judge dies
log supervisor: Judge ended: it exited with 1 without a request
log supervisor: Judge started: with --recovery
judge starts --recovery
judge dies
log supervisor: Judge ended: it exited with 1 without a request
log supervisor: Judge started: with --recovery
judge starts --recovery
judge dies
log supervisor: Judge ended: it exited with 1 without a request
log supervisor: Judge started: with --recovery
judge starts --recovery
bus: supervisor -> coordinator (progress) [supervisor] Claimed CHECKPOINT-001
bus: supervisor -> coordinator (task_complete) [supervisor] Completed CHECKPOINT-001
bus: supervisor -> coordinator (state_update) [supervisor] State of CHECKPOINT-001
bus: supervisor -> coordinator (supervision_report) [supervisor] CHECKPOINT-001: pass
CHECKPOINT-001: pending -> completed
log CHECKPOINT-001: Verdict pass: score 0.90; artifacts/CHECKPOINT-001-report.md
DRAFT-003: pending -> in_progress
asks architect for DRAFT-003
bus: architect -> coordinator (state_update) [architect] State of DRAFT-003
DRAFT-003: in_progress -> completed
DRAFT-004: pending -> in_progress
asks writer for DRAFT-004
bus: writer -> coordinator (state_update) [writer] State of DRAFT-004
DRAFT-004: in_progress -> completed
bus: coordinator -> supervisor (checkpoint_request) Checkpoint request: CHECKPOINT-002
bus: supervisor -> coordinator (progress) [supervisor] Claimed CHECKPOINT-002
bus: supervisor -> coordinator (task_complete) [supervisor] Completed CHECKPOINT-002
bus: supervisor -> coordinator (state_update) [supervisor] State of CHECKPOINT-002
bus: supervisor -> coordinator (supervision_report) [supervisor] CHECKPOINT-002: pass
CHECKPOINT-002: pending -> in_progress
CHECKPOINT-002: in_progress -> completed
log CHECKPOINT-002: Verdict pass: score 0.90; artifacts/CHECKPOINT-002-report.md
QUALITY-001: pending -> in_progress
asks quality for QUALITY-001
bus: quality -> coordinator (state_update) [quality] State of QUALITY-001
QUALITY-001: in_progress -> completed
bus: coordinator -> supervisor (shutdown_request) Shutdown request
bus: supervisor -> coordinator (shutdown_response) [supervisor] Shutdown approved
session: active -> completed
done: 8 tasks completed; checkpoints: 2 pass, 0 warn, 0 block
