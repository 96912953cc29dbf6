import type { Branches } from '../../branches/branches.ts';
import { readPathReference } from '../../branches/place.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { bodyLimits } from '../../model/limits.ts';
import type { RowReader, RowsPart } from '../../model/row-writes.ts';
import type { Spool } from '../../storage/spool.ts';
import type { Tables } from '../tables.ts';
import type { RowWriter } from '../writing/row-writer.ts';
import type { RowsWritten } from '../writing/run.ts';
import { BodyReader } from './body-reader.ts';
import type { RowWriteRecord } from './row-write.ts';
import type { RowWriteTable } from './sql.ts';

export interface RunnerParts {
  readonly table: Pick<RowWriteTable, 'advance'>;
  readonly spool: Pick<Spool, 'read'>;
  readonly branches: Pick<Branches, 'locate'>;
  readonly tables: Pick<Tables, 'describe'>;
  readonly rowReader: RowReader;
  readonly rowWriter: RowWriter;
  /** Fails where a person or agent may not write to a workbook any more. */
  readonly checkWrite: (workbookId: string, userId: string) => Promise<void>;
  readonly environment: Environment;
}

/** Error of a write that was ended while it ran. */
export class WriteEnded extends Error {}

const noteMilliseconds = 500;

/** Writes the rows of a body; rows of an earlier run are recognized. */
export class RowWriteRunner {
  readonly #parts: RunnerParts;
  readonly #write: RowWriteRecord;
  readonly #signal: AbortSignal;
  readonly #body: BodyReader;
  #notedAt = 0;

  constructor(parts: RunnerParts, write: RowWriteRecord, signal: AbortSignal) {
    this.#parts = parts;
    this.#write = write;
    this.#signal = signal;
    this.#body = new BodyReader(parts.spool, write.request.body);
  }

  async run(): Promise<RowsWritten> {
    const { branches, tables, rowReader, rowWriter } = this.#parts;
    const { workbookId, branch, branchNo, tableId, createdBy, request } = this.#write;
    const { format, delimiter, options: asked, body } = request;
    const place = await branches.locate(workbookId, readPathReference(branch));
    if (place.address.branchNo !== branchNo) throw new Failure('branchNotFound');
    const { table } = await tables.describe(place, tableId);
    const read = await rowReader.read({
      bytes: () => this.#body.read(),
      isLong: body.isPacked || body.byteCount > bodyLimits.wholeBytes,
      format,
      columns: table.schema.columns.map(({ name, type = 'any' }) => ({ name, type })),
      delimiter,
      hasKeys: asked.mode === 'delete',
      keyColumn: table.keyColumn,
      signal: this.#signal,
    });
    const options = { ...asked, ...read.options, ...(format === 'csv' && { raw: true }) };
    const { writer, expectedHead, idempotencyKey } = request;
    const write = {
      address: place.address,
      branch,
      principalId: createdBy,
      writer: options.writer ?? writer,
      byteCount: 0,
      expectedHead,
      idempotencyKey,
    };
    const parts = this.#watched(read.parts, options.atomic === true);
    const written = await rowWriter.write({ write, table: tableId, options, parts });
    await this.#note(written.inserted + written.updated + written.unchanged + written.deleted);
    return written;
  }

  /** Notes the progress, and stops if the write was ended, or its writer lost the right to it. */
  async *#watched(
    parts: AsyncGenerator<RowsPart, void>,
    isAtomic: boolean,
  ): AsyncGenerator<RowsPart, void> {
    const { environment } = this.#parts;
    for await (const part of parts) {
      this.#signal.throwIfAborted();
      // An atomic write is one commit, which must fit into memory.
      if (isAtomic && this.#body.plainBytes > bodyLimits.rowsBytes) throw tooLargeAtOnce();
      if (environment.elapsed() - this.#notedAt >= noteMilliseconds) await this.#note(part.index);
      yield part;
    }
  }

  async #note(rowCount: number): Promise<void> {
    const { environment, table, checkWrite } = this.#parts;
    this.#notedAt = environment.elapsed();
    await checkWrite(this.#write.workbookId, this.#write.createdBy);
    const isGoingOn = await table.advance(this.#write.id, rowCount, this.#body.byteCount);
    if (!isGoingOn) throw new WriteEnded('the write has ended');
  }
}

/** Makes the failure of an atomic write that is too large. */
export function tooLargeAtOnce(): Failure {
  const limitBytes = bodyLimits.rowsBytes;
  return new Failure('payloadTooLarge', {
    detail: `With atomic a body has at most ${limitBytes} bytes.`,
    hint: 'Leave atomic out, on a branch of its own where it is all or nothing: POST /v1/workbooks/{id}/branches {"name":"load"}, send the rows there, and POST /v1/workbooks/{id}/merges {"source":"load","apply":"auto"} brings all of them at once.',
    extra: { limitBytes },
  });
}
