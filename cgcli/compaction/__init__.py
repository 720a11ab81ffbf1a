"""What is taken out, turn by turn: a policy's components over the tool outputs of a lane."""
