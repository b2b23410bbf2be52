"""The screens of the workbench, one file and one stylesheet each."""
