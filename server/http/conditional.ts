/** The tags of If-Match or If-None-Match without quotes; `*` stands for any. */
export function readTags(header: string | undefined): string[] {
  if (header === undefined) return [];
  return header.split(',').map((part) => part.trim().replace(/^W\//, '').replaceAll('"', ''));
}

/** If-None-Match compares weakly: a packed copy of the same state is the same. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const tags = readTags(header);
  return tags.includes(tag) || tags.includes('*');
}
