type Members = Readonly<Record<string, unknown>>;

/** Returns the merge patch (RFC 7396) that does what two do, one after the other. */
export function combinedPatch(first: Members, second: Members): Members {
  const combined: Record<string, unknown> = { ...first };
  for (const [name, member] of Object.entries(second)) {
    const before = first[name];
    combined[name] =
      isMembers(before) && isMembers(member) ? combinedPatch(before, member) : member;
  }
  return combined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
