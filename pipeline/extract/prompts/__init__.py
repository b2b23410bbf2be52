"""What a language model is told at each stage, as text files, and how an answer is asked for and unpacked."""
