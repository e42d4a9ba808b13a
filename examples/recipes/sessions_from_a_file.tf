data "convo_agent" "returns" {
  agent_id = "agt_returns"
}

resource "convo_session_agent" "open" {
  for_each   = toset(compact([for line in split("\n", file("sessions.txt")) : trimspace(line)]))
  session_id = each.key

  triggers = {
    revision = data.convo_agent.returns.ref.revision
  }
}
