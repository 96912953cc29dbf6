import { csvLines, quoted } from './csv-text.ts';
import { daffTable, type DaffTable } from './daff-table.ts';
import type { ComparedStates } from './diffs.ts';
import type { DiffEntry } from './entry.ts';
import type { Attribution } from './origins.ts';
import { attributedMost, shownEntries, type PageRange } from './page.ts';
import { patchLines } from './patch-text.ts';
import { sheetName } from './sheet-names.ts';
import { diffHead } from './head.ts';

export const csvType = 'text/csv';
export const patchType = 'text/x-diff';

/** The parts of a reply, in a form that does not know the edge. */
export interface Rendered {
  readonly value?: unknown;
  readonly stream?: AsyncIterable<Uint8Array>;
  readonly type?: string;
  readonly cells?: number;
}

export type Rendering = 'ndjson' | 'csv' | 'daff' | 'daffCsv' | 'patch';

type Render = (
  compared: ComparedStates,
  range: PageRange,
  origins: Attribution,
) => Rendered | Promise<Rendered>;

/** Renderings by format, but for JSON, which is paged by itself. */
export const renderings: Readonly<Record<Rendering, Render>> = {
  ndjson: (compared, range, origins) => ({
    stream: ndjson(compared, range, origins),
    type: 'application/x-ndjson',
    cells: countIn(compared, range),
  }),
  csv: (compared, range) => ({
    stream: bytesOf(csvLines(entriesIn(compared, range)), '\r\n'),
    type: `${csvType}; charset=utf-8; header=present`,
    cells: countIn(compared, range),
  }),
  patch: (compared, range) => ({
    stream: bytesOf(patchLines(compared, entriesIn(compared, range)), '\n'),
    type: `${patchType}; charset=utf-8`,
    cells: countIn(compared, range),
  }),
  daff: async (compared, _range, origins) => {
    return { value: { ...diffHead(compared), tables: await tablesOf(compared, origins) } };
  },
  daffCsv: async (compared, _range, origins) => ({
    stream: bytesOf(daffLines(await tablesOf(compared, origins)), '\r\n'),
    type: `${csvType}; charset=utf-8; header=absent`,
  }),
};

function countIn({ entries }: ComparedStates, { offset, limit }: PageRange): number {
  return Math.max(0, Math.min(entries.length - offset, limit));
}

/** A part of a page after the other. */
function* partsIn(
  { entries }: ComparedStates,
  { offset, limit }: PageRange,
): Generator<readonly DiffEntry[]> {
  const end = Math.min(entries.length, offset + limit);
  for (let at = offset; at < end; at += entriesAtOnce) {
    yield entries.slice(at, Math.min(end, at + entriesAtOnce));
  }
}

function* entriesIn(compared: ComparedStates, range: PageRange): Generator<DiffEntry> {
  for (const part of partsIn(compared, range)) yield* part;
}

interface SheetTable {
  readonly sheet: string;
  readonly rows: DaffTable;
}

async function tablesOf({ diff }: ComparedStates, origins: Attribution): Promise<SheetTable[]> {
  const pace = origins.newPace();
  const tables: SheetTable[] = [];
  for (const sheet of diff.sheets) {
    tables.push({ sheet: sheetName(sheet.pair), rows: await pace.run(daffTable(diff, sheet)) });
  }
  return tables;
}

/** Lines as `daff` reads and writes them; the tables of several sheets follow one another. */
function* daffLines(tables: readonly SheetTable[]): Generator<string> {
  for (const { rows } of tables) {
    for (const row of rows) yield row.map(quoted).join(',');
  }
}

/** Entries that are put into words at a time. */
const entriesAtOnce = 500;

async function* ndjson(
  compared: ComparedStates,
  range: PageRange,
  origins: Attribution,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(diffHead(compared))}\n`);
  const isLong = countIn(compared, range) > attributedMost;
  const attribution = isLong ? { newPace: () => origins.newPace() } : origins;
  const parts = isLong ? partsIn(compared, range) : [[...entriesIn(compared, range)]];
  for (const part of parts) {
    const shown = await shownEntries(compared, part, attribution);
    const lines = shown.map(({ list, value }) => `${JSON.stringify({ list, ...value })}\n`);
    yield Buffer.from(lines.join(''));
  }
  yield Buffer.from(`{"end":true,"count":${countIn(compared, range)}}\n`);
}

const charactersAtOnce = 64 * 1024;

async function* bytesOf(lines: Iterable<string>, end: string): AsyncGenerator<Uint8Array> {
  let text = '';
  for (const line of lines) {
    text += line + end;
    if (text.length < charactersAtOnce) continue;
    yield Buffer.from(text);
    text = '';
    // Others get the thread between two pieces.
    await new Promise<void>((resume) => void setImmediate(resume));
  }
  yield Buffer.from(text);
}
