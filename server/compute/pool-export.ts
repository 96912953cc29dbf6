import { MessageChannel } from 'node:worker_threads';

import { Failure } from '../model/failure.ts';
import { Credit } from '../../workers/credit.ts';
import type { ExportMessage, ExportTask } from '../../workers/export-workbook.ts';
import type { Pool } from './pool.ts';
import { piecesAhead, taskMessages } from './task-messages.ts';

const exportMilliseconds = 120_000;

export interface RunningExport {
  /** Can be sent as they come. A generator that is given up lets the thread finish for itself. */
  readonly pieces: AsyncGenerator<Uint8Array, void>;
  /** Resolves when the thread is done with the model, which belongs to it until then. */
  readonly done: Promise<void>;
}

/** Writes a model as a file in the pool. */
export function startExport(
  pool: Pick<Pool, 'run'>,
  request: Omit<ExportTask, 'port' | 'credit'>,
  affinity: string,
): RunningExport {
  const { port1, port2 } = new MessageChannel();
  const credit = new Credit(piecesAhead);
  const payload = { ...request, port: port2, credit: credit.shared };
  const options = { timeoutMilliseconds: exportMilliseconds, affinity, transfer: [port2] };
  const done = pool.run('exportWorkbook', payload, options);
  const incoming = taskMessages<ExportMessage>(port1, done);
  return { pieces: piecesOf(incoming, credit), done };
}

async function* piecesOf(
  incoming: AsyncGenerator<ExportMessage[]>,
  credit: Credit,
): AsyncGenerator<Uint8Array, void> {
  let isWhole = false;
  try {
    for await (const [message] of incoming) {
      if (message?.kind === 'fault') {
        throw new Failure('evaluationFailed', { cause: new Error(message.fault) });
      }
      isWhole = message?.kind === 'end';
      if (message?.kind !== 'piece') return;
      yield message.bytes;
      credit.give();
    }
  } finally {
    // The thread must not sleep for a taker who has gone.
    if (!isWhole) credit.giveAll();
  }
}
