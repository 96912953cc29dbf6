import { Failure } from '../model/failure.ts';
import type { Incoming } from './incoming.ts';
import type { Reply } from './route.ts';

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

/**
 * Returns the refusal of a read whose If-Match names none of the states that are there. It compares
 * strongly, but for the number of a branch, which writes may leave out as well.
 */
export function unmet(reply: Reply, { method, headers }: Incoming): Failure | undefined {
  const header = headers.get('if-match');
  const isRead = method === 'GET' || method === 'HEAD';
  if (header === undefined || !isRead || (reply.status ?? 200) !== 200) return undefined;
  const { etag } = reply;
  const isMet = header.split(',').some((part) => {
    const tag = part.trim();
    return tag === '*' || tag === `"${etag}"` || etag?.startsWith(`${tag.slice(1, -1)}:`) === true;
  });
  if (isMet) return undefined;
  const found = etag === undefined ? 'has no ETag' : `is "${etag}"`;
  return new Failure('headMoved', {
    detail: `What was asked for ${found}, and If-Match says ${header}.`,
    hint: 'GET it without If-Match, or name a position, such as ref=main@42.',
  });
}
