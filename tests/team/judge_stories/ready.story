# ready

woke 1

start
    mission m1 begins, policy checkpoint
    stance working: started by a person
    note hello = due
    note hello = listing
    note purpose = hello
    look at team-session.json session.json .msg/meta.json
    wants m1-look-1 ReadFiles

read team-session.json
    note purpose = wake
    note remembered: 0 fields
    note hello after = 0
    note hello = saying
    note purpose = hello
    say message, after 0: [supervisor] Resident supervisor ready. Baseline loaded for session night. Awaiting checkpoint assignments.
    wants m1-post-1 PostMessages

said as 1
    note purpose = wake
    note hello = said
    log /night Ready: awaiting checkpoints
    listen for supervisor after 0
    wants m1-hear-supervisor-0 HearBus
