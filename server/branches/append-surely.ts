import { pause, type Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { isRefusal, outageOf } from '../model/outage.ts';
import { within } from '../model/deadline.ts';
import type { Append, JournalStore } from './journal-store.ts';
import type { Refusal, RejectionStore } from './rejections/store.ts';

/**
 * The fate of an append. `overtaken`: it is durable, and others wrote after it; `lost`: it never
 * will be durable, because its place is taken or the branch refuses writes.
 */
export type AppendFate = 'written' | 'overtaken' | 'lost';

/** Milliseconds between attempts: PostgreSQL is back from a crash in 2 to 3 seconds. */
const waits = [20, 50, 100, 250, 500, 1_000, 1_000, 1_000, 1_000, 1_000];

interface AppendParts {
  readonly store: JournalStore;
  readonly environment: Environment;
}

/**
 * Appends until the outcome is known, or the senders can wait no longer. An append that threw may
 * still become durable; repeating it cannot write it twice, because both expect the same head. An
 * append that was only found in the journal counts once it is confirmed, as it may be on one disk
 * only. An error of PostgreSQL itself is a known outcome and is thrown.
 */
export async function appendSurely(
  append: Append,
  parts: AppendParts,
  milliseconds: number,
): Promise<AppendFate> {
  return surely((isRepeat) => tryOnce(append, parts, isRepeat), parts, milliseconds);
}

/**
 * Makes rejections durable; returns false if the branch moved on, possibly by an earlier attempt:
 * the caller then reads the branch again and finds them. /
 */
export async function rejectSurely(
  refusal: Refusal,
  parts: { readonly store: RejectionStore; readonly environment: Environment },
  milliseconds: number,
): Promise<boolean> {
  return surely(() => parts.store.reject(refusal), parts, milliseconds);
}

async function surely<Fate>(
  tryOnceMore: (isRepeat: boolean) => Promise<Fate>,
  { environment }: Pick<AppendParts, 'environment'>,
  milliseconds: number,
): Promise<Fate> {
  const progress = { isOver: false };
  try {
    return await within(tryUntilKnown(tryOnceMore, environment, progress), {
      environment,
      milliseconds,
      otherwise: () => unknownOutcome(undefined),
    });
  } finally {
    progress.isOver = true;
  }
}

async function tryUntilKnown<Fate>(
  tryOnceMore: (isRepeat: boolean) => Promise<Fate>,
  environment: Environment,
  progress: { readonly isOver: boolean },
): Promise<Fate> {
  let isUnknown = false;
  for (let tryCount = 0; ; tryCount++) {
    try {
      return await tryOnceMore(isUnknown);
    } catch (cause) {
      if (!isUnknown && isRefusal(cause)) throw refused(cause);
      isUnknown = true;
      const wait = waits[tryCount];
      if (wait === undefined || progress.isOver) throw unknownOutcome(cause);
      await pause(environment, wait);
    }
  }
}

async function tryOnce(
  append: Append,
  { store, environment }: AppendParts,
  isRepeat: boolean,
): Promise<AppendFate> {
  const earlier = isRepeat ? await fateOf(append, store) : undefined;
  if (earlier) return earlier;
  await environment.checkpoint?.('append.begin');
  const isWritten = await store.append(append);
  await environment.checkpoint?.('append.written');
  if (isWritten) return 'written';
  return (isRepeat ? await fateOf(append, store) : undefined) ?? 'lost';
}

/** Looks for the append in the journal; undefined if its place is still free. */
async function fateOf(append: Append, store: JournalStore): Promise<AppendFate | undefined> {
  const { segments, expectedHead } = append;
  const [found] = await store.segments(append, expectedHead);
  if (!found) return undefined;
  const [first] = segments;
  if (found.firstSeq !== first?.firstSeq || !found.hash.equals(first.hash)) return 'lost';
  const branch = await store.branch(append);
  await store.confirm();
  return branch?.head === segments.at(-1)?.lastSeq ? 'written' : 'overtaken';
}

/** The error of an append that was not written. */
function refused(cause: unknown): unknown {
  return outageOf(cause) ?? cause;
}

function unknownOutcome(cause: unknown): Failure {
  return new Failure('unavailable', {
    detail: 'The database did not answer, so it is not known whether the operations were written.',
    hint: 'Send them again with the same ids: what was written is answered as duplicate.',
    headers: { 'Retry-After': '1' },
    cause,
  });
}
