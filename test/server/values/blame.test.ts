import * as fc from 'fast-check';
import t from 'tap';

import type { BranchAddress, StoredSegment } from '../../../server/branches/journal-store.ts';
import type { JournalRecord } from '../../../server/branches/record.ts';
import { genesisHash, SegmentWriter } from '../../../server/branches/segment.ts';
import { cellName } from '../../../server/model/address.ts';
import { unregistered } from '../../../server/model/identity-names.ts';
import { parseSheetRange } from '../../../server/model/range.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import type { Admitted } from '../../../server/state/admission.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { formatsOf } from '../../../server/state/plan/plan.ts';
import { readFormats } from '../../../server/state/cells/sheet-formats.ts';
import { BackwardJournal } from '../../../server/values/blame/backwards.ts';
import { Blame, type BlamedCell, type BlamePage } from '../../../server/values/blame/blame.ts';
import { failureOf } from '../../support/failure-of.ts';
import {
  formatOperation,
  propertyOperation,
  structureOperation,
} from '../../support/look-operations.ts';
import { quickEnvironment } from '../../support/memory-journal.ts';
import { anyOperation, plainOperation } from '../../support/operation-history.ts';
import { drive } from '../../support/state-driver.ts';
import { UndoDriver } from '../../support/undo-driver.ts';
import { WriterGrid, writingMutations } from '../../support/writer-grid.ts';

/** Runs long: journals with forks are read in two ways, page by page. */

const branchNames = ['', 'main', 'fork', null] as const;
const workbookId = 'wb_1';

/** A journal with forks, and the writers as a grid without ids has them. */
class Written {
  readonly driver = new UndoDriver();
  /** The operation that wrote a cell, as branch number times a million and sequence. */
  readonly grid = new WriterGrid();
  readonly #records = new Map<number, JournalRecord[]>();
  readonly #origins = new Map<number, { branchNo: number; seq: number }>();
  #branchNo = 1;

  get branchNo(): number {
    return this.#branchNo;
  }

