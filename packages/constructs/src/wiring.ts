// The constructs of this entry.
