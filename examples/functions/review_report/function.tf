data "convo_agent" "returns" {
  agent_id                = "agt_returns"
  include_definition_json = true
}

# Without a file, the agent is new.
locals {
  file = "${path.module}/definitions/agt_returns.yaml"
  review = provider::convo::review_report(
    { agt_returns = data.convo_agent.returns.definition_json },
    { agt_returns = fileexists(local.file) ? file(local.file) : null },
  )
}

check "conversation" {
  assert {
    condition     = length(local.review.errors) == 0
    error_message = join("\n", local.review.errors)
  }
  assert {
    condition     = !anytrue(local.review.findings[*].is_new)
    error_message = join("\n", [for f in local.review.findings : f.message if f.is_new])
  }
}

output "report" {
  value = local.review.markdown
}
