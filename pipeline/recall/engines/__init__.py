"""The rankers of the engines that banks come from: yotta-memory and Memora."""
