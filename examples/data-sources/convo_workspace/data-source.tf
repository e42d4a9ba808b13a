data "convo_workspace" "this" {
  workspace_id = "larkspur" # the slug; the id works too
}

output "plan" {
  value = "${data.convo_workspace.this.name} is on the plan ${data.convo_workspace.this.plan}."
}
