import { MessageChannel } from 'node:worker_threads';

import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { Credit } from '../../workers/credit.ts';
import type { ExportMessage, ExportTask } from '../../workers/export-workbook.ts';
import { PieceBuffer, type PieceFile } from './piece-buffer.ts';
import type { Pool } from './pool.ts';
import { taskMessages } from './task-messages.ts';

const exportMilliseconds = 120_000;
/** Pieces that the thread may be ahead of the buffer, which takes them at once. */
const piecesAhead = 16;

export interface ExportParts {
  /** Threads that do nothing else: a file of gigabytes takes minutes. */
  readonly pool: Pick<Pool, 'run'>;
  readonly overflow: { file(key: string): PieceFile };
  readonly environment: Environment;
}

interface RunningExport {
  /** Can be sent as they come. A generator that is given up ends the thread's work. */
  readonly pieces: AsyncGenerator<Uint8Array, void>;
  /** Resolves when the thread is done with the model, which belongs to it until then. */
  readonly done: Promise<void>;
}

/** Writes a model as a file; the thread is done however slowly the file is read. */
export function startExport(
  { pool, overflow, environment }: ExportParts,
  request: Omit<ExportTask, 'port' | 'credit'>,
  { key, affinity }: { readonly key: string; readonly affinity: string },
): RunningExport {
  const { port1, port2 } = new MessageChannel();
  const credit = new Credit(piecesAhead);
  const payload = { ...request, port: port2, credit: credit.shared };
  const options = { timeoutMilliseconds: exportMilliseconds, affinity, transfer: [port2] };
  const done = pool.run('exportWorkbook', payload, options);
  const buffer = new PieceBuffer({ file: overflow.file(key), environment });
  void fill(buffer, taskMessages<ExportMessage>(port1, done), credit);
  return { pieces: buffer.pieces(), done };
}

/** Fills the buffer to the end of the file. Its taker gets every error. */
async function fill(
  buffer: PieceBuffer,
  incoming: AsyncGenerator<ExportMessage[]>,
  credit: Credit,
): Promise<void> {
  let isWhole = false;
  try {
    for await (const [message] of incoming) {
      if (message?.kind === 'fault') {
        throw new Failure('evaluationFailed', { cause: new Error(message.fault) });
      }
      isWhole = message?.kind === 'end';
      if (message?.kind !== 'piece' || !(await buffer.add(message.bytes))) break;
      credit.give();
    }
    buffer.end();
  } catch (error) {
    buffer.end({ error });
  } finally {
    // The thread must not sleep for a taker who has gone.
    if (!isWhole) credit.giveAll();
  }
}