  submit(kind: string, payload: object, behind = 0): boolean {
    const { driver } = this;
    const baseSeq = Math.max(this.#branchNo === 1 ? 2 : 0, driver.state.head - behind);
    const base = Math.min(baseSeq, driver.state.head);
    return this.#note(driver.submit(kind, payload, { baseSeq: base }));
  }

  /** Takes back what was written some operations ago in this branch. */
  undo(behind: number): boolean {
    const seq = this.driver.state.head - behind;
    return seq > (this.#branchNo === 1 ? 2 : 0) && this.#note(this.driver.undo(seq));
  }

  #note(result: Admitted | Rejection): boolean {
    if (result instanceof Rejection) return false;
    const { head: seq } = this.driver.state;
    const stamp = this.#branchNo * 1_000_000 + seq;
    for (const mutation of writingMutations(this.driver.at(seq - 1), result)) {
      this.grid.apply(mutation, stamp);
    }
    const records = this.#records.get(this.#branchNo) ?? [];
    this.#records.set(this.#branchNo, records);
    const { payload: journalled, resolved } = result;
    const record = { seq, id: `op${seq}`, writer: 'w', principalId: 'agt_1', resolved, at: seq };
    records.push({ ...record, kind: result.kind, payload: journalled });
    return true;
  }

  /** Goes on in a branch that begins here. */
  fork(): void {
    const parentNo = this.#branchNo;
    this.#origins.set(parentNo + 1, { branchNo: parentNo, seq: this.driver.state.head });
    this.#branchNo++;
    this.driver.take(this.driver.state.branchOff(this.#branchNo));
  }

  /** Rows of three operations, of which those up to `sealedSeq` are in objects alone. */
  blame({ operationsMost = 1_000, sealedSeq = 0 } = {}): Blame {
    const table = {
      origin: async ({ branchNo }: BranchAddress) => {
        const from = this.#origins.get(branchNo);
        const head = this.#records.get(branchNo)?.length ?? 0;
        const name = branchNames[branchNo] ?? null;
        const [parentNo, forkSeq] = [from?.branchNo ?? null, from?.seq ?? null];
        return { name, head, parentNo, forkSeq, loggedAfter: 0 };
      },
      segmentsBefore: async ({ branchNo }: BranchAddress, seq: number) => {
        const rows = this.#segments(branchNo).filter(({ lastSeq }) => lastSeq > sealedSeq);
        return rows
          .filter(({ firstSeq }) => firstSeq <= seq)
          .toReversed()
          .slice(0, 2);
      },
    };
    const segmentsAround = async ({ branchNo }: BranchAddress, seq: number) => {
      const sealed = this.#segments(branchNo).filter(({ firstSeq }) => firstSeq <= sealedSeq);
      const object = Math.floor(sealed.findIndex(({ lastSeq }) => lastSeq >= seq) / 2);
      return object < 0 ? [] : sealed.slice(object * 2, object * 2 + 2);
    };
    const look = <Result>(steps: (state: BranchState) => Generator<void, Result>): Result => {
      return drive(steps(this.driver.state));
    };
    const source = {
      read: async <Result>(
        _address: BranchAddress,
        steps: (state: BranchState) => Generator<void, Result>,
      ) => look(steps),
      readAt: async <Result>(
        _address: BranchAddress,
        _seq: number,
        steps: (state: BranchState) => Generator<void, Result>,
      ) => look(steps),
    };
    const environment = quickEnvironment();
    const journal = new BackwardJournal({ table, sealed: { segmentsAround }, environment });
    // A live branch gives its reader more than blame asks for.
    const given = source as ConstructorParameters<typeof Blame>[0]['source'];
    const holdings = { of: async () => () => () => 0 };
    const names = unregistered;
    return new Blame({ source: given, journal, holdings, names, environment, operationsMost });
  }

  ask(blame: Blame, text: string, cursor?: string): Promise<BlamePage> {
    const range = parseSheetRange(text);
    if (!range) throw new Error(`${text} is no range`);
    const address = { workbookId, branchNo: this.#branchNo };
    const place = { address, branch: 'main', seq: this.driver.state.head, isPinned: false };
    return blame.read({ workbookId, place, range, text, cursor });
  }

  #segments(branchNo: number): StoredSegment[] {
    const records = this.#records.get(branchNo) ?? [];
    const segments: StoredSegment[] = [];
    for (let at = 0; at < records.length; at += 3) {
      const writer = new SegmentWriter(at + 1, segments.at(-1)?.hash ?? genesisHash);
      for (const record of records.slice(at, at + 3)) writer.append(record);
      segments.push(writer.close());
    }
    return segments;
  }
}

const noCells = { row0: 0, row1: -1, column0: 0, column1: -1 };

/** Returns the writers that the grid has for the cells of a sheet that hold something. */
function expected(written: Written, sheetIndex: number): Map<string, string> {
  const { state } = written.driver;
  const sheet = state.structure.sheets[sheetIndex];
  if (!sheet) throw new Error('no such sheet');
  const found = new Map<string, string>();
  const { row0, row1, column0, column1 } = state.used(sheet) ?? noCells;
  for (let row = row0; row <= row1; row++) {
    for (let column = column0; column <= column1; column++) {
      if (state.inputAt(sheet, row, column) === null) continue;
      const stamp = written.grid.writerAt(sheet.key, row, column) ?? 0;
      const branch = branchNames[Math.floor(stamp / 1_000_000)] ?? null;
      found.set(cellName(row, column), `${branch}@${stamp % 1_000_000}`);
    }
  }
  return found;
}

function told(cells: readonly BlamedCell[]): Map<string, string> {
  return new Map(cells.map(({ cell, branch, seq }) => [cell, `${branch}@${seq}`]));
}

const severalSheets = fc
  .tuple(fc.constantFrom('A1', 'B2', 'C3'), fc.constantFrom('One', 'Two'), fc.nat(5))
  .map(([a1, sheet, input]) => ({
    kind: 'cells.set',
    payload: {
      sheet: 'One',
      cells: [
        { a1, input },
        { a1: `${sheet}!${a1}`, input },
        { a1: `Two!A2`, fmt: '0.0' },
      ],
    },
  }));

const holes = fc
  .tuple(
    fc.constantFrom('A1:B2,C4:D4', 'B2:C4', 'A3:B5'),
    fc.array(fc.constantFrom(null, null, 7, '=A1'), { minLength: 6, maxLength: 6 }),
    fc.boolean(),
  )
  .map(([range, flat, isFormatted]) => {
    const inputs = [flat.slice(0, 2), flat.slice(2, 4), flat.slice(4, 6)];
    const fmts = inputs.map((row) => row.map((input) => (input === null ? '0.0' : null)));
    const payload = { sheet: 'One', range, inputs, ...(isFormatted && { fmts }) };
    return { kind: 'range.set', payload };
  });

const operation = fc.oneof(
  { weight: 6, arbitrary: plainOperation },
  { weight: 1, arbitrary: severalSheets },
  { weight: 2, arbitrary: holes },
  { weight: 1, arbitrary: formatOperation },
  { weight: 1, arbitrary: propertyOperation },
  { weight: 2, arbitrary: structureOperation },
);
const everything = fc.oneof(
  { weight: 3, arbitrary: operation },
  { weight: 2, arbitrary: anyOperation },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.tuple(operation, fc.nat(4)).map(([given, behind]) => ({ given, behind })),
  },
  { weight: 4, arbitrary: fc.record({ undo: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.constant('fork' as const) },
);
type Step =
  | 'fork'
  | { undo: number }
  | { given: { kind: string; payload: object }; behind: number };
const history = fc.record({
  steps: fc.array(step, { minLength: 12, maxLength: 50 }),
  sealedSeq: fc.nat(30),
  operationsMost: fc.integer({ min: 1, max: 6 }),
});

function write(steps: readonly Step[]): Written {
  const written = new Written();
  written.submit('sheet.add', { name: 'One' });
  written.submit('sheet.add', { name: 'Two' });
  for (const next of steps) {
    if (next === 'fork') {
      if (written.branchNo < 3) written.fork();
    } else if ('undo' in next) written.undo(next.undo);
    else written.submit(next.given.kind, next.given.payload, next.behind);
  }
  return written;
}

t.test('the journal tells the same writers as carrying them along does', async (t) => {
  let cellCount = 0;
  let forkedCount = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ steps, sealedSeq }) => {
      const written = write(steps);
      const blame = written.blame({ sealedSeq });
      for (const [index, { name }] of written.driver.state.structure.sheets.entries()) {
        const { cells, next } = await written.ask(blame, `'${name}'!A1:XFD1048576`);
        const [found, wanted] = [told(cells), expected(written, index)];
        if (next !== undefined) throw new Error('it is complete');
        t.same(Object.fromEntries(found), Object.fromEntries(wanted));
        cellCount += found.size;
        forkedCount += [...found.values()].filter((place) => !place.startsWith('main')).length;
      }
    }),
    { numRuns: 250 },
  );
  t.comment(`${cellCount} cells, ${forkedCount} of them written in forks`);
  t.ok(cellCount > 1_000 && forkedCount > 100);
});

