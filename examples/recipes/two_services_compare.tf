data "convo_agents" "staging" {
  provider = convo.staging
}

data "convo_agents" "production" {}

locals {
  required   = ["Order status"]
  staging    = { for a in data.convo_agents.staging.agents : a.name => a.id... if a.name != null && a.name != "" }
  production = { for a in data.convo_agents.production.agents : a.name => a.id... if a.name != null && a.name != "" }
  common     = setintersection(keys(local.staging), keys(local.production))
  missing    = setsubtract(local.required, local.common)
}

data "convo_agent" "staging" {
  for_each                = local.common
  provider                = convo.staging
  agent_id                = local.staging[each.key][0]
  include_definition_json = true
}

data "convo_agent" "production" {
  for_each                = local.common
  agent_id                = local.production[each.key][0]
  include_definition_json = true
}

# "added" means only in staging, and "removed" means only in production.
output "differences" {
  value = {
    for name in local.common : name => [
      for c in provider::convo::definition_diff(
        data.convo_agent.staging[name].definition_json,
        data.convo_agent.production[name].definition_json
      ) : trimspace("${c.change} ${c.part} ${c.title} ${c.path}") if !c.is_layout && !contains(["field", "annotation"], c.part)
    ]
  }

  precondition {
    condition     = length(local.missing) == 0
    error_message = "Missing in staging or production: ${join(", ", local.missing)}"
  }
}

output "only_in_staging" {
  value = setsubtract(keys(local.staging), local.common)
}

output "only_in_production" {
  value = setsubtract(keys(local.production), local.common)
}
