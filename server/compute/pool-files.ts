import { MessageChannel } from 'node:worker_threads';

import type { Environment } from '../model/environment.ts';
import type { FileEnd, FileFormat, FileOptions, FileReader } from '../model/file-reader.ts';
import type { Operation } from '../model/operation.ts';
import { Credit } from '../../workers/credit.ts';
import type { ImportMessage } from '../../workers/import-workbook.ts';
import { fileFailure } from './file-failure.ts';
import type { Pool } from './pool.ts';
import { buffersOf, piecesAhead, taskMessages } from './task-messages.ts';

/** Pieces handed over at a time. Each holds at most some 256 KiB of text. */
const chunkPieces = 16;
const importMilliseconds = 120_000;

/** Reads files in the pool: this thread only takes operations as they come. */
export class PoolFileReader implements FileReader {
  readonly #pool: Pool;
  readonly #environment: Pick<Environment, 'now'>;

  constructor(pool: Pool, environment: Pick<Environment, 'now'>) {
    this.#pool = pool;
    this.#environment = environment;
  }

  async *read(
    chunks: readonly Uint8Array[],
    format: FileFormat,
    options: FileOptions,
  ): AsyncGenerator<readonly Operation[], FileEnd> {
    const { port1, port2 } = new MessageChannel();
    const credit = new Credit(piecesAhead);
    const abort = new AbortController();
    const year = new Date(this.#environment.now()).getUTCFullYear();
    const csv = { year, ...options };
    const payload = { chunks, format, csv, port: port2, credit: credit.shared };
    const task = this.#pool.run('importWorkbook', payload, {
      timeoutMilliseconds: importMilliseconds,
      signal: abort.signal,
      transfer: [port2, ...buffersOf(chunks)],
    });
    let isWhole = false;
    try {
      for await (const batch of taskMessages<ImportMessage>(port1, task, chunkPieces)) {
        const { operations, end } = openBatch(batch);
        if (operations.length > 0) yield operations;
        credit.give(batch.filter(({ kind }) => kind === 'operations').length);
        if (end === undefined) continue;
        isWhole = true;
        return end;
      }
    } finally {
      // Nobody takes the rest: the thread may be asleep until somebody does.
      if (!isWhole) abort.abort();
    }
    throw new Error('an import ended in the middle');
  }
}

function openBatch(batch: readonly ImportMessage[]): {
  operations: Operation[];
  end: FileEnd | undefined;
} {
  const operations: Operation[] = [];
  let end: FileEnd | undefined;
  for (const message of batch) {
    if (message.kind === 'problem') throw fileFailure(message.problem);
    if (message.kind === 'end') ({ end } = message);
    else operations.push(...message.operations);
  }
  return { operations, end };
}
