import { MessageChannel } from 'node:worker_threads';

import type { RowsMessage } from '../../workers/bodies/read-rows.ts';
import { Credit } from '../../workers/credit.ts';
import { Failure } from '../model/failure.ts';
import { unpackFailure } from '../model/portable-failure.ts';
import type { RawRows, ReadRows, RowReader, RowsPart } from '../model/row-writes.ts';
import { Feeding } from './feeding.ts';
import { TaskAborted, TaskGivenUp, type Pool } from './pool.ts';
import { taskMessages } from './task-messages.ts';
import { tightenHeap } from './tight-heap.ts';

const readMilliseconds = 300_000;
/** Parts that lie ready: a thread that waits for a slow taker cannot calculate. */
const partsAhead = 64;
/** Rows of a long body that wait for less time are collected while they are young. */
const longPartsAhead = 1;
const longMilliseconds = 6 * 60 * 60 * 1000;

/** Reads rows of tables in the pool; this thread takes one part a turn. */
export class PoolRows implements RowReader {
  readonly #pool: Pick<Pool, 'run'>;
  readonly #longPool: Pick<Pool, 'run'>;

  /** Long bodies have threads of their own, which may be asleep for minutes. */
  constructor(pool: Pick<Pool, 'run'>, longPool: Pick<Pool, 'run'>) {
    this.#pool = pool;
    this.#longPool = longPool;
  }

  async read(rows: RawRows): Promise<ReadRows> {
    const messages = this.#messages(rows);
    const first = await messages.next();
    if (first.done === true || first.value.kind !== 'head') throw new Error('rows have no head');
    const parts = partsOf(messages);
    return { options: first.value.options, parts: rows.isLong ? tightly(parts) : parts };
  }

  /** Yields every message up to the end; fails where the rows do. */
  async *#messages({ signal, bytes, ...rows }: RawRows): AsyncGenerator<RowsMessage, void> {
    const { port1, port2 } = new MessageChannel();
    const credit = new Credit(rows.isLong ? longPartsAhead : partsAhead);
    const feeding = new Feeding(bytes);
    const { port: feed, posted } = feeding;
    const payload = { ...rows, port: port2, credit: credit.shared, feed, posted };
    const task = (rows.isLong ? this.#longPool : this.#pool).run('readRows', payload, {
      timeoutMilliseconds: rows.isLong ? longMilliseconds : readMilliseconds,
      ...(signal && { signal }),
      transfer: [port2, feed],
    });
    let isWhole = false;
    try {
      for await (const [message] of taskMessages<RowsMessage>(port1, task)) {
        if (message === undefined) continue;
        isWhole = message.kind === 'end' || message.kind === 'failure';
        if (message.kind === 'failure') throw unpackFailure(message.failure);
        if (message.kind === 'end') return;
        yield message;
        credit.give();
      }
    } catch (error) {
      throw explained(error);
    } finally {
      // Nobody takes the rest: the thread, which may be asleep until somebody does, ends for itself.
      if (!isWhole) credit.giveAll();
      feeding.close();
    }
  }
}

async function* partsOf(
  messages: AsyncGenerator<RowsMessage, void>,
): AsyncGenerator<RowsPart, void> {
  for await (const message of messages) if (message.kind === 'part') yield message.part;
}

async function* tightly(parts: AsyncGenerator<RowsPart, void>): AsyncGenerator<RowsPart, void> {
  const loosen = tightenHeap();
  try {
    yield* parts;
  } finally {
    loosen();
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof TaskAborted)) return error;
  if (error instanceof TaskGivenUp) {
    return new Failure('bodyTimeout', { detail: 'The client went away.', cause: error });
  }
  return new Failure('unavailable', {
    detail: 'The rows could not be read in the time that there is for it.',
    hint: 'Send them again in a moment, or in several smaller requests.',
    headers: { 'Retry-After': '5' },
    cause: error,
  });
}
