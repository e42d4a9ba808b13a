data "convo_workspace" "this" {
  workspace_id = "larkspur"
}

output "plan" {
  value = "${data.convo_workspace.this.name} is on the ${data.convo_workspace.this.plan} plan."
}
