import type { Branches } from '../../branches/branches.ts';
import { Pace } from '../../branches/pace.ts';
import { readPathReference, type Place } from '../../branches/place.ts';
import type { SubmissionAnswer } from '../../branches/submission.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { pages } from '../../model/limits.ts';
import type { Operation } from '../../model/operation.ts';
import type { RowBatch, RowsOptions, RowsPart } from '../../model/row-writes.ts';
import {
  addCounts,
  noRows,
  readCounts,
  type RejectedRow,
  type RowCounts,
} from '../../state/plan/row-counts.ts';
import { operationCounts } from './operation-counts.ts';
import { keyColumnOf, type StoredTable } from '../../state/structure/tables.ts';
import { lookAt, stillAt, tableIn } from '../table-looks.ts';
import { submitForTable } from '../table-writer.ts';
import type { Write } from '../tables.ts';
import {
  bytesOf,
  completed,
  deletionOf,
  isKeyBatch,
  operationOf,
  placeIn,
  pointerInto,
} from './row-parts.ts';
import { leftOut, Run, sumOf, type RowsWritten, type Step } from './run.ts';
import { keyRepeated, SeenKeys, untoldRows, type UntoldRows } from './seen-keys.ts';

export interface RowsWrite {
  readonly write: Write;
  /** Id or name. */
  readonly table: string;
  readonly options: RowsOptions;
  readonly parts: AsyncGenerator<RowsPart, void>;
}

interface Table {
  readonly stored: StoredTable;
  readonly date1904: boolean;
  readonly head: number;
}

/** Operations that are on their way at a time, so that the next is there when one is durable. */
const underWay = 2;
/** Head where no branch is there, so that only a repeat is taken. */
const noHead = -1;
/** Keys of one deletion of a run. */
const keysAtOnce = 10_000;

/** Writes rows of any number: as one operation, or as a run of them. */
export class RowWriter {
  readonly #branches: Branches;
  readonly #environment: Environment;

  constructor({ branches, environment }: { branches: Branches; environment: Environment }) {
    this.#branches = branches;
    this.#environment = environment;
  }

  async write({ parts, ...wish }: RowsWrite): Promise<RowsWritten> {
    try {
      const first = await parts.next();
      const second = first.done === true ? first : await parts.next();
      if (second.done === true)
        return await this.#one(first.done === true ? undefined : first.value, wish);
      const all = joined([first.value as RowsPart, second.value], parts);
      return await this.#many(all, wish);
    } finally {
      await parts.return();
    }
  }

