import t from 'tap';

import { FileDoor } from '../support/file-door.ts';

// Diffs of so many cells that another thread compares them. Runs long: each compares 120,000 cells.

const names = ['North', 'South', 'West'];
const [rowCount, columnCount] = [1_000, 40];
const cellCount = rowCount * columnCount;

interface Page {
  readonly total: number;
  readonly summary: { readonly cells: number };
  readonly cells: readonly object[];
  readonly collapsed: readonly object[];
  readonly formats: readonly object[];
}

/** Inputs of several kinds, the same in each third column. */
function inputsOf(salt: number): unknown[][] {
  return Array.from({ length: rowCount }, (_, row) =>
    Array.from({ length: columnCount }, (__, column) => {
      if (column % 3 === 0) return salt;
      if (column % 3 === 1) return `=A${row + 1}+${(row % 7) + salt}`;
      return `text ${salt} of ${row * columnCount + column}`;
    }),
  );
}

t.test('a large diff tells what diffs of its sheets tell', async (t) => {
  const door = await FileDoor.open(t);
  const made = await door.request('/v1/workbooks', { sheets: names.map((name) => ({ name })) });
  const at = `/v1/workbooks/${(made.json as { id: string }).id}`;
  const on = async (branch: string, kind: string, payload: object) => {
    const answer = await door.request(`${at}/branches/${branch}/ops`, {
      ops: [{ kind, payload }],
      writer: branch,
    });
    t.match(answer.json, { status: 'applied' }, answer.text.slice(0, 200));
  };
  for (const sheet of names)
    await on('main', 'range.set', { sheet, range: 'A1', inputs: inputsOf(2) });
  await door.request(`${at}/branches`, { name: 'side', from: 'main' });
  await on('side', 'rows.insert', { sheet: 'North', before: 5, count: 2 });
  await on('side', 'rows.delete', { sheet: 'South', from: 7, count: 3 });
  await on('side', 'format.set', { sheet: 'West', range: 'B2:C9', style: { bold: true } });
  for (const sheet of names)
    await on('side', 'range.set', { sheet, range: 'A1', inputs: inputsOf(3) });

  const page = async (query: string): Promise<Page> => {
    const answer = await door.request(`${at}/diff?from=main&to=side&${query}`);
    t.equal(answer.status, 200, answer.text.slice(0, 300));
    return answer.json as Page;
  };
  const lines = async (query: string): Promise<string[]> => {
    const { text } = await door.request(`${at}/diff?from=main&to=side&format=ndjson&${query}`);
    return text.split('\n').filter((line) => line.startsWith('{"list"'));
  };
  for (const time of ['at first', 'after a restart, from what was stored']) {
    const whole = await page('limit=2000');
    t.ok(whole.summary.cells > 2.5 * cellCount, `${whole.summary.cells} cells`);
    const apart = await Promise.all(names.map((name) => page(`limit=2000&sheet=${name}`)));
    t.equal(
      whole.total,
      apart.reduce((sum, { total }) => sum + total, 0),
    );
    t.strictSame(whole.cells, apart[0]?.cells.slice(0, whole.cells.length), time);
    const last = await page(`limit=50&offset=${whole.total - 50}`);
    const west = apart[2]?.total ?? 0;
    t.strictSame(
      { ...last, summary: 0, total: 0, offset: 0 },
      {
        ...(await page(`limit=50&offset=${west - 50}&sheet=West`)),
        summary: 0,
        total: 0,
        offset: 0,
      },
      'the last page',
    );
    await door.request(`${at}/branches/main/checkpoint`, {});
    await door.request(`${at}/branches/side/checkpoint`, {});
    await door.restart();
  }
  const all = await lines('kinds=cells');
  const apart = await Promise.all(names.map((name) => lines(`kinds=cells&sheet=${name}`)));
  t.equal(all.join('\n') === apart.flat().join('\n'), true, 'each line is the same');
});
