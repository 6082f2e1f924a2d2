"""What `assistant bench` measures: passes a second, programs, start-up, build, memory."""
