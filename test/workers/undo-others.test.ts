import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../server/model/rejection.ts';
import type { Admitted } from '../../server/state/admission.ts';
import { Formulas } from '../../workers/formulas.ts';
import { caseCount } from '../support/case-count.ts';
import { formatOperation, propertyOperation } from '../support/look-operations.ts';
import { plainOperation } from '../support/operation-history.ts';
import { rangeEdit } from '../support/range-histories.ts';
import { recordOperation } from '../support/noted-operations.ts';
import { tableOperation } from '../support/table-operations.ts';
import { contentDifference, contentOf, UndoDriver } from '../support/undo-driver.ts';

// Undoing an operation leaves what others wrote beside it: as if the operation had never been.

const formulas = new Formulas();

interface Drawn {
  readonly kind: string;
  readonly payload: object;
}

/**
 * Returns whether an operation takes over no looks or values from elsewhere, through which it would
 * show an edit that is undone later.
 */
function isBlind({ kind, payload }: Drawn): boolean {
  if (kind === 'range.copy' || kind === 'range.autofill' || 'copyOf' in payload) return false;
  return kind !== 'range.sort' || 'order' in payload;
}

/** Returns the operation; lines that it inserts take nothing over from their neighbours. */
function bare({ kind, payload }: Drawn): Drawn {
  return /^(?:rows|cols).insert$/u.test(kind)
    ? { kind, payload: { ...payload, inherit: 'none' } }
    : { kind, payload };
}

/**
 * Returns whether lines or blocks come, go or move, so that other operations name them by another
 * place.
 */
function reshapes({ kind }: Drawn): boolean {
  if (kind === 'sheet.delete' || kind === 'rows.import' || kind === 'rows.upsert') return true;
  return (
    /^(?:rows|cols|range|table)\./u.test(kind) && !/fill|set|clear|size|hide|group/u.test(kind)
  );
}

/** Returns whether an operation writes constants and looks, which mean nothing but themselves. */
function isPlain({ kind, payload }: Drawn): boolean {
  return (
    /^(?:cells|format|numfmt|sheet)\.(?:set|props)$/u.test(kind) &&
    !JSON.stringify(payload).includes('"=')
  );
}

/**
 * Returns whether an operation is about whole lines, whose looks formatting of their cells takes
 * over.
 */
function isOfLines({ payload }: Drawn): boolean {
  return 'range' in payload && /(?:^|,|!)(?:[A-Z]+:[A-Z]|\d+:\d)/u.test(String(payload.range));
}

const families: Record<string, fc.Arbitrary<Drawn>> = {
  cells: plainOperation,
  plain: plainOperation.filter(isPlain),
  looks: fc.oneof(formatOperation, propertyOperation),
  records: recordOperation,
  tables: tableOperation,
  blocks: rangeEdit,
};

function start(before: readonly Drawn[]): UndoDriver {
  const driver = new UndoDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  const columns = [{ name: 'k' }, { name: 'v' }];
  driver.apply('table.create', {
    name: 'Sales',
    keyColumn: 'k',
    schema: { columns },
    sheetRange: 'Two!G3:H6',
  });
  for (const { kind, payload } of before) driver.submit(kind, payload);
  return driver;
}

/** Returns whether an operation did everything that it asked for. */
function isDone(result: Admitted | Rejection): boolean {
  return !(result instanceof Rejection) && result.clipped.length === 0;
}

function isNoop(result: Admitted | Rejection): boolean {
  return 'status' in result && result.status === 'noop';
}

/** Returns whether either operation moves places that the other one names. */
function areTangled(one: Drawn, other: Drawn): boolean {
  return (reshapes(one) && !isPlain(other)) || (reshapes(other) && !isPlain(one));
}

/** The cells that an operation lists. */
function listedCells({ payload }: Drawn): string[] {
  if (!('cells' in payload) || !Array.isArray(payload.cells)) return [];
  const sheet = 'sheet' in payload ? `${String(payload.sheet)}!` : '';
  return payload.cells.map(({ a1 }: { readonly a1: string }) =>
    a1.includes('!') ? a1 : sheet + a1,
  );
}

function undoFault(driver: UndoDriver, seq: number, kept: Drawn): string | undefined {
  const result = driver.undo(seq);
  if (!(result instanceof Rejection)) {
    // A formula that only followed the operation is not there any more when somebody wrote over it.
    const over = listedCells(kept);
    return result.clipped.every((cell) => over.includes(cell)) ? undefined : 'some of it stays';
  }
  // All that it did may have been written over.
  return result.code === 'nothing_to_undo' ? undefined : result.message;
}

function compare(before: readonly Drawn[], undone: Drawn, kept: Drawn): string {
  const [one, other] = [start(before), start(before)];
  const base = one.state.head;
  const first = one.submit(undone.kind, undone.payload, { baseSeq: base });
  if (!isDone(first) || isNoop(first) || areTangled(undone, kept)) return 'refused';
  const second = one.submit(kept.kind, kept.payload, { baseSeq: base, strict: true });
  other.apply('settings.set', { path: 'title', value: null });
  const alone = other.submit(kept.kind, kept.payload, { baseSeq: base });
  // The second had no effect of its own if the first had already brought it about; it then goes
  // with the first.
  if (!isDone(second) || isNoop(second) || !isDone(alone)) return 'refused';
  const fault = undoFault(one, base + 1, kept);
  if (fault !== undefined) return fault;
  const difference = contentDifference(contentOf(other.state), contentOf(one.state)) ?? 'alike';
  return difference.startsWith('formats') && isOfLines(undone) ? 'refused' : difference;
}

const pairs: Record<string, readonly (keyof typeof families)[]> = {
  cells: ['cells', 'looks', 'records', 'plain'],
  looks: ['cells', 'looks', 'records', 'tables', 'blocks'],
  records: ['cells', 'looks', 'records'],
  tables: ['plain', 'looks'],
  blocks: ['plain', 'looks'],
};

/** Pairs that could be compared: many are refused. */
let alike = 0;

for (const [left, rights] of Object.entries(pairs)) {
  for (const right of rights) {
    t.test(`${left} are undone beside ${right}`, async (t) => {
      const [undone, kept] = [families[left], families[right]];
      if (!undone || !kept) throw new Error('no such family');
      const earlier = alike;
      const before = fc.array(fc.oneof(plainOperation, recordOperation), { maxLength: 5 });
      fc.assert(
        fc.property(before, undone, kept.filter(isBlind).map(bare), (history, a, b) => {
          const fate = compare(history, a, b);
          if (fate === 'alike') alike++;
          else if (fate !== 'refused') throw new Error(fate);
        }),
        { numRuns: caseCount(80) },
      );
      t.comment(`${alike - earlier} of them`);
    });
  }
}

t.test('a formula that followed a block, and that was written over, stays', async (t) => {
  const fill = { kind: 'range.fill', payload: { sheet: 'One', range: 'A10:A2', input: '=A1' } };
  const moved = { kind: 'range.move', payload: { sheet: 'One', source: 'A7:A1', to: 'A3' } };
  const cells = [{ a1: 'A10', input: 'x' }];
  const fate = compare([fill], moved, { kind: 'cells.set', payload: { sheet: 'One', cells } });
  t.equal(fate, 'alike');
});

t.test('many pairs could be compared', async (t) => {
  t.ok(alike > 60, `${alike} of them`);
});
