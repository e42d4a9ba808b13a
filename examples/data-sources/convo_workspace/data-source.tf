terraform {
  required_providers {
    convo = {
      source  = "convo/convo"
      version = "~> 0.1.0"
    }
  }
}

provider "convo" {}

data "convo_workspace" "this" {
  workspace_id = "larkspur"
}

output "plan" {
  value = "${data.convo_workspace.this.name} is on the ${data.convo_workspace.this.plan} plan."
}
