"""What is seen: the workbench and the commands."""
