import t from 'tap';

import { operationSchema } from '../../../server/model/operation.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import { admit } from '../../../server/state/admission.ts';
import { ClientView } from '../../../server/state/client-view.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

const formulas = new Formulas();

function book(inputs: readonly (readonly unknown[])[] = []): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'My two' });
  if (inputs.length > 0) driver.apply('range.set', { sheet: 'One', range: 'A1', inputs });
  return driver;
}

function set(driver: StateDriver, a1: string, input: unknown, sheet = 'One'): void {
  driver.apply('cells.set', { sheet, cells: [{ a1, input }] });
}

const move = (source: string, to: string) => ({ sheet: 'One', source, to });

/** Returns the formula as it is after cells have moved. */
function retargeted(formula: string, source: string, to: string): unknown {
  const driver = book();
  set(driver, 'H20', formula);
  driver.apply('range.move', move(source, to));
  return driver.read('H20');
}

t.test('contents and number formats move, and nothing else is left behind', async (t) => {
  const driver = book([
    [1, 'x', true],
    [2, '', { error: '#N/A' }],
  ]);
  driver.apply('numfmt.set', { sheet: 'One', range: 'A1', pattern: '0.00' });
  set(driver, 'F6', 'overwritten');
  const result = driver.apply('range.move', move('A1:C2', 'E5'));
  t.strictSame(driver.rows('A1:C2'), [
    [null, null, null],
    [null, null, null],
  ]);
  t.strictSame(driver.rows('E5:G6'), [
    [1, 'x', true],
    [2, null, { error: '#N/A' }],
  ]);
  const sheet = driver.state.structure.sheets[0];
  t.ok(sheet);
  if (!sheet) return;
  const formats = (row: number, column: number) =>
    driver.state.numberFormats(sheet, { row0: row, row1: row, column0: column, column1: column });
  t.strictSame([formats(0, 0), formats(4, 4)], [[['General']], [['0.00']]]);
  t.match(result.resolved, {
    sheet: 's1.1.0',
    areas: [{ rows: [0, 0, 0, 2], columns: [0, 0, 0, 3] }],
    to: { sheet: 's1.1.0', areas: [{ rows: [0, 0, 4, 2], columns: [0, 0, 4, 3] }] },
  });
});

t.test('references to moved cells follow them', async (t) => {
  t.equal(retargeted('=A1', 'A1', 'C3'), '=C3');
  t.equal(retargeted('=$A$1+A$1+$A1', 'A1', 'C3'), '=$C$3+C$3+$C3');
  t.equal(retargeted('=SUM(A1:B2)*A9', 'A1:B2', 'C3'), '=SUM(C3:D4)*A9');
  t.equal(retargeted('=SUM(A:A)', 'A:A', 'C1'), '=SUM(C:C)');
  t.equal(retargeted('=SUM($2:3)', '2:3', 'A9'), '=SUM($9:10)');
  t.equal(retargeted('=SUM(A1:.B2)', 'A1:B2', 'C3'), '=SUM(C3:.D4)');
  t.equal(retargeted('=A1#', 'A1', 'C3'), '=C3#');
  t.equal(retargeted('="A1"&A1', 'A1', 'C3'), '="A1"&C3');
});

