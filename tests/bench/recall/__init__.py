"""Recall against its neighbours: a generated bank, typed sessions, and questions with known answers."""
