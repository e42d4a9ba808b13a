# The run stops here while a payment is past due.
data "convo_workspace" "paid" {
  workspace_id = "larkspur"

  lifecycle {
    postcondition {
      condition     = !self.is_past_due
      error_message = "A payment of ${self.name} is past due."
    }
  }
}
