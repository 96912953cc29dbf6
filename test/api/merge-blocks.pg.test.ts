import t from 'tap';

import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  values,
  write,
} from '../support/merged-book.ts';

const sheet = 'Sheet1';
const block = [['p'], ['q']];
const blank = [[null], [null]];

/** C1:C2 cut to F1 by main and to H1 by the branch, with a formula that reads it. */
async function cutTwice() {
  const book = await makeBook();
  await run(book, 'main', 'range.set', { sheet, range: 'C1:C2', inputs: block });
  await write(book, 'main', ['D5', '=C1&C2']);
  await fork(book, 'f');
  await run(book, 'main', 'range.move', { sheet, source: 'C1:C2', to: 'F1' });
  await run(book, 'f', 'range.move', { sheet, source: 'C1:C2', to: 'H1' });
  return book;
}

t.test('a block that both sides cut elsewhere is one conflict with both places', async (t) => {
  const book = await cutTwice();
  const { id } = await propose(book, { source: 'f' });
  const [conflict, ...more] = await conflictsOf(book, id);
  t.strictSame(more, []);
  t.match(conflict, {
    kind: 'range.move',
    severity: 'conflict',
    status: 'open',
    path: { a1: { base: 'C1' } },
    base: { value: 'Sheet1!C1:C2' },
    ours: { change: 'moved', value: 'Sheet1!F1:F2' },
    theirs: { change: 'moved', value: 'Sheet1!H1:H2' },
    choices: ['ours', 'theirs', 'both'],
  });
  const back = await propose(book, { source: 'main', target: 'f' });
  const [mirrored] = await conflictsOf(book, back.id);
  t.match(mirrored, { id: conflict?.id, ours: { value: 'Sheet1!H1:H2' } });
});

t.test('the block goes where the chosen side has it, and formulas with it', async (t) => {
  for (const [choice, f, h, formula] of [
    ['ours', block, blank, '=F1&F2'],
    ['theirs', blank, block, '=H1&H2'],
    ['both', block, block, '=F1&F2'],
  ] as const) {
    const book = await cutTwice();
    await write(book, 'f', ['H2', 'q2']);
    const { id } = await propose(book, { source: 'f' });
    const [conflict] = await conflictsOf(book, id);
    const resolutions = [{ id: conflict?.id, choice }];
    const settled = await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
    t.equal(settled.status, 200, settled.text);
    const more = (await conflictsOf(book, id)).filter(({ status }) => status === 'open');
    const rest = more.map(({ id: own }) => ({ id: own, choice: 'ours' }));
    t.match(settled.json, { newConflicts: more.map(({ id: own }) => own) });
    t.equal(rest.length, choice === 'both' ? 1 : 0, 'the formula that reads both places is asked');
    if (rest.length > 0) await book.ask(`/merges/${id}/resolve`, { body: { resolutions: rest } });
    t.equal((await approve(book, id)).status, 200);
    const edited = (rows: readonly (readonly unknown[])[]) =>
      rows === block ? [['p'], ['q2']] : rows;
    t.strictSame(await values(book, 'F1:F2'), choice === 'both' ? block : edited(f), choice);
    t.strictSame(await values(book, 'H1:H2'), edited(h), choice);
    t.strictSame(await values(book, 'C1:C2'), blank);
    const shown = await book.ask('/slice?range=D5&lens=formula');
    t.match(shown.json, { rows: [[formula]] });
  }
});

t.test('a choice that the conflict does not have is refused with those that it has', async (t) => {
  const book = await cutTwice();
  const { id } = await propose(book, { source: 'f' });
  const [conflict] = await conflictsOf(book, id);
  const resolutions = [{ id: conflict?.id, choice: 'base' }];
  const refused = await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
  t.match(refused, { status: 422, json: { errors: [{ code: 'bad_choice', message: /both/u }] } });
});

t.test(
  'the same place on both sides, and a block cut twice to one place, ask nothing',
  async (t) => {
    const book = await makeBook();
    await run(book, 'main', 'range.set', { sheet, range: 'C1:C2', inputs: block });
    await fork(book, 'f');
    await run(book, 'main', 'range.move', { sheet, source: 'C1:C2', to: 'F1' });
    await run(book, 'f', 'range.move', { sheet, source: 'C1:C2', to: 'H1' });
    await run(book, 'f', 'range.move', { sheet, source: 'H1:H2', to: 'F1' });
    await write(book, 'main', ['F2', 'q2']);
    const { id } = await propose(book, { source: 'f' });
    t.strictSame(await conflictsOf(book, id), []);
    t.equal((await approve(book, id)).status, 200);
    const edited = [['p'], ['q2']];
    t.strictSame(await values(book, 'F1:F2'), edited, 'what one side wrote there since');
    t.strictSame(await values(book, 'H1:H2'), blank);
  },
);

