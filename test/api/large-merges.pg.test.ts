import t from 'tap';

import { FileDoor } from '../support/file-door.ts';

/** Runs long: merges of many thousands of edits. */

// Merges of so many cells that a thread of the pool computes them.

const sheet = 'Plan';
const rowCount = 2_000;
const contestedCount = 40;

interface Merge {
  readonly id: string;
  readonly digest: string;
  readonly stateHash: string;
  readonly units: readonly { readonly id: string; readonly changes: number }[];
  readonly summary: { readonly changes: object; readonly conflicts: object };
}

/** Inputs of several kinds; formulas name cells beside them and on another sheet. */
function inputsOf(salt: number, columns: number): unknown[][] {
  return Array.from({ length: rowCount }, (_, row) =>
    Array.from({ length: columns }, (__, column) => {
      const at = row * columns + column;
      if (column === 1) return `text ${salt} of ${at % 97}`;
      if (column === 2) return `=A${row + 1}*${salt}+Rates!$A$1`;
      return column === 3 ? at % 2 === 0 : at * salt;
    }),
  );
}

t.test('a large merge is the same wherever and whenever it is computed', async (t) => {
  const door = await FileDoor.open(t);
  const made = await door.request('/v1/workbooks', {
    sheets: [{ name: sheet }, { name: 'Rates', rows: [[7]] }],
  });
  const at = `/v1/workbooks/${(made.json as { id: string }).id}`;
  const on = async (branch: string, kind: string, payload: object) => {
    const answer = await door.request(`${at}/branches/${branch}/ops`, {
      ops: [{ kind, payload }],
      writer: branch,
    });
    t.match(answer.json, { status: 'applied' }, answer.text.slice(0, 200));
  };
  const fill = (branch: string, start: string, salt: number) =>
    on(branch, 'range.set', { sheet, range: start, inputs: inputsOf(salt, 4) });
  await fill('main', 'A1', 2);
  await on('main', 'format.set', { sheet, range: 'A1:A9', style: { numberFormat: '0.00' } });
  await on('main', 'note.set', { sheet, a1: 'B2', text: 'a note' });
  const checkpoint = await door.request(`${at}/branches/main/checkpoint`, {});
  t.ok(checkpoint.status < 300, checkpoint.text);
  await door.request(`${at}/branches`, { name: 'side', from: 'main' });
  await on('side', 'rows.insert', { sheet, before: 1, count: 3 });
  await fill('side', 'F4', 3);
  await on('side', 'range.fill', { sheet, range: `A4:A${3 + contestedCount}`, input: -3 });
  await on('side', 'name.set', { name: 'Rate', ref: 'Rates!$A$1' });
  await fill('main', 'K1', 5);
  await on('main', 'range.fill', { sheet, range: `A1:A${contestedCount}`, input: -2 });
  await on('main', 'format.set', { sheet, range: 'B1:B50', style: { bold: true } });

  const proposed = await door.request(`${at}/merges`, { source: 'side' });
  const first = proposed.json as Merge;
  t.match(first, { summary: { conflicts: { open: contestedCount } } }, proposed.text);
  t.equal(
    first.units.reduce((sum, { changes }) => sum + changes, 0) >= rowCount * 4,
    true,
    'the units have all changes',
  );
  const { conflicts } = (await door.request(`${at}/merges/${first.id}/conflicts`)).json as {
    conflicts: readonly { readonly ours: object; readonly theirs: object }[];
  };
  t.equal(conflicts.length, contestedCount);
  t.match(conflicts[0], { base: { input: 0 }, ours: { input: -2 }, theirs: { input: -3 } });

  await door.restart();
  const again = (await door.request(`${at}/merges/${first.id}`)).json as Merge;
  t.strictSame(
    [again.digest, again.stateHash, again.units, again.summary],
    [first.digest, first.stateHash, first.units, first.summary],
    'the same after a restart, from what was stored',
  );
  const bulk = [{ where: {}, choice: 'theirs' }];
  const settled = await door.request(`${at}/merges/${first.id}/resolve`, { bulk });
  t.match(settled.json, { resolved: contestedCount, open: 0 }, settled.text.slice(0, 300));
  const { digest, stateHash } = (await door.request(`${at}/merges/${first.id}`)).json as Merge;
  const applied = await door.request(`${at}/merges/${first.id}/approve`, { digest });
  t.equal(applied.status, 200, applied.text.slice(0, 300));
  const state = (await door.request(`${at}/branches/main/state`)).json as { stateHash: string };
  t.equal(state.stateHash, stateHash, 'the thread has found the hash of what is applied');
  const read = await door.request(`${at}/slice?range=A4:C4&range=K4:M4&range=F4`);
  t.match(read.json, {
    slices: [
      { rows: [[-3, 'text 2 of 1', 1]] },
      { rows: [[0, 'text 5 of 1', -8]] },
      { rows: [[0]] },
    ],
  });
});
