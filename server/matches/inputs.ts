import {
  checkCharacters,
  findColumn,
  readColumn,
  type ColumnParts,
  type ReadColumn,
} from './columns.ts';
import type { PackedTexts } from '../../workers/matching/shared-arrays.ts';
import type { MatchRecord } from './match.ts';
import { rulesOf } from './options.ts';
import { columnNames, type MatchSide } from './sides.ts';
import type { MatchTasks } from './tasks.ts';

/** A side as it is shown, by the row, and the columns that are compared. */
export interface ReadSide extends ReadColumn {
  readonly columns: readonly PackedTexts[];
  readonly blocking: readonly PackedTexts[] | undefined;
}

export interface Columns {
  readonly left: ReadSide;
  readonly right: ReadSide;
  readonly aliases: { readonly from: ReadColumn; readonly to: ReadColumn } | undefined;
}

/** The columns that one match compares, at its position. */
export class MatchInputs {
  readonly #parts: ColumnParts;
  readonly #match: MatchRecord;
  readonly #tasks: MatchTasks;

  constructor(parts: ColumnParts, match: MatchRecord, tasks: MatchTasks) {
    this.#parts = parts;
    this.#match = match;
    this.#tasks = tasks;
  }

  async read(): Promise<Columns> {
    const { branches } = this.#parts;
    const { workbookId, branchNo, branch, seq, request } = this.#match;
    const address = { workbookId, branchNo };
    const place = { address, branch, seq, isPinned: true };
    const state = await branches.stateAt(address, seq);
    const read = (tableId: string, column: string, pointer: string): Promise<ReadColumn> =>
      readColumn(findColumn(state, { tableId, column }, pointer), place, this.#parts);
    const side = async (asked: MatchSide, pointer: string): Promise<ReadSide> => {
      const columns: ReadColumn[] = [];
      for (const name of [...columnNames(asked), ...(asked.blocking ?? [])]) {
        columns.push(await read(asked.tableId, name, pointer));
      }
      return this.#joined(columns, asked);
    };
    const { left, right, opts } = request;
    const leftSide = await side(left, '/left');
    const rightSide = rulesOf(request).isDedupe ? leftSide : await side(right, '/right');
    if (!opts.aliases) return { left: leftSide, right: rightSide, aliases: undefined };
    const { tableId, from, to } = opts.aliases;
    const aliases = {
      from: await read(tableId, from, '/opts/aliases'),
      to: await read(tableId, to, '/opts/aliases'),
    };
    return { left: leftSide, right: rightSide, aliases };
  }

  /** Several columns are shown as one. */
  async #joined(read: readonly ReadColumn[], side: MatchSide): Promise<ReadSide> {
    const all = read.map(({ texts }) => texts);
    const columns = all.slice(0, columnNames(side).length);
    checkCharacters(columns);
    const [first] = read;
    if (!first) throw new Error('a side has a column');
    const texts =
      columns.length === 1 ? first.texts : await this.#tasks.run('joinTexts', { columns });
    const blocking = side.blocking && all.slice(columns.length);
    return { texts, keys: first.keys, columns, blocking };
  }

  /** Returns a digest of all that the result depends on. */
  hashOf({ left, right, aliases }: Columns): Promise<Uint8Array> {
    const { algo, request, branchNo, seq } = this.#match;
    const facts = JSON.stringify([algo, branchNo, seq, request]);
    const texts = [left, right].flatMap(({ columns, blocking = [], keys }) => [
      ...columns,
      ...blocking,
      keys,
    ]);
    if (aliases) texts.push(aliases.from.texts, aliases.to.texts);
    return this.#tasks.run('hashInputs', { facts, texts });
  }
}
