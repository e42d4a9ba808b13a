# The import id is the id of the session.
terraform import convo_session_agent.example ses_workshop_open
