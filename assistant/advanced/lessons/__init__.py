"""Lessons from which a host learns to write kernels: tasks in a person's words, each with one
program in one style, put together from the pieces of prompts/lessons."""
