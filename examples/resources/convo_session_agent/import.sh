# The import ID is the ID of the chat session.
terraform import convo_session_agent.example ses_workshop_open