t.test('pages tell together what one page tells', async (t) => {
  let pageCount = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ steps, sealedSeq, operationsMost }) => {
      const written = write(steps);
      const { name = '' } = written.driver.state.structure.sheets[0] ?? {};
      const text = `'${name}'!A1:XFD1048576`;
      const whole = await written.ask(written.blame({ sealedSeq }), text);
      const blame = written.blame({ sealedSeq, operationsMost });
      const cells: BlamedCell[] = [];
      const formats = new Map<string, number>();
      let cursor: string | undefined;
      do {
        const page: BlamePage = await written.ask(blame, text, cursor);
        cells.push(...page.cells);
        for (const { cell, format } of page.cells) if (format) formats.set(cell, format.seq);
        for (const { cell, format } of page.formats) formats.set(cell, format.seq);
        cursor = page.next;
        pageCount++;
      } while (cursor !== undefined);
      t.same(Object.fromEntries(told(cells)), Object.fromEntries(told(whole.cells)));
      t.equal(cells.length, whole.cells.length);
      const wanted = whole.cells.flatMap(({ cell, format }) =>
        format ? [[cell, format.seq]] : [],
      );
      t.same(Object.fromEntries(formats), Object.fromEntries(wanted));
    }),
    { numRuns: 100 },
  );
  t.ok(pageCount > 150, `${pageCount} pages`);
});

/** How a cell looks now, wherever it stands; undefined if it is not there. */
function lookOf(state: BranchState, sheetId: string, cell: Pick<Cell, 'row' | 'column'>) {
  const sheet = state.structure.withId(sheetId);
  if (!sheet) return undefined;
  const { row, column } = cell;
  const row0 = sheet.rows.positionOf(row.branch, row.sequence, row.offset);
  const column0 = sheet.columns.positionOf(column.branch, column.sequence, column.offset);
  if (row0 === undefined || column0 === undefined) return undefined;
  return readFormats(formatsOf(state, sheet), { row0, column0, row1: row0, column1: column0 })[0];
}

