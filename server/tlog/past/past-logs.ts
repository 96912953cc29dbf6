import { Failure } from '../../model/failure.ts';
import type { Objects } from '../../storage/objects.ts';
import { parseCheckpoint } from '../note/checkpoint.ts';
import { parseNote } from '../note/note.ts';
import type { DamageBook } from '../service/damage.ts';
import { LogHalted } from '../service/halted.ts';
import { LogFiles } from '../service/log-files.ts';
import { requestedFile } from '../service/requested-file.ts';
import { TileStore } from '../service/tile-store.ts';
import type { TreeHead } from '../tree/verify.ts';
import type { PastLog, PastTable } from './sql.ts';

export interface PastLogsParts {
  readonly table: Pick<PastTable, 'list'>;
  readonly objects: Pick<Objects, 'get' | 'put' | 'list'>;
  /** Damage of older logs, which does not hold up this one. */
  readonly damage: DamageBook;
}

interface OpenLog {
  readonly files: LogFiles;
  readonly tree: TreeHead;
  readonly note: string;
}

/** Ended logs, which stay readable while their files exist. */
export class PastLogs {
  readonly #parts: PastLogsParts;
  readonly #open = new Map<number, OpenLog>();

  constructor(parts: PastLogsParts) {
    this.#parts = parts;
  }

  list(): Promise<PastLog[]> {
    return this.#parts.table.list();
  }

  /** `checkpoint`, a tile or a bundle of an ended log. */
  async file(pastNo: number, path: string): Promise<Uint8Array> {
    const log = await this.#logOf(pastNo);
    if (log && path === 'checkpoint') return Buffer.from(log.note);
    const bytes = log && (await log.files.serve(requestedFile(path), log.tree));
    if (bytes) return bytes;
    throw new Failure('notFound', {
      detail: `The ended log ${pastNo} has no ${path}.`,
      hint: 'GET /v1/tlog/status lists the logs that were ended.',
    });
  }

  async #logOf(pastNo: number): Promise<OpenLog | undefined> {
    const known = this.#open.get(pastNo);
    if (known) return known;
    const past = (await this.list()).find((log) => log.pastNo === pastNo);
    if (!past || past.note === null) return undefined;
    const { objects, damage } = this.#parts;
    const tiles = new TileStore(objects, past.prefix);
    const open = {
      files: new LogFiles({ tiles, table: noEntries, damage }),
      tree: parseCheckpoint(parseNote(past.note).text),
      note: past.note,
    };
    this.#open.set(pastNo, open);
    return open;
  }
}

/** The rows of an ended log are another's now. */
const noEntries = {
  entries: async (): Promise<never> => Promise.reject(new LogHalted('the log was ended')),
};
