import { z } from 'zod';

/** The member of a page that leads to the next one. */
export const nextSchema = z
  .string()
  .nullable()
  .describe('Path and query of the next page, which Link names too; null at the end');

/** Clients refuse an answer whose headers are longer than 16 KiB in all, as Node's does. */
const linkLengthMost = 4_096;

/** The header that names the next page, too; a long address is in the body alone. */
export function linkTo(next: string | null): Readonly<Record<string, string>> {
  if (next === null || next.length > linkLengthMost) return {};
  return { Link: `<${next}>; rel="next"` };
}

/** The next page of a list: this request with some members of its query changed. */
export function nextPage(
  { path, queryText }: { readonly path: string; readonly queryText: string },
  changes: Readonly<Record<string, string>> | null,
): { readonly next: string | null; readonly headers: Readonly<Record<string, string>> } {
  if (changes === null) return { next: null, headers: {} };
  const query = new URLSearchParams(queryText);
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  const next = `${path}?${query.toString()}`;
  return { next, headers: linkTo(next) };
}
