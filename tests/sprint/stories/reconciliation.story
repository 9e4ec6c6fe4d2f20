# Needs that progress files list are noted, told on, and reconciled when all are done (RP-05, RP-06).
plan: Parser 1 2
plan: Reader 1 2 after Parser
plan: Writer 1

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit Parser: NOT_STARTED -> RUNNING (start)
    unit Writer: NOT_STARTED -> RUNNING (start)
    run m-1 opens for Parser/1, surveying
    run m-2 opens for Writer/1, surveying
    wants m-1.survey.0 SurveyGround, m-2.survey.0 SurveyGround; running

survey Parser
    run m-1 dispatched: scripted mid, attempt 1
    sprint Parser/1: PENDING -> DISPATCHED (dispatched)
    log Parser/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 1, ambiguity 3, foundation 2, risk 0, type 0): sonnet
    wants m-1 RunAgent, m-2.survey.0 SurveyGround; running

exit Parser 0
    wants m-1.check.0 CheckWork, m-2.survey.0 SurveyGround; running

# nobody is stopped; what Reader may import comes later

check Parser commit noted=Parser:the_Ink_of_Writer,Parser:something_unheard_of defines=Parser:BoundingBox
    judged Parser/1 SUCCESS, newly met, checked
    sprint Parser/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    need 1 of Parser of Writer: the Ink of Writer; reconciliation
    log Parser/ Cross-unit need: the Ink of Writer: kept for the reconciliation
    need 2 of Parser of nobody known: something unheard of; reconciliation
    log Parser/ Cross-unit need: something unheard of: kept for the reconciliation
    unit Parser defines BoundingBox
    run m-3 opens for Parser/2, surveying
    wants m-2.survey.0 SurveyGround, m-3.survey.0 SurveyGround; running

survey Writer
    run m-2 dispatched: scripted mid, attempt 1
    sprint Writer/1: PENDING -> DISPATCHED (dispatched)
    log Writer/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent, m-3.survey.0 SurveyGround; running

exit Writer 0
    wants m-2.check.0 CheckWork, m-3.survey.0 SurveyGround; running

check Writer commit noted=Writer: defines=Writer:BoundingBox,Writer:InkWell
    judged Writer/1 SUCCESS, newly met, checked
    sprint Writer/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit Writer defines BoundingBox, InkWell
    need 3 of Writer of Parser: BoundingBox is defined by Parser and by Writer; reconciliation
    log Writer/ Two definitions: BoundingBox is defined by Parser and by Writer; no unit is stopped for it
    unit Writer: RUNNING -> COMPLETED (finished)
    wants m-3.survey.0 SurveyGround; running

survey Parser
    run m-3 dispatched: scripted mid, attempt 1
    sprint Parser/2: PENDING -> DISPATCHED (dispatched)
    log Parser/2 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 1, ambiguity 3, foundation 2, risk 0, type 0): sonnet
    wants m-3 RunAgent; running

exit Parser 0
    wants m-3.check.0 CheckWork; running

check Parser commit noted=Parser:the_Ink_of_Writer defines=Parser:BoundingBox
    judged Parser/2 SUCCESS, newly met, checked
    sprint Parser/2: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    need 2 resolved: its progress file no longer lists it
    unit Parser: RUNNING -> COMPLETED (finished)
    unit Reader: NOT_STARTED -> RUNNING (start)
    run m-4 opens for Reader/1, surveying
    wants m-4.survey.0 SurveyGround; running

survey Reader
    run m-4 dispatched: scripted mid, attempt 1
    sprint Reader/1: PENDING -> DISPATCHED (dispatched)
    log Reader/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running

exit Reader 0
    wants m-4.check.0 CheckWork; running

# the plan lets it use what it waits for: its next order says so

check Reader commit noted=Reader:the_Token_of_Parser
    judged Reader/1 SUCCESS, newly met, checked
    sprint Reader/1: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    need 4 of Reader of Parser: the Token of Parser; import
    log Reader/ Cross-unit need: the Token of Parser: the plan lets it import Parser, which its next order says
    run m-5 opens for Reader/2, surveying
    wants m-5.survey.0 SurveyGround; running

survey Reader
    run m-5 dispatched: scripted mid, attempt 1
    sprint Reader/2: PENDING -> DISPATCHED (dispatched)
    log Reader/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-5 RunAgent; running

