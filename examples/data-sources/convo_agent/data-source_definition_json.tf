data "convo_agent" "kiosk" {
  agent_id                = "agt_kiosk"
  include_definition_json = true
}

output "definition" {
  value = jsondecode(data.convo_agent.kiosk.definition_json)
}