t.test('a range that moved in part stays, unless a whole edge moved along its axis', async (t) => {
  t.equal(retargeted('=SUM(A1:B2)', 'A1', 'C3'), '=SUM(A1:B2)');
  t.equal(retargeted('=SUM(A1:A10)', 'A4:A5', 'C4'), '=SUM(A1:A10)');
  t.equal(retargeted('=SUM(A1:A10)', 'A10', 'C10'), '=SUM(A1:A10)', 'sideways');
  t.equal(retargeted('=SUM(A1:A10)', 'A10', 'B12'), '=SUM(A1:A10)', 'askew');
  t.equal(retargeted('=SUM(A1:A10)', 'A10', 'A15'), '=SUM(A1:A15)', 'stretched at its end');
  t.equal(retargeted('=SUM(A5:A10)', 'A5', 'A2'), '=SUM(A2:A10)', 'stretched at its start');
  t.equal(retargeted('=SUM(A1:A10)', 'A9:A10', 'A7'), '=SUM(A1:A8)', 'shrunk');
  t.equal(retargeted('=SUM(A1:C1)', 'C1', 'F1'), '=SUM(A1:F1)', 'across');
  t.equal(retargeted('=SUM(A1:B10)', 'A10', 'A15'), '=SUM(A1:B10)', 'not the whole edge');
  t.equal(retargeted('=SUM(A1:B10)', 'A10:B10', 'A15'), '=SUM(A1:B15)');
  t.equal(retargeted('=SUM(A5:A10)', 'A10', 'A2'), '=SUM(A5:A10)', 'not beyond the other edge');
  t.equal(retargeted('=SUM(A:A)', 'A1:A5', 'A9'), '=SUM(A:A)');
});

t.test('references to overwritten cells are lost', async (t) => {
  t.equal(retargeted('=C3+A1', 'A1', 'C3'), '=#REF!+C3');
  t.equal(retargeted('=SUM(C3:C4)', 'A1:A2', 'C3'), '=SUM(#REF!)');
  t.equal(retargeted('=SUM(C3:C9)', 'A1:A2', 'C3'), '=SUM(C3:C9)');
  t.equal(retargeted('=A3', 'A1:A3', 'A2'), '=A4', 'what overlaps moved, too');
  t.equal(retargeted('=A4', 'A1:A3', 'A2'), '=#REF!');
  t.equal(retargeted('=A1+A2+A3+A4', 'A1:A2', 'A2'), '=A2+A3+#REF!+A4');
});

t.test('moved formulas keep what they refer to, and each other', async (t) => {
  const driver = book([
    [1, '=A1*2', '=B1+$A$9+A9'],
    [2, '=A2*2', '=B2+$A$9+A10'],
  ]);
  driver.apply('range.move', move('B1:C2', 'E5'));
  t.strictSame(driver.rows('E5:F6'), [
    ['=A1*2', '=E5+$A$9+A9'],
    ['=A2*2', '=E6+$A$9+A10'],
  ]);
});

t.test('a filled column is cut where its references part company', async (t) => {
  const driver = book();
  driver.apply('range.fill', { sheet: 'One', range: 'C1:C9', input: '=A1+$A$5' });
  driver.apply('range.move', move('A4:A6', 'H1'));
  t.strictSame(driver.rows('C1:C9').flat(), [
    '=A1+$H$2',
    '=A2+$H$2',
    '=A3+$H$2',
    '=H1+$H$2',
    '=H2+$H$2',
    '=H3+$H$2',
    '=A7+$H$2',
    '=A8+$H$2',
    '=A9+$H$2',
  ]);
  const [column] = driver.admitted.at(-1)?.mutations.filter(({ kind }) => kind === 'fill') ?? [];
  t.match(column, { row: 0, column: 2, rowCount: 3, input: { formula: '=A1+$H$2' } });
});

t.test('to another sheet and back', async (t) => {
  const driver = book([[1, '=A1+A2', "=One!A1+'My two'!B2"]]);
  set(driver, 'A5', '=A1+SUM(A1:B1)');
  set(driver, 'B1', '=One!A1+A1+SUM(One!A1:C1)', 'My two');
  driver.apply('range.move', { ...move('A1:C1', 'B2'), toSheet: 'My two' });
  t.strictSame(driver.rows('B2:D2', 1), [[1, '=B2+One!A2', "='My two'!B2+#REF!"]]);
  t.equal(driver.read('A5'), "='My two'!B2+SUM('My two'!B2:C2)");
  t.equal(driver.read('B1', 1), "='My two'!B2+A1+SUM('My two'!B2:D2)");
  driver.apply('range.move', { sheet: 'My two', source: 'B2:D2', to: 'One!A1' });
  t.strictSame(driver.rows('A1:C1'), [[1, '=A1+One!A2', '=One!A1+#REF!']]);
  t.equal(driver.read('A5'), '=One!A1+SUM(One!A1:B1)');
});