t.test('of a block that was cut to a row which is gone the rest is followed', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'range.set', { sheet, range: 'C1:C3', inputs: [['p'], ['q'], ['r']] });
  await fork(book, 'f');
  await run(book, 'main', 'range.move', { sheet, source: 'C1:C3', to: 'E5' });
  await run(book, 'main', 'rows.delete', { sheet, from: 6, count: 1 });
  await write(book, 'f', ['C1', 'p2'], ['C3', 'r2']);
  const { id } = await propose(book, { source: 'f' });
  t.strictSame(await conflictsOf(book, id), []);
  t.equal((await approve(book, id)).status, 200);
  t.strictSame(await values(book, 'E5:E6'), [['p2'], ['r2']]);
});

t.test(
  'a table that each branch shifted its own way has its names above its columns',
  async (t) => {
    const book = await makeBook();
    const schema = { columns: [{ name: 'k' }, { name: 'v' }] };
    const table = { name: 'Items', keyColumn: 'k', schema, sheetRange: `${sheet}!G3:H5` };
    await run(book, 'main', 'table.create', table);
    await fork(book, 'f');
    await run(book, 'main', 'range.delete', { sheet, range: 'F1:F5', shift: 'left' });
    await run(book, 'f', 'range.delete', { sheet, range: 'G1:H1', shift: 'up' });
    const { id } = await propose(book, { source: 'f' });
    t.strictSame(await conflictsOf(book, id), []);
    t.equal((await approve(book, id)).status, 200);
    t.strictSame(await values(book, 'F2:G2'), [['k', 'v']]);
    const { tables } = (await book.ask('/tables')).json as { tables: object[] };
    t.match(tables, [{ range: 'F2:G4' }]);
  },
);

t.test('a block whose cells the other side deletes is there once', async (t) => {
  const inputs = Array.from({ length: 6 }, (_, row) =>
    [1, 2, 3, 4].map((at) => (row + 1) * 10 + at),
  );
  const cut = ['range.move', { sheet: 'Sheet1', source: 'B3:C5', to: 'B10' }] as const;
  const remove = ['range.delete', { sheet: 'Sheet1', range: 'B5:C5', shift: 'left' }] as const;
  for (const cutter of ['main', 'f']) {
    for (const strategy of ['ours', 'theirs']) {
      const book = await makeBook();
      await run(book, 'main', 'range.set', { sheet: 'Sheet1', range: 'A1:D6', inputs });
      await fork(book, 'f');
      await run(book, cutter, ...cut);
      await run(book, cutter === 'main' ? 'f' : 'main', ...remove);
      const { id } = await propose(book, { source: 'f', strategy });
      t.same(await conflictsOf(book, id), [], 'nothing was written to the deleted cells');
      t.equal((await approve(book, id)).status, 200);
      t.same(await values(book, 'A5:D5'), [[51, 54, null, null]], `${cutter} cuts`);
      const block = [
        [32, 33],
        [42, 43],
        [52, 53],
      ];
      t.same(await values(book, 'B10:C12'), block, `${cutter} cuts`);
    }
  }
});

t.test('of blocks that share cells nothing is there twice where one side shifted', async (t) => {
  type Step = readonly [kind: string, payload: object];
  const inputs = [1, 2, 3, 4, 5, 6, 7, 8].map((row) => [row]);
  const cut = (source: string, to: string): Step => ['range.move', { sheet, source, to }];
  const shift = (range: string): Step => ['range.insert', { sheet, range, shift: 'down' }];
  const remove: Step = ['range.delete', { sheet, range: 'D1', shift: 'up' }];
  const cases: readonly (readonly [Step, Step])[] = [
    [shift('D1'), cut('D4:D6', 'H1')],
    [cut('D3:D5', 'H1'), shift('D1')],
    [cut('D3:D5', 'H1'), shift('D4')],
    [remove, cut('D2:D4', 'H1')],
    [cut('D3:D5', 'H1'), remove],
  ];
  const ways = ['main', 'f'].flatMap((mover) =>
    ['ours', 'theirs'].flatMap((choice) => cases.map((steps) => ({ mover, choice, steps }))),
  );
  for (const { mover, choice, steps } of ways) {
    const about = `${steps.map(([kind]) => kind).join()} on ${mover}, ${choice}`;
    const book = await makeBook();
    await run(book, 'main', 'range.set', { sheet, range: 'D1:D8', inputs });
    await fork(book, 'f');
    for (const one of steps) await run(book, mover, ...one);
    await run(book, mover === 'main' ? 'f' : 'main', ...cut('D4:D6', 'K1'));
    const { id } = await propose(book, { source: 'f' });
    const found = await conflictsOf(book, id);
    t.match(found, [{ kind: 'range.move', status: 'open' }], about);
    t.equal(found.length, 1, about);
    const back = await propose(book, { source: 'main', target: 'f' });
    t.match(await conflictsOf(book, back.id), [{ id: found[0]?.id }], about);
    const resolutions = [{ id: found[0]?.id, choice }];
    await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
    t.equal((await approve(book, id)).status, 200);
    const held = ((await values(book, 'D1:K12')) as unknown[][]).flat();
    const left = steps.includes(remove) ? [2, 3, 4, 5, 6, 7, 8] : inputs.flat();
    const counted = held.filter((one) => one !== null).toSorted((a, b) => Number(a) - Number(b));
    t.strictSame(counted, left, about);
  }
});

