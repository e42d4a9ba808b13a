# Retrieves values of each type. The files beside this one mock them.

terraform {
  required_version = ">= 1.10"
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

data "convo_workspace" "this" {
  workspace_id = "any"
}

data "convo_members" "this" {
  workspace_id = "any"
}

data "convo_agent" "this" {
  agent_id = "any"
}

data "convo_workspace_audit" "this" {
  workspace_id = "any"
}
