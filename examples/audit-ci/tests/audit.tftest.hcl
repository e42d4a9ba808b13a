# With -junit-xml, the findings become a test report. Warnings fail the test, too.

run "the_workspace_complies_with_all_rules" {
  command = plan
}
