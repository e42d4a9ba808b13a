ephemeral "convo_agents" "all" {}
