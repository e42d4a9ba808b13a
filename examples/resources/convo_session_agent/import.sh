# The import ID is the chat session's ID.
terraform import convo_session_agent.example ses_workshop_open
