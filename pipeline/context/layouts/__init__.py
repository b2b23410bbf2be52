"""How a pack is laid out: sections, order, limits, unit and words; one file a layout, its parts beside it."""