interface Cell {
  readonly a1: string;
  readonly row: { branch: number; sequence: number; offset: number };
  readonly column: { branch: number; sequence: number; offset: number };
}

/** A constant that a cell holds, wherever it stands; undefined if it is not there, or a formula. */
function constantOf(
  state: BranchState,
  sheetId: string,
  { row, column }: Pick<Cell, 'row' | 'column'>,
) {
  const sheet = state.structure.withId(sheetId);
  const row0 = sheet?.rows.positionOf(row.branch, row.sequence, row.offset);
  const column0 = sheet?.columns.positionOf(column.branch, column.sequence, column.offset);
  if (!sheet || row0 === undefined || column0 === undefined) return undefined;
  const input = state.inputAt(sheet, row0, column0);
  return typeof input === 'object' && input && 'formula' in input ? undefined : input;
}

t.test('nothing has changed a cell after the one who is told', async (t) => {
  let formatCount = 0;
  let valueCount = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(everything, { minLength: 5, maxLength: 30 }), async (operations) => {
      const written = new Written();
      written.submit('sheet.add', { name: 'One' });
      written.submit('sheet.add', { name: 'Two' });
      const states: BranchState[] = [];
      for (const [index, { kind, payload }] of operations.entries()) {
        if (index % 4 === 3) written.undo((index >> 2) % 4);
        else written.submit(kind, payload);
        states[written.driver.state.head] = written.driver.state.fork();
      }
      const { state } = written.driver;
      for (const sheet of state.structure.sheets) {
        const { cells } = await written.ask(written.blame(), `'${sheet.name}'!A1:J40`);
        for (const { cell, seq, format } of cells) {
          const area = parseSheetRange(cell)?.areas[0];
          if (!area) continue;
          const id = { row: sheet.rows.idAt(area.row0), column: sheet.columns.idAt(area.column0) };
          const constant = constantOf(state, sheet.id, id);
          if (constant !== undefined) {
            const values = states.slice(seq).map((then) => constantOf(then, sheet.id, id));
            t.same(
              new Set(values.map((value) => JSON.stringify(value))).size,
              1,
              `${cell} since ${seq}`,
            );
            valueCount++;
          }
          if (!format) continue;
          const looks = states.slice(format.seq).map((then) => lookOf(then, sheet.id, { ...id }));
          // A line that was deleted and came back looks as its column did all the while.
          t.same(
            new Set(looks.filter((look) => look !== undefined)).size,
            1,
            `${cell} since ${format.seq}`,
          );
          formatCount++;
        }
      }
    }),
    { numRuns: 150 },
  );
  t.ok(formatCount > 30, `${formatCount} formats`);
  t.ok(valueCount > 300, `${valueCount} values`);
});

t.test('a range is bounded, and a cursor belongs to its request', async (t) => {
  const written = new Written();
  written.submit('sheet.add', { name: 'One' });
  written.submit('range.fill', { sheet: 'One', range: 'A1:A5001', input: 1 });
  const blame = written.blame({ operationsMost: 1 });
  t.match(await failureOf(() => written.ask(blame, 'One!A:A')), { key: 'rangeTooLarge' });
  t.match(await failureOf(() => written.ask(blame, 'None!A1')), { key: 'sheetNotFound' });
  const page = await written.ask(blame, 'One!A1:A5000');
  t.equal(page.cells.length, 5_000);
  t.same((await written.ask(blame, 'One!B1:C9')).cells, []);
  for (let count = 0; count < 5; count++) {
    written.submit('cells.set', { sheet: 'One', cells: [{ a1: 'C1', input: count }] });
  }
  const { next = '' } = await written.ask(blame, 'One!A1:A9');
  t.ok(next.length > 0 && next.length < 200, next);
  for (const cursor of ['', 'x', '????', next.slice(1), `${next}A`.slice(2)]) {
    t.match(await failureOf(() => written.ask(blame, 'One!A1:A9', cursor)), {
      key: 'invalidRequest',
      errors: [{ pointer: '?cursor' }],
    });
  }
  t.match(await failureOf(() => written.ask(blame, 'One!A1:A8', next)), { key: 'invalidRequest' });
  t.equal((await written.ask(blame, 'One!A1:A9', next)).seq, 7);
});