exit Reader 0
    wants m-5.check.0 CheckWork; running

# it took the line off its list; the others are still open when all are done: a pass begins

check Reader commit noted=Reader:
    judged Reader/2 SUCCESS, newly met, checked
    sprint Reader/2: DISPATCHED -> COMPLETED (succeeded)
    run m-5 closed: completed
    need 4 resolved: its progress file no longer lists it
    unit Reader: RUNNING -> COMPLETED (finished)
    unit Reconciliation 1 added: 1 Reconcile Parser; 2 Reconcile BoundingBox
    log Reconciliation 1/ Reconciliation begins: 2 needs are open between the units
    unit Reconciliation 1: NOT_STARTED -> RUNNING (start)
    run m-6 opens for Reconciliation 1/1, surveying
    wants m-6.survey.0 SurveyGround; running

survey Reconciliation␣1
    run m-6 dispatched: scripted mid, attempt 1
    sprint Reconciliation 1/1: PENDING -> DISPATCHED (dispatched)
    log Reconciliation 1/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 3, ambiguity 0, foundation 0, risk 3, type 0): sonnet
    wants m-6 RunAgent; running

exit Reconciliation␣1 0
    wants m-6.check.0 CheckWork; running

check Reconciliation␣1 commit noted=Parser:,Parser:the_Pen_of_Writer,Writer:,Reader: defines=Parser:BoundingBox,Writer:BoundingBox,Writer:InkWell
    judged Reconciliation 1/1 SUCCESS, newly met, checked
    sprint Reconciliation 1/1: DISPATCHED -> COMPLETED (succeeded)
    run m-6 closed: completed
    need 1 resolved: its progress file no longer lists it
    need 5 of Parser of Writer: the Pen of Writer; reconciliation
    log Parser/ Cross-unit need: the Pen of Writer: kept for the reconciliation
    run m-7 opens for Reconciliation 1/2, surveying
    wants m-7.survey.0 SurveyGround; running

survey Reconciliation␣1
    run m-7 dispatched: scripted mid, attempt 1
    sprint Reconciliation 1/2: PENDING -> DISPATCHED (dispatched)
    log Reconciliation 1/2 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 3, ambiguity 0, foundation 0, risk 3, type 0): sonnet
    wants m-7 RunAgent; running

exit Reconciliation␣1 0
    wants m-7.check.0 CheckWork; running

check Reconciliation␣1 commit noted=Parser:the_Pen_of_Writer,Writer:,Reader: defines=Parser:BoundingBox,Writer:InkWell
    judged Reconciliation 1/2 SUCCESS, newly met, checked
    sprint Reconciliation 1/2: DISPATCHED -> COMPLETED (succeeded)
    run m-7 closed: completed
    unit Writer defines InkWell
    need 3 resolved: Writer does not define it any more
    unit Reconciliation 1: RUNNING -> COMPLETED (finished)
    unit Reconciliation 2 added: 1 Reconcile Parser
    log Reconciliation 2/ Reconciliation begins: 1 needs are open between the units
    unit Reconciliation 2: NOT_STARTED -> RUNNING (start)
    run m-8 opens for Reconciliation 2/1, surveying
    wants m-8.survey.0 SurveyGround; running

# what came up meanwhile is a second pass

survey Reconciliation␣2
    run m-8 dispatched: scripted mid, attempt 1
    sprint Reconciliation 2/1: PENDING -> DISPATCHED (dispatched)
    log Reconciliation 2/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 3, ambiguity 0, foundation 0, risk 3, type 0): sonnet
    wants m-8 RunAgent; running

exit Reconciliation␣2 0
    wants m-8.check.0 CheckWork; running

check Reconciliation␣2 commit noted=Parser:the_Pen_of_Writer,Writer:,Reader: defines=Parser:BoundingBox,Writer:InkWell
    judged Reconciliation 2/1 SUCCESS, newly met, checked
    sprint Reconciliation 2/1: DISPATCHED -> COMPLETED (succeeded)
    run m-8 closed: completed
    unit Reconciliation 2: RUNNING -> COMPLETED (finished)
    reconciliation ended: Reconciliation 2 resolved none of its 1 needs
    log / Reconciliation ended: Reconciliation 2 resolved none of its 1 needs
    wants nothing; completed

# which brought nothing: no third
