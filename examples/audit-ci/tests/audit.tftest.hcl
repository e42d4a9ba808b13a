# With -junit-xml, the findings become a test report. Warnings also fail the test.

run "the_workspace_complies_with_all_rules" {
  command = plan
}
