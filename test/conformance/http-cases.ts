import type { Value } from '../../server/model/cell-value.ts';
import { writeInput, type WireInput } from '../../server/model/input.ts';
import { batchesOf, type Batch } from './batch.ts';
import { caseFile } from './case-file.ts';
import {
  UnexpectedAnswer,
  type Client,
  type ClientBook,
  type Dropped,
  type SentOperation,
  type SentResult,
} from './client.ts';
import type { CorpusCase } from './corpus.ts';
import { outcomesOf, type Outcome, type Refusal } from './outcome.ts';
import { cellOf } from './run-case.ts';

/** Workbooks under way at the same time; the service has two threads that calculate. */
const atOnce = 4;

/** Runs cases through a service: made by rows and operations or as files, read by values. */
export async function runOverHttp(
  client: Client,
  cases: readonly CorpusCase[],
): Promise<Outcome[]> {
  const found = new Map<string, Outcome[]>();
  const batches = batchesOf(cases);
  const work = async () => {
    for (const batch of batches) {
      for (const outcomes of await runBatch(client, batch)) {
        if (outcomes[0] !== undefined) found.set(outcomes[0].id, outcomes);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return cases.flatMap(({ id }) => found.get(id) ?? []);
}

async function runBatch(client: Client, batch: Batch): Promise<Outcome[][]> {
  if (batch.way === 'rows') return runRows(client, batch.cases);
  return [await runFile(client, batch.cases[0])];
}

/** A case that the service cannot answer fails with what it said. */
async function runFile(client: Client, one: CorpusCase): Promise<Outcome[]> {
  try {
    const book = await client.import(caseFile(one));
    const refusals = new Map(book.dropped.flatMap(refusedCell));
    const values = await readAndDrop(client, book);
    return outcomesOf(one, (sheet, cell) => {
      const place = `${sheet}!${cell}`;
      return refusals.get(place) ?? values.get(place) ?? null;
    });
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error;
    const { message } = error;
    return outcomesOf(one, () => message);
  }
}

/** A formula that the reader of files left out, by `sheet!cell`. */
function refusedCell({ what, where, why }: Dropped): [string, Refusal][] {
  return what === 'formula' && where !== undefined ? [[where, { refused: why }]] : [];
}

/** Constants come as rows, formulas as operations, one a cell: what is refused stays blank. */
async function runRows(client: Client, cases: readonly CorpusCase[]): Promise<Outcome[][]> {
  const sheetOf = (index: number) => `Case ${index + 1}`;
  const sheets = cases.map((one, index) => ({ name: sheetOf(index), rows: constantRows(one) }));
  const book = await client.create(sheets);
  const operations = cases.flatMap((one, index) => formulaOperations(one, sheetOf(index)));
  const results = await client.submit(book, operations);
  const refusals = new Map(results.flatMap(refusedFormula));
  const values = await readAndDrop(client, book);
  return cases.map((one, index) => {
    const placeOf = (cell: string) => `${sheetOf(index)}!${cell}`;
    const read = (cell: string) => refusals.get(cell) ?? values.get(cell) ?? null;
    return outcomesOf(one, (_, cell) => read(placeOf(cell)));
  });
}

/** A formula that nobody can type, by `sheet!cell`. */
function refusedFormula({ id, status, error }: SentResult): [string, Refusal][] {
  return status === 'rejected' ? [[id, { refused: error?.message ?? '' }]] : [];
}

async function readAndDrop(client: Client, book: ClientBook): Promise<Map<string, Value>> {
  const values = await client.values(book);
  await client.drop(book);
  return values;
}

function cellsOf({ sheets }: CorpusCase): [string, { f?: string; v?: Value }][] {
  return Object.values(sheets).flatMap((cells) => Object.entries(cells));
}

/** From A1 on, as long as they have constants. */
function constantRows(one: CorpusCase): WireInput[][] {
  const rows: WireInput[][] = [];
  for (const [address, { f, v = null }] of cellsOf(one)) {
    if (f !== undefined) continue;
    const { row, column } = cellOf(address);
    while (rows.length <= row) rows.push([]);
    const inputs = rows[row] ?? [];
    while (inputs.length <= column) inputs.push(null);
    // A client writes an empty text as one: the cell is blank.
    inputs[column] = v === '' ? v : writeInput(v);
  }
  return rows;
}

function formulaOperations(one: CorpusCase, sheet: string): SentOperation[] {
  return cellsOf(one).flatMap(([a1, { f }]) => {
    if (f === undefined) return [];
    const payload = { sheet, cells: [{ a1, input: f }] };
    return [{ id: `${sheet}!${a1}`, kind: 'cells.set', payload }];
  });
}
