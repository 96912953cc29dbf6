import { positionTag } from '../branches/place.ts';
import { Failure } from '../model/failure.ts';
import type { FeedEvent } from './change-feed.ts';
import type { DiffEnds } from './diffs.ts';

export interface StreamLife {
  /** Calls `ended` when the client may not read any further. */
  readonly watch: (ended: (failure: Failure) => void) => () => void;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** Codes of the last event, as a websocket would close with them. */
const endCodes = { credentialEnded: 4401, roleLost: 4403, branchDeleted: 4404 } as const;

/**
 * Changes of a table as server-sent events, for as long as the client may read them. The last one
 * says why there are no more.
 */
export async function* changeEvents(
  { watch, signal }: StreamLife,
  follow: (signal: AbortSignal) => AsyncGenerator<FeedEvent | undefined>,
): AsyncGenerator<Uint8Array> {
  const ending = new AbortController();
  const unwatch = watch((failure) => ending.abort(failure));
  try {
    for await (const event of follow(AbortSignal.any([signal, ending.signal]))) {
      yield event ? eventOf(event) : alive;
    }
    const { reason } = ending.signal as { readonly reason: unknown };
    if (reason instanceof Failure) {
      yield endOf(reason.status === 401 ? endCodes.credentialEnded : endCodes.roleLost, reason);
    }
  } catch (error) {
    const isGone = error instanceof Failure && error.status < 500;
    if (!isGone) throw error;
    yield endOf(endCodes.branchDeleted, error);
  } finally {
    unwatch();
  }
}

export function endsShown({ from, to }: DiffEnds) {
  return {
    from: { branch: from.branch, seq: from.seq },
    to: { branch: to.branch, seq: to.seq },
  };
}

const alive = Buffer.from(':\n\n');

function eventOf({ ends, isLast, data }: FeedEvent): Uint8Array {
  const name = isLast ? `id: ${positionTag(ends.to, ends.to.seq)}\n` : '';
  const text = JSON.stringify({ ...endsShown(ends), ...data });
  return Buffer.from(`${name}event: changes\ndata: ${text}\n\n`);
}

function endOf(code: number, { detail: reason }: Failure): Uint8Array {
  const told = JSON.stringify({ code, reason, reconnect: false });
  return Buffer.from(`event: end\ndata: ${told}\n\n`);
}
