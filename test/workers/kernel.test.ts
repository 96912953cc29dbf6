import t from 'tap';
import type { Mutation } from '../../server/model/mutation.ts';
import { formulaForm, inputForm, valueForm } from '../../workers/decode.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const fuel = 1e9;

function modelOf(rows: readonly (readonly (number | string | boolean | null)[])[]): Kernel {
  const kernel = Kernel.create();
  const inputs = rows.map((row) =>
    row.map((input) =>
      typeof input === 'string' && input.startsWith('=') ? { formula: input } : input,
    ),
  );
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Sheet1', index: 0 },
    { kind: 'block', sheet: 1, row: 0, column: 0, inputs },
  ]);
  kernel.recalculate(now, fuel);
  return kernel;
}

function read(kernel: Kernel, row1: number, column1: number) {
  const area = { row0: 0, column0: 0, row1, column1 };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm });
}

t.test('texts of every kind come back unit by unit', async (t) => {
  const texts = ['a', '\ud83d', 'é€😀', 'x'.repeat(63), 'y'.repeat(64), 'ß'.repeat(32_767)];
  const kernel = modelOf(texts.map((text) => [text, text]));
  t.same(
    read(kernel, texts.length - 1, 1),
    texts.map((text) => [text, text]),
  );
});

t.test('the three lenses', async (t) => {
  const kernel = modelOf([["'quoted", '=1+1', 3, null, true]]);
  const area = { row0: 0, column0: 0, row1: 0, column1: 4 };
  const lens = (name: 'value' | 'formula' | 'input') => {
    const form = { value: valueForm, formula: formulaForm, input: inputForm }[name];
    return kernel.readRange<unknown>(1, area, { lens: name, form })[0];
  };
  t.same(lens('value'), ["'quoted", 2, 3, null, true]);
  t.same(lens('formula'), [null, '=1+1', null, null, null]);
  t.same(lens('input'), ["''quoted", '=1+1', 3, null, true]);
});

t.test('a recalculation can be cut into slices without changing its result', async (t) => {
  const fill: Mutation[] = [
    { kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 },
    { kind: 'cell', sheet: 1, row: 0, column: 0, input: 1 },
    {
      kind: 'fill',
      sheet: 1,
      row: 1,
      column: 0,
      rowCount: 20_000,
      columnCount: 1,
      input: { formula: '=A1+RAND()' },
    },
  ];
  const [whole, sliced] = [Kernel.create(), Kernel.create()];
  for (const kernel of [whole, sliced]) kernel.apply(fill);
  t.equal(whole.recalculate(now, fuel), true);
  let slices = 0;
  while (!sliced.recalculate(now, 1000)) slices++;
  t.ok(slices > 2, `${slices} slices`);
  t.same(read(sliced, 20_000, 0), read(whole, 20_000, 0));
  t.equal(sliced.pendingCount, 0);
});

t.test('another instance takes the model up where it is', async (t) => {
  const first = modelOf([[1, '=A1*2']]);
  const second = Kernel.attach(first.loan);
  second.apply([{ kind: 'cell', sheet: 1, row: 0, column: 0, input: 21 }]);
  second.recalculate(now, fuel);
  first.refresh();
  t.same(read(first, 0, 1), [[21, 42]]);
  t.equal(first.statistics().formulas, 1);
});

t.test('an instance that is attached changes no byte of the model', async (t) => {
  // Whatever the module allocated as it starts, such as a text of two parts, would lie there.
  const { loan } = Kernel.create();
  const before = Buffer.copyBytesFrom(new Uint8Array(loan.memory.buffer));
  Kernel.attach(loan);
  t.ok(before.equals(new Uint8Array(loan.memory.buffer)));
});

t.test('values are paged in the order of sheets, rows and columns', async (t) => {
  const kernel = modelOf([
    [1, null, 2],
    [null, '=A1&"x"', null],
  ]);
  kernel.apply([
    { kind: 'sheetAdd', sheet: 2, name: 'First', index: 0 },
    { kind: 'cell', sheet: 2, row: 9, column: 9, input: false },
  ]);
  kernel.recalculate(now, fuel);
  t.equal(kernel.valueCount, 4);
  const found: unknown[] = [];
  for (let offset = 0; offset < 4; offset++) {
    kernel.readValues(offset, 1, ({ sheet, row, column, value }) => {
      found.push([sheet, row, column, value]);
    });
  }
  t.same(found, [
    [2, 9, 9, false],
    [1, 0, 0, 1],
    [1, 0, 2, 2],
    [1, 1, 1, '1x'],
  ]);
});