  async #one(part: RowsPart | undefined, wish: Omit<RowsWrite, 'parts'>): Promise<RowsWritten> {
    const { options, table } = wish;
    const { mode = 'upsert' } = options;
    const spelling = { table, options };
    const sent = part ?? { index: 0, columns: undefined, rows: [] };
    const operation = this.#operation(sent, mode, spelling);
    const isEmpty = (isKeyBatch(sent) ? sent.keys : sent.rows).length === 0;
    if (isEmpty && mode !== 'import') {
      const { head } = await this.#table(wish);
      return { ...noRows, ...sumOf([]), status: 'unchanged', head };
    }
    const { answer, counts } = await this.#submit(wish, [{ operation, part: sent }], 0);
    return { ...counts, ...sumOf([answer]), head: answer.head };
  }

  #operation(
    part: RowsPart,
    mode: NonNullable<RowsOptions['mode']>,
    spelling: { table: string; options: RowsOptions },
  ): Operation {
    if (isKeyBatch(part)) {
      if (mode === 'delete') return deletionOf(part.keys, spelling);
    } else if (mode !== 'delete') {
      return operationOf(mode === 'import' ? 'rows.import' : 'rows.upsert', part, spelling);
    }
    throw misfit(mode);
  }

  async #many(
    parts: AsyncIterable<RowsPart>,
    wish: Omit<RowsWrite, 'parts'>,
  ): Promise<RowsWritten> {
    const table = await this.#table(wish);
    const { mode, atomic } = wish.options;
    const own = { ...wish, table: table.stored.id };
    const seen = mode === 'delete' ? undefined : seenKeys(table, wish.options);
    const steps = this.#steps(parts, { wish: own, table, seen });
    const imported = mode === 'import' ? seen : undefined;
    return atomic === true ? this.#atomic(steps, own, imported) : this.#each(steps, own, imported);
  }

  /** An operation for each part; an import is upserts of whole rows, and then what goes. */
  async *#steps(
    parts: AsyncIterable<RowsPart>,
    {
      wish,
      table,
      seen,
    }: { wish: Omit<RowsWrite, 'parts'>; table: Table; seen: SeenKeys | undefined },
  ): AsyncGenerator<Step, void> {
    const { options } = wish;
    const { mode = 'upsert', onInvalid } = options;
    const spelling = { table: wish.table, options };
    for await (const part of parts) {
      if (!seen) {
        yield { operation: this.#operation(part, mode, spelling), part };
        continue;
      }
      if (isKeyBatch(part)) throw misfit(mode);
      const repeated = await this.#run(seen.add(part));
      const kept = onInvalid === 'skip' ? without(part, repeated) : part;
      const whole: RowBatch =
        mode === 'import' ? await this.#run(completed(kept, options, table.stored.columns)) : kept;
      yield { operation: operationOf('rows.upsert', whole, spelling), part: whole, repeated };
    }
  }

  async #each(
    steps: AsyncIterable<Step>,
    wish: Omit<RowsWrite, 'parts'>,
    seen: SeenKeys | undefined,
  ): Promise<RowsWritten> {
    const run = new Run();
    let chunk = 0;
    const waiting: Promise<void>[] = [];
    const send = (step: Step) => {
      const place = chunk++;
      const sent = this.#submit(wish, [step], place);
      return run.note(step, sent);
    };
    for await (const step of steps) {
      if (isPassedOver(step, wish.options, run)) continue;
      if (seen && chunk === 0) await this.#checkKeys([step], wish);
      waiting.push(send(step));
      if (waiting.length >= underWay) await waiting.shift();
    }
    await Promise.all(waiting);
    run.check();
    // Whose rows were refused would lose those that are there.
    if (seen && run.isWhole) {
      const after = { ...(await this.#head(wish.write)), seq: run.position, isPinned: true };
      for (const step of await this.#deletions(after, wish, seen)) await send(step);
    }
    return run.result();
  }

  async #atomic(
    steps: AsyncIterable<Step>,
    wish: Omit<RowsWrite, 'parts'>,
    seen: SeenKeys | undefined,
  ): Promise<RowsWritten> {
    const all: Step[] = [];
    const repeated: RejectedRow[] = [];
    for await (const step of steps) {
      const [first] = step.repeated ?? [];
      if (first && wish.options.onInvalid !== 'skip') throw keyRepeated(first);
      repeated.push(...(step.repeated ?? []));
      if (rowsOf(step.part).length > 0) all.push(step);
    }
    const counts = leftOut(repeated);
    if (seen && (await this.#isRepeat(all, wish))) return this.#repeated(all, wish, counts);
    if (seen) {
      await this.#checkKeys(all, wish);
      all.push(...(await this.#deletions(await this.#head(wish.write), wish, seen)));
    }
    const { answer, counts: written } = await this.#submit(wish, all, 0);
    return { ...addCounts(written, counts), ...sumOf([answer]), head: answer.head };
  }

  /**
   * A run takes rows out by their keys: those that have none would stay, and so would a second one
   * of a key. A repeat goes on where it ended, whatever came to the table meanwhile.
   */
  async #checkKeys(steps: readonly Step[], wish: Omit<RowsWrite, 'parts'>): Promise<void> {
    const state = await stillAt(this.#branches, await this.#head(wish.write));
    const stored = tableIn(state, wish.table);
    const rows = await this.#run(untoldRows(state, stored));
    const isTold = rows.unkeyed.length === 0 && rows.repeated.length === 0;
    if (isTold || (await this.#isRepeat(steps, wish))) return;
    throw untold(stored.name, rows);
  }

  /** Returns whether the first operation was written before: only then it needs no head. */
  async #isRepeat([first]: readonly Step[], wish: Omit<RowsWrite, 'parts'>): Promise<boolean> {
    const { write, options } = wish;
    if (!first || (options.id === undefined && write.idempotencyKey === undefined)) return false;
    try {
      await this.#submit({ ...wish, write: { ...write, expectedHead: noHead } }, [first], 0);
      return true;
    } catch (error) {
      if (error instanceof Failure && error.key === 'headMoved') return false;
      throw error;
    }
  }

  /** The deletions of then, which came right behind, count too; none are looked for now. */
  async #repeated(
    steps: readonly Step[],
    wish: Omit<RowsWrite, 'parts'>,
    rejected: RowCounts,
  ): Promise<RowsWritten> {
    const { answer, counts } = await this.#submit(wish, steps, 0);
    const sum = sumOf([answer]);
    const { address, principalId } = wish.write;
    const page = { after: sum.lastSeq ?? 0, limit: pages.rowsMost };
    const { records } = await this.#branches.history(address, page);
    const other = records.findIndex(({ id, kind, principalId: by }) => {
      return kind !== 'rows.delete' || by !== principalId || !isOf(id, wish);
    });
    const own = other < 0 ? records : records.slice(0, other);
    const all = own
      .map(({ resolved }) => readCounts(resolved.counts ?? []))
      .reduce(addCounts, addCounts(counts, rejected));
    const lastSeq = own.at(-1)?.seq ?? sum.lastSeq;
    return { ...all, ...sum, lastSeq, operations: sum.operations + own.length, head: answer.head };
  }

  /** Returns the deletions of rows of the table that an import does not list. */
  async #deletions(place: Place, { table, options }: Omit<RowsWrite, 'parts'>, seen: SeenKeys) {
    const state = await stillAt(this.#branches, place);
    const stored = tableIn(state, table);
    const keys = await this.#run(seen.others(state, stored));
    const steps: Step[] = [];
    for (let at = 0; at < keys.length; at += keysAtOnce) {
      const part = { index: 0, keys: keys.slice(at, at + keysAtOnce) };
      const ignoring = { table, options: { ...options, onMissing: 'ignore' as const } };
      steps.push({ operation: deletionOf(part.keys, ignoring), part });
    }
    return steps;
  }

  async #submit(
    { write, options: { id, baseSeq } }: Omit<RowsWrite, 'parts'>,
    steps: readonly Step[],
    place: number,
  ): Promise<{ answer: SubmissionAnswer; counts: RowCounts }> {
    const { address, branch: _branch, idempotencyKey, expectedHead, ...request } = write;
    const ops = steps.map(({ operation }, at) => {
      const number = place + at;
      const own = id === undefined ? undefined : number === 0 ? id : `${id}#${number}`;
      return own === undefined ? operation : { ...operation, id: own };
    });
    const answer = await submitForTable(this.#branches, address, {
      request: {
        ...request,
        ops,
        baseSeq,
        passesNoops: true,
        byteCount: steps.reduce((sum, { part }) => sum + bytesOf(part), 0),
        ...(place === 0 && { expectedHead }),
        ...(steps.length > 1 && { mode: 'atomic' as const }),
        ...(idempotencyKey !== undefined && { idempotencyKey: `${idempotencyKey}.${place}` }),
      },
      pointerOf: (index, within) => {
        const part = steps[index]?.part;
        return part === undefined ? within : pointerInto(part, within);
      },
    });
    let counts = noRows;
    for (const [at, result] of answer.results.entries()) {
      const own = await operationCounts(this.#branches, address, result);
      counts = addCounts(counts, moved(own, steps[at]?.part));
    }
    return { answer, counts };
  }

  async #table({ write, table }: Omit<RowsWrite, 'parts'>): Promise<Table> {
    return lookAt(this.#branches, await this.#head(write), function* (state) {
      yield* [];
      const date1904 = state.settings.get('dateSystem') === 1904;
      return { stored: tableIn(state, table), date1904, head: state.head };
    });
  }

  #run<Result>(steps: Generator<void, Result>): Promise<Result> {
    return new Pace(this.#environment).run(steps);
  }

  #head({ address, branch }: Write) {
    return this.#branches.locate(address.workbookId, readPathReference(branch));
  }
}

/** Returns whether the id of an operation begins with the id of the request. */
function isOf(id: string | null, { write, options }: Omit<RowsWrite, 'parts'>): boolean {
  const key = write.idempotencyKey;
  const prefix = options.id === undefined ? `${key}.0#` : `${options.id}#`;
  return id?.startsWith(prefix) === true;
}

function moved(counts: RowCounts, part: RowsPart | undefined): RowCounts {
  if (part === undefined || counts.rejected.length === 0) return counts;
  const rejected = counts.rejected.map((one) => ({ ...one, row: placeIn(part, one.row) }));
  return { ...counts, rejected };
}

function rowsOf(part: RowsPart): readonly unknown[] {
  return isKeyBatch(part) ? part.keys : part.rows;
}

/** The part without rows that are left out. */
function without(part: RowBatch, repeated: readonly RejectedRow[]): RowBatch {
  if (repeated.length === 0) return part;
  const gone = new Set(repeated.map(({ row }) => row));
  const places = part.rows.map((_, at) => part.index + at).filter((place) => !gone.has(place));
  return { ...part, rows: places.map((place) => part.rows[place - part.index] ?? []), places };
}

/** Notes what is left out or refused of a step that is not to be sent. */
function isPassedOver({ part, repeated = [] }: Step, options: RowsOptions, run: Run): boolean {
  const [first] = repeated;
  if (!first) return false;
  if (options.onInvalid === 'skip') {
    run.leaveOut(repeated);
    return rowsOf(part).length === 0;
  }
  run.refuse(keyRepeated(first), part);
  return true;
}

function seenKeys({ stored, date1904 }: Table, options: RowsOptions): SeenKeys {
  const key = keyColumnOf(stored);
  if (key) return new SeenKeys({ columns: stored.columns, key, date1904 }, options);
  throw new Failure('tableRefused', {
    detail: `${stored.name} has no key column.`,
    hint: 'PATCH the table with keyColumn first.',
    errors: [{ pointer: '', code: 'key_needed', message: 'The table has no key column.' }],
  });
}

function untold(table: string, { unkeyed, repeated }: UntoldRows): Failure {
  const isUnkeyed = unkeyed.length > 0;
  const named = (isUnkeyed ? unkeyed : repeated).map((row) => row + 1).join(', ');
  const what = isUnkeyed ? 'without a key' : 'with the key of an earlier one';
  const message = `Rows of the sheet ${what}: ${named}.`;
  return new Failure('tableRefused', {
    detail: `${table} has rows ${what}, which an import of several operations cannot take out.`,
    hint: `Give them ${isUnkeyed ? '' : 'other '}keys, or delete them. ${message}`,
    errors: [{ pointer: '', code: isUnkeyed ? 'key_blank' : 'key_repeated', message }],
  });
}

function misfit(mode: string): Failure {
  const wanted = mode === 'delete' ? 'keys' : 'rows';
  const message = `mode ${mode} takes ${wanted}.`;
  return new Failure('invalidRequest', {
    detail: `/${wanted}: ${message}`,
    hint: 'Send rows to upsert or import them, and keys to delete rows.',
    errors: [{ pointer: `/${wanted}`, code: 'required', message }],
  });
}

async function* joined(
  first: readonly RowsPart[],
  rest: AsyncGenerator<RowsPart, void>,
): AsyncGenerator<RowsPart, void> {
  yield* first;
  yield* rest;
}
