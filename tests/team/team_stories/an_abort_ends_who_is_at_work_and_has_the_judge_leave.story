log supervisor: Judge started: the first of this session
judge starts
RESEARCH-001: pending -> in_progress
asks analyst for RESEARCH-001
log session: Aborted: ann: no
wisdom: - 2026-05-28T20:26:47Z [coordinator] the session was aborted by ann, because: no
session: active -> aborted
RESEARCH-001: in_progress -> pending
bus: coordinator -> supervisor (shutdown_request) Shutdown request
bus: supervisor -> coordinator (shutdown_response) [supervisor] Shutdown approved