t.test('defined names and tables follow', async (t) => {
  const driver = book([
    ['Id', 'Price'],
    [1, 2],
  ]);
  driver.apply('table.create', { name: 'Sales', sheetRange: 'One!A1:B2' });
  driver.apply('name.set', { name: 'tax', ref: 'One!B2' });
  driver.apply('name.set', { name: 'some', formula: '=SUM(One!$A$1:$B$2)+One!A1' });
  driver.apply('range.move', { ...move('A1:B2', 'D4'), toSheet: 'My two' });
  t.match(driver.state.nameSummaries(), [
    { name: 'some', formula: "=SUM('My two'!$D$4:$E$5)+One!A1" },
    { name: 'tax', formula: "='My two'!$E$5" },
  ]);
  t.match(driver.state.tables.summaries(driver.state.structure), [
    { name: 'Sales', sheet: 'My two', sheetId: 's1.2.0', range: 'D4:E5' },
  ]);
  driver.apply('range.move', { sheet: 'My two', source: 'D4:D5', to: 'A1' });
  t.match(
    driver.state.tables.summaries(driver.state.structure),
    [{ range: 'D4:E5' }],
    'a part of it leaves it there',
  );
});

t.test('a table does not move onto another one', async (t) => {
  const driver = book([
    ['a', '', 'b'],
    [1, '', 2],
  ]);
  driver.apply('table.create', { name: 'First', sheetRange: 'One!A1:A2' });
  driver.apply('table.create', { name: 'Second', sheetRange: 'One!C1:C2' });
  const result = driver.submit('range.move', move('A1:A2', 'C2'));
  t.ok(result instanceof Rejection && result.code === 'table_overlap');
});

t.test('legacy array formulas move with their range', async (t) => {
  const driver = book();
  const cells = [{ a1: 'B1', input: '=A1:A3*2', array: 'B1:B3' }];
  driver.apply('cells.set', { sheet: 'One', cells });
  driver.apply('range.move', move('A1:B3', 'D5'));
  const sheet = driver.state.structure.sheets[0];
  const input = sheet && driver.state.inputAt(sheet, 4, 4);
  t.strictSame(input, { formula: '=D5:D7*2', array: 'E5:E7' });
  const result = driver.submit('range.move', move('E5', 'E1048575'));
  t.ok(result instanceof Rejection && result.code === 'outside_grid');
});

t.test('what moves nothing is a noop, what cannot be is refused', async (t) => {
  const driver = book([[1]]);
  t.equal(driver.apply('range.move', move('A1', 'A1')).status, 'noop');
  t.equal(driver.apply('range.move', move('F1:G9', 'M2')).status, 'noop');
  const code = (source: string, to: string) => {
    const result = driver.submit('range.move', move(source, to));
    return result instanceof Rejection ? result.code : result.status;
  };
  t.equal(code('A1:B2', 'XFD5'), 'outside_grid');
  t.equal(code('A1:B2', 'A1048576'), 'outside_grid');
  t.equal(code('A1:B2', 'C3:E9'), 'bad_target');
  t.equal(code('A1:B2,D4', 'C3'), 'bad_range');
  t.equal(code('A1', 'Nowhere!C3'), 'sheet_not_found');
  t.equal(code('A1:B2', 'C3:D4'), 'applied');
});

