data "convo_workspace" "this" {
  workspace_id = "ws_larkspur01"

  lifecycle {
    postcondition {
      condition     = self.is_past_due == false
      error_message = "The workspace has a past-due payment, or the value is missing."
    }
    postcondition {
      condition     = self.is_suspended == false && self.is_quarantined == false
      error_message = "The workspace is suspended or quarantined, or the value is missing."
    }
  }
}