t.test('number formats come from the host', async (t) => {
  const kernel = modelOf([['=TEXT(45000,"dddd d mmm yyyy")', '=TEXT(1,"E")', '=TEXT("a","<@>")']]);
  t.same(read(kernel, 0, 2), [['Wednesday 15 Mar 2023', { error: '#VALUE!' }, '<a>']]);
});

t.test('a buffer that holds no commands is refused and the model is given up', async (t) => {
  const kernel = Kernel.create();
  t.throws(() => kernel.applyCommands(new Uint8Array([99, 0, 0, 0])), { name: 'KernelFault' });
});

t.test('a read of what is not there answers nothing of an earlier read', async (t) => {
  const kernel = modelOf([[1, 2]]);
  const one = { row0: 0, column0: 0, row1: 0, column1: 0 };
  const areas = {
    'behind the last row': { sheet: 1, area: { ...one, row1: 1_048_576 } },
    'behind the last column': { sheet: 1, area: { ...one, column1: 16_384 } },
    'upside down': { sheet: 1, area: { ...one, row0: 1 } },
    'back to front': { sheet: 1, area: { ...one, column0: 1 } },
    'of no sheet': { sheet: 9, area: one },
  };
  for (const lens of ['value', 'formula', 'input'] as const) {
    for (const [name, { sheet, area }] of Object.entries(areas)) {
      t.same(read(kernel, 0, 1), [[1, 2]]);
      const wrong = () => kernel.readRange(sheet, area, { lens, form: valueForm });
      const message = `readRange of sheet ${sheet} answered status 5`;
      t.throws(wrong, { name: 'KernelFault', message: new RegExp(message) }, `${name}, ${lens}`);
    }
  }
});

t.test('names that change before anything is calculated', async (t) => {
  const kernel = Kernel.create();
  const inputs = [[1, 2, { formula: '=rate*10' }, { formula: '=noon+0' }, { formula: '=D1+1' }]];
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Sheet1', index: 0 },
    { kind: 'block', sheet: 1, row: 0, column: 0, inputs },
    { kind: 'nameSet', name: 'rate', scope: undefined, formula: '=Sheet1!$A$1' },
    { kind: 'nameSet', name: 'rate', scope: undefined, formula: '=Sheet1!$B$1' },
    { kind: 'nameSet', name: 'noon', scope: undefined, formula: '=NOW()' },
  ]);
  kernel.recalculate({ ...now, clockSerial: 100 }, fuel);
  t.same(read(kernel, 0, 4), [[1, 2, 20, 100, 101]]);
  kernel.apply([{ kind: 'cell', sheet: 1, row: 0, column: 1, input: 3 }]);
  kernel.recalculate({ ...now, clockSerial: 200 }, fuel);
  t.same(read(kernel, 0, 4), [[1, 3, 30, 200, 201]]);
});

t.test('the formula service', async (t) => {
  const formulas = new Formulas();
  t.same(formulas.check('=SUM(A1:B2)'), { ok: true });
  t.match(formulas.check('=1+'), { ok: false, at: 3, message: String });
  t.match(formulas.check('=1+ABS()'), { ok: false, at: 3, message: 'too few arguments' });
  t.match(formulas.check('=IF(1,2,3,4)'), { ok: false, message: 'too many arguments' });
  t.equal(formulas.toR1C1('=A1+$B$2+Plan!C3', 2, 2), '=R[-2]C[-2]+R2C2+Plan!RC');
  t.equal(formulas.fromR1C1('=R[-2]C[-2]+R2C2', 3, 3), '=B2+$B$2');
  t.same(formulas.references("=SUM('It''s'!A$1:B2)*C:C"), [
    {
      start: 5,
      end: 19,
      sheet: "It's",
      row0: 0,
      column0: 0,
      row1: 1,
      column1: 1,
      flags: 1,
    },
    {
      start: 21,
      end: 24,
      sheet: undefined,
      row0: 0,
      column0: 2,
      row1: 1_048_575,
      column1: 2,
      // Whole columns, and their rows do not move.
      flags: 16 + 4 + 1,
    },
  ]);
  t.equal(formulas.toR1C1('=1+', 0, 0), '=1+', 'what cannot be read stays as it is');
});

t.test('the formula service stays small, however much it is asked', async (t) => {
  const formulas = new Formulas();
  for (let round = 0; round < 20_000; round++) {
    const text = `=IF(A1="${'t'.repeat(200)}${round}",B1,C1)`;
    formulas.toR1C1(text, 3, 3);
    formulas.check(text);
  }
  t.same(formulas.check('=1'), { ok: true });
});
