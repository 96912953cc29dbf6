import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Append, JournalStore } from './journal-store.ts';
import { pause } from './pace.ts';

/**
 * What became of an append. `overtaken`: it is durable, and others have written after it; `lost`:
 * it is not and never will be, because its place is taken or the branch takes nothing any more.
 */
export type AppendFate = 'written' | 'overtaken' | 'lost';

/** Waits between the tries, in milliseconds: PostgreSQL is back from a crash in 2 to 3 seconds. */
const waits = [20, 50, 100, 250, 500, 1_000, 1_000, 1_000];

/**
 * Appends until the outcome is known. An append that threw may still become durable later; sending
 * it again cannot write it twice, because both expect the same head.
 */
export async function appendSurely(
  append: Append,
  { store, environment }: { store: JournalStore; environment: Environment },
): Promise<AppendFate> {
  let isUnknown = false;
  for (let tryCount = 0; ; tryCount++) {
    try {
      const earlier = isUnknown ? await fateOf(append, store) : undefined;
      if (earlier) return earlier;
      await environment.checkpoint?.('append.begin');
      const isWritten = await store.append(append);
      await environment.checkpoint?.('append.written');
      if (isWritten) return 'written';
      return (isUnknown ? await fateOf(append, store) : undefined) ?? 'lost';
    } catch (cause) {
      isUnknown = true;
      const wait = waits[tryCount];
      if (wait === undefined) throw unknownOutcome(cause);
      await pause(environment, wait);
    }
  }
}

/** Looks for the append in the journal; undefined when its place is still free. */
async function fateOf(append: Append, store: JournalStore): Promise<AppendFate | undefined> {
  const { segments, expectedHead } = append;
  const [found] = await store.segments(append, expectedHead);
  if (!found) return undefined;
  const [first] = segments;
  if (found.firstSeq !== first?.firstSeq || !found.hash.equals(first.hash)) return 'lost';
  const branch = await store.branch(append);
  return branch?.head === segments.at(-1)?.lastSeq ? 'written' : 'overtaken';
}

function unknownOutcome(cause: unknown): Failure {
  return new Failure('unavailable', {
    detail: 'The database did not answer, so it is not known whether the operations were written.',
    hint: 'Send them again with the same ids: what was written is answered as duplicate.',
    headers: { 'Retry-After': '1' },
    cause,
  });
}
