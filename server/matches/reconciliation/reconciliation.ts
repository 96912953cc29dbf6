import type { Pool } from '../../compute/pool.ts';
import type { WireInput } from '../../model/input.ts';
import type { Place } from '../../branches/place.ts';
import type { StoredColumn } from '../../state/structure/tables.ts';
import type { RowReading } from '../../tables/reading/row-reader.ts';
import { normalise } from '../../../workers/matching/normalise.ts';
import type { NamedRow } from '../../../workers/matching/name-index.ts';
import { reconciliationLimits as limits } from './limits.ts';
import { entityAt, type NamedTable, type NameIndexes } from './name-indexes.ts';
import { textsOf, type Batch, type Extension, type Query } from './questions.ts';
import type { ReconciliationLink } from './sql.ts';

export interface ReconciliationParts {
  readonly indexes: NameIndexes;
  readonly rowReading: Pick<RowReading, 'read'>;
  readonly pool: Pick<Pool, 'run'>;
}

export interface Candidate {
  readonly id: string;
  readonly name: string;
  /** Likeness from 0 to 100. */
  readonly score: number;
  readonly match: boolean;
  readonly type: readonly TypeOfEntity[];
  readonly features: readonly { readonly id: string; readonly value: number | boolean }[];
}

export interface TypeOfEntity {
  readonly id: string;
  readonly name: string;
}

type Values = ReadonlyMap<string, readonly WireInput[]>;

const taskMilliseconds = 30_000;
/** A candidate that is this near and has no rival is one. */
const sureCosine = 0.95;

/** Returns the questions of the Reconciliation Service API 0.2 from the table of a link. */
export class Reconciliation {
  readonly #parts: ReconciliationParts;

  constructor(parts: ReconciliationParts) {
    this.#parts = parts;
  }

  tableOf(link: ReconciliationLink): Promise<NamedTable> {
    return this.#parts.indexes.of(link);
  }