t.test('carried from an older base', async (t) => {
  const driver = book([
    [1, 2],
    [3, 4],
    ['=A1', '=SUM(A1:B2)'],
  ]);
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'One', before: 2 });
  driver.apply('sheet.rename', { sheet: 'One', name: 'First' });
  const result = driver.apply('range.move', move('A1:B2', 'D2'), base);
  t.match(result, {
    status: 'rebased',
    payload: { sheet: 's1.1.0', source: 'A1:B3', toSheet: 's1.1.0', to: 'D3:E5' },
  });
  t.strictSame(driver.rows('D3:E5'), [
    [1, 2],
    [null, null],
    [3, 4],
  ]);
  t.strictSame(driver.rows('A4:B4'), [['=D3', '=SUM(D3:E5)']]);
  const again = driver.state.head;
  driver.apply('rows.delete', { sheet: 'First', from: 4, count: 2 });
  const move2 = { sheet: 'First', source: 'D3:E5', to: 'A1' };
  const clipped = driver.apply('range.move', move2, again);
  t.match(clipped, { payload: { source: 'D3:E3' }, clipped: ['D4:E5'] });
  driver.apply('cols.delete', { sheet: 'First', from: 'A', count: 2 });
  const gone = driver.submit(
    'range.move',
    { ...move2, source: 'A1:B1', to: 'F1' },
    { baseSeq: again },
  );
  t.ok(gone instanceof Rejection && gone.code === 'target_deleted');
});

t.test('strict submissions meet it at both ends', async (t) => {
  const driver = book([[1]]);
  const base = driver.state.head;
  driver.apply('range.move', { ...move('A1:B2', 'D4'), toSheet: 'My two' });
  const code = (a1: string, sheet: string) => {
    const payload = { sheet, cells: [{ a1, input: 5 }] };
    const result = driver.submit('cells.set', payload, { baseSeq: base, strict: true });
    return result instanceof Rejection ? result.code : result.status;
  };
  t.equal(code('B2', 'One'), 'conflict');
  t.equal(code('E5', 'My two'), 'conflict');
  t.equal(code('E5', 'One'), 'applied');
  t.equal(code('B2', 'My two'), 'applied');
});

t.test('large edits let others have the thread while they are planned', async (t) => {
  const driver = book();
  driver.apply('range.fill', { sheet: 'One', range: 'A1:A50000', input: 5 });
  driver.apply('range.fill', { sheet: 'One', range: 'B1:C50000', input: '=$A1*2' });
  const operations = [
    { kind: 'range.move', payload: move('A1:A50000', 'E1') },
    { kind: 'range.copy', payload: move('B1:C50000', 'G1') },
    { kind: 'range.insert', payload: { sheet: 'One', range: 'E1:H1', shift: 'down' } },
    { kind: 'range.sort', payload: { sheet: 'One', range: 'E1:H50001', keys: [{ col: 'E' }] } },
  ];
  for (const sent of operations) {
    const view = new ClientView(driver.state.structure);
    const operation = operationSchema.parse(sent);
    const steps = [...admit(driver.state, operation, { view, strict: undefined })];
    t.ok(steps.length > 5, `${sent.kind} paused ${steps.length} times`);
  }
});

t.test('a block that is moved over a part of itself replays to the hash that it had', async (t) => {
  const hashes = ['C3', 'A3', 'C1', 'B1'].map((to) => {
    const driver = book(
      Array.from({ length: 6 }, (_, row) => [
        row,
        `=A${row + 1}`,
        'x',
        row,
        `=SUM(A1:C${row + 1})`,
      ]),
    );
    driver.apply('format.set', { sheet: 'One', range: 'B2:D5', style: { bold: true } });
    driver.apply('note.set', { sheet: 'One', a1: 'D4', text: 'note' });
    driver.apply('hyperlink.set', { sheet: 'One', range: 'A2:E5', url: 'https://a.example/' });
    driver.apply('range.move', move('A1:C4', to));
    driver.apply('range.copy', move('B2:D6', 'C3'));
    const hash = drive(driver.state.stateHash());
    const { state } = driver.replayed();
    t.equal(drive(state.stateHash()), hash);
    return hash.slice(0, 12);
  });
  t.strictSame(hashes, ['44309573f455', '75050f2fe6ed', 'ecf3a349a67b', '28afaf964b2b']);
});
