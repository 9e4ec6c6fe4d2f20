log supervisor: Judge started: the first of this session
judge finds another one at work
log supervisor: Judge ended: it exited with 4 without a request
bus: coordinator -> supervisor (shutdown_request) Shutdown request
bus: supervisor -> coordinator (shutdown_response) [supervisor] Shutdown approved
log supervisor: Judge started: with --recovery
judge starts --recovery
PLAN-001: pending -> in_progress
asks planner for PLAN-001
bus: planner -> coordinator (state_update) [planner] State of PLAN-001
PLAN-001: in_progress -> completed
bus: coordinator -> supervisor (checkpoint_request) Checkpoint request: CHECKPOINT-003
bus: supervisor -> coordinator (progress) [supervisor] Claimed CHECKPOINT-003
bus: supervisor -> coordinator (task_complete) [supervisor] Completed CHECKPOINT-003
bus: supervisor -> coordinator (state_update) [supervisor] State of CHECKPOINT-003
bus: supervisor -> coordinator (supervision_report) [supervisor] CHECKPOINT-003: pass
CHECKPOINT-003: pending -> in_progress
CHECKPOINT-003: in_progress -> completed
log CHECKPOINT-003: Verdict pass: score 0.90; artifacts/CHECKPOINT-003-report.md
log PLAN-001: Topology single: 1 modules, 1 to implement
IMPL-001: pending -> in_progress
asks implementer for IMPL-001
bus: implementer -> coordinator (state_update) [implementer] State of IMPL-001
IMPL-001: in_progress -> completed
TEST-001: pending -> in_progress
REVIEW-001: pending -> in_progress
asks tester for TEST-001
asks reviewer for REVIEW-001
bus: tester -> coordinator (state_update) [tester] State of TEST-001
TEST-001: in_progress -> completed
bus: reviewer -> coordinator (state_update) [reviewer] State of REVIEW-001
REVIEW-001: in_progress -> completed
bus: coordinator -> supervisor (shutdown_request) Shutdown request
bus: supervisor -> coordinator (shutdown_response) [supervisor] Shutdown approved
session: active -> completed
done: 5 tasks completed; checkpoints: 1 pass, 0 warn, 0 block
