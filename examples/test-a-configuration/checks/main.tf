variable "audit" { type = any }

output "findings" {
  value = [
    for id, agent in var.audit.agents :
    { level = "warning", rule = "risk", id = id, message = "The risk score is ${agent.risk_score}." }
    if coalesce(agent.risk_score, 0) > 10
  ]
}
