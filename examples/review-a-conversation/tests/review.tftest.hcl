# A failed check fails this run, because the run does not list it in expect_failures.
# With -var before=CHECKOUT, only errors and new findings fail the check.
run "definitions_have_no_new_findings" {
  command = plan
}

# The check finds a link to a missing node, an unreachable node, and an unused
# variable.
run "mistakes_are_found" {
  command = plan

  variables {
    directory = "tests/broken"
    before    = null
  }

  expect_failures = [check.conversations]

  assert {
    condition = output.findings[*].kind == tolist([
      "dangling_link", "unreachable_node", "unused_variable",
    ])
    error_message = "Three kinds of findings should be reported."
  }
}
