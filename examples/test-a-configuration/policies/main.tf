variable "audit" { type = any }

output "findings" {
  value = [
    for id, a in var.audit.agents :
    { level = "warning", rule = "risk", id = id, message = "The risk score is ${a.risk_score}." }
    if coalesce(a.risk_score, 0) > 10
  ]
}
