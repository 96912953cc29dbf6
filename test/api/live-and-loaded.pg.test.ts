import t from 'tap';

import { FileDoor } from '../support/file-door.ts';

// A workbook that lived through all its edits answers as one that was loaded from storage.

const numbers = Array.from({ length: 12 }, (_, at) => [at + 1]);

interface Written {
  readonly head: number;
  readonly results: readonly { readonly status: string; readonly payload?: unknown }[];
}

class Sheet {
  readonly door: FileDoor;
  readonly at: string;

  private constructor(door: FileDoor, at: string) {
    this.door = door;
    this.at = at;
  }

  static async open(door: FileDoor, rows: readonly unknown[][]): Promise<Sheet> {
    const sheets = [{ name: 'One', rows }, { name: 'Two' }];
    const { json } = await door.request('/v1/workbooks', { sheets });
    return new Sheet(door, `/v1/workbooks/${(json as { id: string }).id}`);
  }

  async do(kind: string, payload: object, baseSeq?: number): Promise<Written> {
    const ops = [{ kind, payload: { ...payload } }];
    const { json, text } = await this.door.request(`${this.at}/branches/main/ops`, {
      ops,
      ...(baseSeq !== undefined && { baseSeq }),
    });
    t.match(json, { results: [{}] }, text);
    return json as Written;
  }

  async records(): Promise<unknown> {
    const { json } = await this.door.request(`${this.at}/records`);
    return (json as { records: unknown }).records;
  }

  /** Loads the state anew, from what is stored of it. */
  async load(): Promise<void> {
    await this.door.request(`${this.at}/branches/main/checkpoint`, {});
    await this.door.restart();
  }
}

t.test('an area of an earlier position follows rows that left a table without any', async (t) => {
  const door = await FileDoor.open(t);
  const rows = numbers.map(([number]) => [number]);
  rows[2] = [3, 'k' as never, 'v' as never];
  rows[3] = [4, 'b' as never, 2];
  const sheet = await Sheet.open(door, rows);
  const { head } = await sheet.do('table.create', { name: 'Sales', sheetRange: 'One!B3:C4' });
  await sheet.do('rows.move', { sheet: 'One', from: 4, count: 3, before: 11 });
  const merged = await sheet.do('cellmerge.add', { sheet: 'One', range: 'A4:A7' }, head);
  t.match(merged.results, [{ status: 'rebased', payload: { range: 'A4:A5' } }]);
  await sheet.do('cells.set', { sheet: 'One', cells: [{ a1: 'E1', input: '=SUM(A1:A12)' }] });
  t.same(await door.rows(sheet.at, 'One!E1'), [[66]], 'and the workbook is calculated');
  t.match(await sheet.records(), [{ type: 'cellmerge', ranges: ['A4:A5'] }]);
  await sheet.load();
  t.match(await sheet.records(), [{ type: 'cellmerge', ranges: ['A4:A5'] }]);
  t.same(await door.rows(sheet.at, 'One!E1'), [[66]]);
});

t.test('a name that waits for a sheet means the one that is renamed to it', async (t) => {
  const door = await FileDoor.open(t);
  const sheet = await Sheet.open(door, [[5]]);
  await sheet.do('name.set', { name: 'tax', formula: '=Rates!$A$1' });
  await sheet.do('name.set', { name: 'twice', formula: '=tax*2' });
  const cells = [
    { a1: 'A1', input: '=Rates!A1' },
    { a1: 'B1', input: '=tax' },
    { a1: 'C1', input: '=twice' },
  ];
  await sheet.do('cells.set', { sheet: 'Two', cells });
  const lost = { error: '#REF!' };
  t.same(await door.rows(sheet.at, 'Two!A1:C1'), [[lost, lost, lost]]);
  await sheet.do('sheet.rename', { sheet: 'One', name: 'Rates' });
  t.same(await door.rows(sheet.at, 'Two!A1:C1'), [[5, 5, 10]]);
  await sheet.load();
  t.same(await door.rows(sheet.at, 'Two!A1:C1'), [[5, 5, 10]]);
});

t.test(
  'what is written again as it stands is nothing, before a restart and after it',
  async (t) => {
    const door = await FileDoor.open(t);
    const sheet = await Sheet.open(door, numbers);
    const fill = { sheet: 'One', range: 'B1:D3', input: '=SUM($A1:$A$9)+Two!A1' };
    const again = { ...fill, input: '=SUM($A1:$A$10)+Two!A1' };
    const copy = { sheet: 'One', source: 'B1:D3', to: 'B1' };
    const entered = { sheet: 'One', cells: [{ a1: 'C2', input: '=SUM($A2:$A$10)+Two!B2' }] };
    await sheet.do('range.fill', fill);
    await sheet.do('rows.insert', { sheet: 'One', before: 8, count: 1 });
    const operations: [string, object][] = [
      ['range.fill', again],
      ['range.copy', copy],
      ['cells.set', entered],
    ];
    for (const when of ['live', 'loaded']) {
      for (const [kind, payload] of operations) {
        t.match(
          await sheet.do(kind, payload),
          { results: [{ status: 'noop' }] },
          `${kind} ${when}`,
        );
      }
      if (when === 'live') await sheet.load();
    }
    t.match(await sheet.do('range.fill', fill), { results: [{ status: 'applied' }] });
  },
);

t.test('a rule that lost what it names reads the same after a restart', async (t) => {
  const door = await FileDoor.open(t);
  const sheet = await Sheet.open(door, numbers);
  await sheet.do('validation.set', {
    sheet: 'One',
    ranges: ['E2', '1:2'],
    rule: { type: 'custom', formula1: '=SUM($A$1:A1)=Two!B$4' },
  });
  await sheet.do('rows.delete', { sheet: 'One', from: 1, count: 1 });
  await sheet.do('range.move', { sheet: 'One', source: 'A1', toSheet: 'Two', to: 'A1' });
  const live = await sheet.records();
  t.notMatch(JSON.stringify(live), /Two!#REF!/u);
  await sheet.load();
  t.same(await sheet.records(), live);
});
