import type { Book } from './book.ts';
import { setCell, type LiveClient } from './live-client.ts';

/** Sequences that a client was told of, in the order of the frames. */
export function deliveries(client: LiveClient): [number, number][] {
  return client.messages.flatMap((message): [number, number][] => {
    const { kind, status, firstSeq, lastSeq } = message;
    const isStream = kind === 'op_applied' || (kind === 'ack' && status !== 'duplicate');
    return isStream && typeof firstSeq === 'number' ? [[firstSeq, lastSeq as number]] : [];
  });
}

/** Returns the first gap in the delivered operations; undefined if there is none. */
export function holeIn(client: LiveClient, start: number): number | undefined {
  let last = start;
  for (const [firstSeq, lastSeq] of deliveries(client)) {
    if (firstSeq !== last + 1) return firstSeq;
    last = lastSeq;
  }
  return undefined;
}

/** Writes cells by a request; returns the head. */
export async function fill(book: Book, count: number): Promise<number> {
  const ops = Array.from({ length: count }, (_, at) => setCell(`B${at + 1}`, at));
  const { json } = await book.ask('/branches/main/ops', { body: { ops, writer: 'rest' } });
  return (json as { head: number }).head;
}
