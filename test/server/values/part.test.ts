import * as fc from 'fast-check';
import t from 'tap';

import { parseSheetRange } from '../../../server/model/range.ts';
import { contentMutations } from '../../../server/state/content-mutations.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import type { ModelView } from '../../../server/values/model.ts';
import { readPart } from '../../../server/values/part.ts';
import { SheetList } from '../../../server/values/sheet-list.ts';
import { SliceReader } from '../../../server/values/slice.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { Kernel, type Lens } from '../../../workers/kernel.ts';
import { operationHistory } from '../../support/operation-history.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

const lenses: readonly Lens[] = ['value', 'formula', 'input'];
const formulas = new Formulas();

function startedDriver(): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  return driver;
}

/** A model of all there is. */
function wholeOf(state: BranchState): ModelView {
  const kernel = Kernel.create();
  const sheets = new SheetList();
  const mutations = [...contentMutations(state)];
  kernel.apply(mutations);
  for (const mutation of mutations) sheets.apply(mutation);
  kernel.recalculate({ clockSerial: 0, seedHigh: 0, seedLow: 0 }, 10_000_000);
  const position = { seq: state.head, at: 0 };
  const lend = () => kernel.loan;
  return { kernel, sheets, position, lastRecalculation: undefined, isEvaluated: true, lend };
}

function rangeOf(text: string) {
  const range = parseSheetRange(text);
  if (!range) throw new Error(text);
  return range;
}

async function read(view: ModelView, text: string, lens: Lens): Promise<string> {
  const slices = await new SliceReader(view, lens, realEnvironment).read([rangeOf(text)]);
  return JSON.stringify(slices);
}

const formulaOf = fc.constantFrom(
  '=SUM(B1:B9)+ROUND(AVERAGE(C2:D3),2)',
  '=IF(A2>1,B2*2,"no")',
  '=SEQUENCE(3)',
  '=B1:B4*2',
  '=-A3^2&"x"',
  '=Two!B2+MAX(Two!A1:C4)',
  '=INDIRECT("A"&1)',
);

t.test('a part shows what a model of the whole shows', async (t) => {
  let partCount = 0;
  await fc.assert(
    fc.asyncProperty(
      operationHistory,
      fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), formulaOf), { maxLength: 4 }),
      fc.constantFrom('One!B2:D7', 'One!A1:C3', 'Two!A1:D9', 'One!C5:C5'),
      async (history, written, range) => {
        const driver = startedDriver();
        for (const [{ kind, payload }] of history) driver.submit(kind, payload);
        for (const [row, input] of written) {
          driver.submit('cells.set', { sheet: 'One', cells: [{ a1: `C${row}`, input }] });
        }
        const whole = wholeOf(driver.state);
        for (const lens of lenses) {
          const part = drive(readPart(driver.state, [rangeOf(range)], lens));
          if (!part) continue;
          partCount++;
          const [mine, theirs] = [await read(part, range, lens), await read(whole, range, lens)];
          if (mine !== theirs) throw new Error(`${lens}: ${mine} is not ${theirs}`);
        }
      },
    ),
    { numRuns: 150 },
  );
  t.ok(partCount > 150, `${partCount} parts were compared`);
});

t.test('a part is refused where it cannot be told what it needs', async (t) => {
  const driver = startedDriver();
  const set = (a1: string, input: unknown): void => {
    driver.apply('cells.set', { sheet: 'One', cells: [{ a1, input }] });
  };
  const partOf = (range: string, lens: Lens) => {
    return drive(readPart(driver.state, [rangeOf(range)], lens));
  };
  for (let row = 1; row <= 50; row++) set(`A${row}`, row);
  set('B1', '=SUM(A1:A50)*2');
  set('B2', '=B1+1');
  const view = partOf('One!B2:B3', 'value');
  t.match(view && JSON.parse(await read(view, 'One!B2:B3', 'value')), [{ rows: [[2551], [null]] }]);
  t.equal(partOf('One!A:A', 'value'), undefined, 'a whole column');
  t.equal(partOf('None!A1', 'value'), undefined, 'no such sheet');
  set('D1', '=OFFSET(A1,1,0)');
  t.equal(partOf('One!D1', 'value'), undefined, 'a place only the kernel knows');
  t.ok(partOf('One!D1', 'formula'), 'but not for its text');
  t.ok(partOf('One!B1:B2', 'value'), 'nor where nothing is blank');
  t.equal(partOf('One!B2:B3', 'value'), undefined, 'a blank that a formula elsewhere may fill');
});
