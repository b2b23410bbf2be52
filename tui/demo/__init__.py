"""The demo: a bank worth looking at, a hook that evicts, proposals that wait, conversations to extract from."""