t.test('a block is there once where the other side inserted a row and shifted cells', async (t) => {
  for (const target of ['main', 'f']) {
    const book = await makeBook();
    await fork(book, 'f');
    await run(book, 'main', 'range.move', { sheet, source: 'A1:A2', to: 'F1' });
    await run(book, 'f', 'rows.insert', { sheet, before: 3, count: 1 });
    await run(book, 'f', 'range.insert', { sheet, range: 'A1:A2', shift: 'down' });
    const { id } = await propose(book, { source: target === 'f' ? 'main' : 'f', target });
    t.same(await conflictsOf(book, id), []);
    t.equal((await approve(book, id)).status, 200);
    const rows = (await values(book, 'A1:F8', target)) as unknown[][];
    t.same(
      rows.map(([first]) => first).filter((held) => held !== null),
      [31],
    );
    t.same(
      rows.map((row) => row[5]).filter((held) => held !== null),
      [11, 21],
    );
  }
});

t.test('a block goes along in parts where the other side changed its lines', async (t) => {
  const inputs = [1, 2, 3, 4, 5, 6].map((row) => [row * 10 + 1, row * 10 + 2]);
  const line = (kind: string, payload: object) => [kind, { sheet, ...payload }] as const;
  const cases = [
    [line('rows.insert', { before: 4, count: 1 }), 'A5', [[31], [9], [51]]],
    [line('rows.delete', { from: 4, count: 1 }), 'A4', [[31], [41], [9]]],
    [line('rows.move', { from: 3, count: 1, before: 2 }), 'A5', [[31], [9], [41]]],
    [line('rows.insert', { before: 2, count: 1 }), 'A6', [[31], [41], [9]]],
  ] as const;
  for (const [[kind, payload], edited, moved] of cases) {
    for (const cutter of ['main', 'f']) {
      const book = await makeBook();
      await run(book, 'main', 'range.set', { sheet, range: 'A1:B6', inputs });
      await fork(book, 'f');
      await run(book, cutter, 'range.move', { sheet, source: 'A3:B5', to: 'D1' });
      const other = cutter === 'main' ? 'f' : 'main';
      await run(book, other, kind, payload);
      await write(book, other, [edited, 9]);
      const { id } = await propose(book, { source: 'f' });
      t.same(await conflictsOf(book, id), [], `${kind}, ${cutter} cuts`);
      t.equal((await approve(book, id)).status, 200);
      const rows = (await values(book, 'D1:D4')) as unknown[][];
      t.same(
        rows.filter(([held]) => held !== null),
        moved,
        `${kind}, ${cutter} cuts`,
      );
    }
  }
});

t.test('rules on such a block are where the side that cut it has them', async (t) => {
  const rule = { type: 'whole', operator: 'greaterThan', formula1: 0 };
  const cf = { type: 'expression', formula1: '=A1>0' };
  for (const change of ['rows.insert', 'rows.delete']) {
    const found: unknown[] = [];
    for (const cutter of ['main', 'f']) {
      const book = await makeBook();
      await run(book, 'main', 'validation.set', { id: 'v', sheet, ranges: ['A1:A9'], rule });
      const style = { bold: true };
      await run(book, 'main', 'cf.set', { id: 'c', sheet, ranges: ['A1:A9'], rule: cf, style });
      await fork(book, 'f');
      await run(book, cutter, 'range.move', { sheet, source: 'A1:B3', to: 'D11' });
      const other = cutter === 'main' ? 'f' : 'main';
      const payload = change === 'rows.insert' ? { before: 2, count: 1 } : { from: 2, count: 1 };
      await run(book, other, change, { sheet, ...payload });
      const { id } = await propose(book, { source: 'f' });
      t.same(await conflictsOf(book, id), [], `${change}, ${cutter} cuts`);
      t.equal((await approve(book, id)).status, 200);
      const { json } = await book.ask('/records?ref=main&types=validation,cf');
      const { records } = json as { records: { ranges: string[] }[] };
      found.push(records.map(({ ranges }) => ranges));
    }
    const moved = change === 'rows.insert' ? ['A5:A10', 'D12:D14'] : ['A3:A8', 'D10:D12'];
    const both = [moved, moved];
    t.match(found, [both, both], change);
  }
});
