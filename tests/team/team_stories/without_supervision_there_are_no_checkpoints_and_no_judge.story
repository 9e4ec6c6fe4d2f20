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
DRAFT-003: pending -> in_progress
asks architect for DRAFT-003
bus: architect -> coordinator (state_update) [architect] State of DRAFT-003
DRAFT-003: in_progress -> completed
DRAFT-004: pending -> in_progress
asks writer for DRAFT-004
bus: writer -> coordinator (state_update) [writer] State of DRAFT-004
DRAFT-004: in_progress -> completed
QUALITY-001: pending -> in_progress
asks quality for QUALITY-001
bus: quality -> coordinator (state_update) [quality] State of QUALITY-001
QUALITY-001: in_progress -> completed
session: active -> completed
done: 6 tasks completed