  async answer(
    link: ReconciliationLink,
    batch: Batch,
  ): Promise<Record<string, { result: Candidate[] }>> {
    const table = await this.tableOf(link);
    const asked = Object.entries(batch).map(([name, query]) => ({ name, query }));
    const questions = asked.map(({ query }) => ({
      text: isOf(query, table) ? (query.query ?? '') : '',
      limit: Math.min(query.limit ?? limits.candidatesDefault, limits.candidatesMost),
    }));
    const found = await this.#parts.pool.run(
      'askNames',
      { index: table.index, questions },
      { timeoutMilliseconds: taskMilliseconds },
    );
    const texts = questions.map(({ text }) => text);
    const byId = await this.#valuesOf(table, texts, [table.column]);
    const answers = asked.map(({ name, query }, at) => {
      const { text = '', limit = 0 } = questions[at] ?? {};
      const rows = (found[at] ?? []).map((row) => candidateOf(table, row));
      const own = text === '' ? undefined : ownOf(table, text, byId);
      const others = rows.filter(({ id }) => id !== own?.id);
      return { name, query, candidates: (own ? [own, ...others] : others).slice(0, limit) };
    });
    const refined = await this.#refined(table, answers);
    return Object.fromEntries(
      refined.map(({ name, candidates }) => [name, { result: candidates }]),
    );
  }

  /** Rows whose name or id begins with a text, some at a time. */
  async suggest(
    link: ReconciliationLink,
    { prefix, skip }: { prefix: string; skip: number },
  ): Promise<{ id: string; name: string; notable: TypeOfEntity[] }[]> {
    const table = await this.tableOf(link);
    const rows = await this.#parts.pool.run(
      'suggestNames',
      { index: table.index, prefix, skip, limit: limits.suggestions },
      { timeoutMilliseconds: taskMilliseconds },
    );
    const named = rows.map((row) => entityAt(table, row));
    const byId = skip === 0 ? await this.#valuesOf(table, [prefix], [table.column]) : new Map();
    const own = ownOf(table, prefix, byId);
    const all = own ? [own, ...named.filter(({ id }) => id !== own.id)] : named;
    return all.map(({ id, name }) => ({ id, name, notable: [typeOf(table)] }));
  }

  /** Values of columns of rows, by their ids; of ids that are not there, none. */
  async extend(
    link: ReconciliationLink,
    { ids, properties }: Extension,
  ): Promise<{ meta: object[]; rows: Record<string, Record<string, object[]>> }> {
    const table = await this.tableOf(link);
    const columns = properties.map(({ id }) => columnOf(table, id));
    const known = columns.filter((column) => column !== undefined);
    const values = await this.#valuesOf(table, ids, known);
    const rows = ids.map((id): [string, Record<string, object[]>] => {
      const own = values.get(id);
      const cells = properties.map(({ id: property }, at): [string, object[]] => {
        const column = columns[at];
        const value = column && own?.[known.indexOf(column)];
        return [property, value === undefined ? [] : extended(value)];
      });
      return [id, Object.fromEntries(cells)];
    });
    const meta = properties.map(({ id }, at) => ({ id, name: columns[at]?.name ?? id }));
    return { meta, rows: Object.fromEntries(rows) };
  }

  /** One row with its columns, or undefined where no row has the id. */
  async row(
    link: ReconciliationLink,
    id: string,
  ): Promise<{ name: string; cells: [string, WireInput][] } | undefined> {
    const table = await this.tableOf(link);
    const columns = table.table.columns.slice(0, limits.previewColumns);
    const values = (await this.#valuesOf(table, [id], [table.column, ...columns])).get(id);
    if (!values) return undefined;
    const [name = null, ...cells] = values;
    const shown = columns.map(({ name: title }, at): [string, WireInput] => [
      title,
      cells[at] ?? null,
    ]);
    return { name: shownName(name, id), cells: shown };
  }

  /** Candidates judged by the properties that were given, too. */
  async #refined<Answer extends { query: Query; candidates: Candidate[] }>(
    table: NamedTable,
    answers: readonly Answer[],
  ): Promise<readonly Answer[]> {
    const names = new Set(
      answers.flatMap(({ query }) => (query.properties ?? []).map(({ pid }) => pid)),
    );
    const columns = [...names].flatMap((name) => columnOf(table, name) ?? []);
    if (columns.length === 0) return answers.map((answer) => settled(answer));
    const ids = answers.flatMap(({ query, candidates }) =>
      query.properties?.length ? candidates.map(({ id }) => id) : [],
    );
    const values = await this.#valuesOf(table, ids, columns);
    return answers.map((answer) => {
      const candidates = answer.candidates.map((candidate) => {
        const own = values.get(candidate.id) ?? [];
        const cells = new Map(columns.map(({ id }, at) => [id, own[at] ?? null] as const));
        return compared(candidate, { table, query: answer.query, cells });
      });
      return settled({ ...answer, candidates });
    });
  }

  /** Cells of some columns by id, for the ids that rows have. */
  async #valuesOf(
    { place, table, key }: NamedTable,
    ids: readonly string[],
    columns: readonly StoredColumn[],
  ): Promise<Values> {
    const keys = [...new Set(ids)].filter((id) => id !== '');
    if (keys.length === 0 || columns.length === 0) return new Map();
    const values = new Map<string, readonly WireInput[]>();
    for (const some of pieces(keys, columns.length + 1)) {
      const rows = await this.#read(place, table.id, { keys: some, columns: [key, ...columns] });
      for (const [id = null, ...cells] of rows) values.set(shownName(id, ''), cells);
    }
    return values;
  }

  async #read(
    place: Place,
    tableId: string,
    { keys, columns }: { keys: readonly string[]; columns: readonly StoredColumn[] },
  ): Promise<readonly (readonly WireInput[])[]> {
    const { rows } = await this.#parts.rowReading.read(place, tableId, {
      columns: columns.map(({ name }) => name),
      order: [],
      where: undefined,
      keys,
      after: undefined,
      offset: 0,
      limit: keys.length,
      lens: 'value',
    });
    return rows;
  }
}

