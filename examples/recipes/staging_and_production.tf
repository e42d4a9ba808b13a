locals {
  names = ["Order status", "Returns & refunds"]
}

data "convo_agent" "staging" {
  for_each                = toset(local.names)
  provider                = convo.staging
  name                    = each.key
  include_definition_json = true
}

data "convo_agent" "production" {
  for_each                = toset(local.names)
  name                    = each.key
  include_definition_json = true
}

# "added" means only in staging, and "removed" means only in production.
output "differences" {
  value = {
    for name in local.names : name => [
      for c in provider::convo::definition_diff(
        data.convo_agent.staging[name].definition_json,
        data.convo_agent.production[name].definition_json
      ) : trimspace("${c.change} ${c.part} ${c.title} ${c.path}")
      if !c.is_layout && !contains(["field", "annotation"], c.part)
    ]
  }
}