export function typeOf({ table: { id, name } }: NamedTable): TypeOfEntity {
  return { id, name };
}

const cellsAtOnce = 10_000;

function pieces(keys: readonly string[], width: number): string[][] {
  const count = Math.max(1, Math.floor(cellsAtOnce / width));
  const parts: string[][] = [];
  for (let at = 0; at < keys.length; at += count) parts.push(keys.slice(at, at + count));
  return parts;
}

/** A query for a type that the table is not finds nothing in it. */
function isOf({ type }: Query, { table: { id, name } }: NamedTable): boolean {
  const types = [type ?? []].flat();
  return types.length === 0 || types.includes(id) || types.includes(name);
}

function columnOf({ table }: NamedTable, id: string): StoredColumn | undefined {
  return table.columns.find((column) => column.name === id);
}

/** The row whose id was asked for. */
function ownOf(table: NamedTable, text: string, byId: Values): Candidate | undefined {
  const [name] = byId.get(text) ?? [];
  if (name === undefined) return undefined;
  const shown = shownName(name, text);
  const features = [{ id: 'id', value: true }];
  return { id: text, name: shown, score: 100, match: true, type: [typeOf(table)], features };
}

/** A cell as the name of its row; `otherwise` where it has none. */
function shownName(cell: WireInput, otherwise: string): string {
  return cell === null || typeof cell === 'object' ? otherwise : String(cell);
}

function candidateOf(
  table: NamedTable,
  { row, cosine, jaroWinkler, isEqual }: NamedRow,
): Candidate {
  const features = [
    { id: 'equal', value: isEqual },
    { id: 'cosine', value: cosine },
    { id: 'jaro_winkler', value: Math.round(jaroWinkler * 1e6) / 1e6 },
  ];
  const score = Math.round((isEqual ? 1 : cosine) * 1e4) / 100;
  const match = isEqual || cosine >= sureCosine;
  return { ...entityAt(table, row), score, match, type: [typeOf(table)], features };
}

/** Equal cells count for a candidate as its name does; one that differs is for a person. */
function compared(
  candidate: Candidate,
  given: { table: NamedTable; query: Query; cells: ReadonlyMap<string, WireInput> },
): Candidate {
  const { table, query, cells } = given;
  const features = [...candidate.features];
  let agreed = 0;
  for (const { pid, v } of query.properties ?? []) {
    const column = columnOf(table, pid);
    const cell = column && cells.get(column.id);
    if (cell === undefined) continue;
    const own = normalise(typeof cell === 'object' ? '' : String(cell));
    const agrees = own !== '' && textsOf(v).some((text) => normalise(text) === own);
    features.push({ id: `property:${pid}`, value: agrees });
    if (agrees) agreed++;
  }
  const count = features.length - candidate.features.length;
  if (count === 0) return candidate;
  const score = Math.round(((candidate.score + 100 * agreed) / (1 + count)) * 100) / 100;
  return { ...candidate, score, match: candidate.match && agreed === count, features };
}

/** The best first; two that could be it are for a person. */
function settled<Answer extends { candidates: Candidate[] }>(answer: Answer): Answer {
  const sorted = answer.candidates.toSorted((a, b) => b.score - a.score);
  const best = sorted[0]?.score ?? 0;
  const isTied = sorted.length > 1 && sorted[1]?.score === best;
  const candidates = sorted.map((candidate, at) => ({
    ...candidate,
    match: candidate.match && at === 0 && !isTied,
  }));
  return { ...answer, candidates };
}

function extended(value: WireInput): object[] {
  if (value === null) return [];
  if (typeof value === 'string') return [{ str: value }];
  if (typeof value === 'boolean') return [{ str: String(value) }];
  if (typeof value === 'number') {
    return [Number.isSafeInteger(value) ? { int: value } : { float: value }];
  }
  return [{ str: value.error }];
}
