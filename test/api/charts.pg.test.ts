import { readdir, rm, writeFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import t, { type Test } from 'tap';
import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { chartsFile, keptParts } from '../support/charts-file.ts';
import { FileDoor } from '../support/file-door.ts';
import { packageFaults } from '../support/package-checks.ts';
import type { TestAnswer } from '../support/test-service.ts';

/** Runs long: files with charts are edited, written and read again. */

function checkKept(t: Test, { bytes, headers }: TestAnswer, what: string): void {
  t.equal(headers.get('dropped'), null, what);
  t.same(packageFaults(bytes), [], what);
  const parts = unzipSync(bytes);
  const isSame = Object.entries(keptParts).every(([name, content]) =>
    Buffer.from(parts[name] ?? []).equals(Buffer.from(content as string)),
  );
  t.ok(isSame, `${what}: all parts are byte by byte what they were`);
}

function droppedOf({ headers }: TestAnswer): { what: string; where?: string; why: string }[] {
  return JSON.parse(headers.get('dropped') ?? '[]') as {
    what: string;
    where?: string;
    why: string;
  }[];
}

const report = { sheet: 'Report' };

t.test('charts and pictures go back over restarts, edits and branches', async (t) => {
  const door = await FileDoor.open(t);
  const { at, dropped } = await door.import(chartsFile());
  t.same(dropped, []);
  checkKept(t, await door.export(at), 'at once');
  await door.restart();
  const set = { kind: 'cells.set', payload: { ...report, cells: [{ a1: 'A1', input: 8 }] } };
  await door.submit(at, set);
  await door.restart();
  const after = await door.export(at);
  checkKept(t, after, 'after a restart and an edit');
  t.same([...(readXlsx(after.bytes).sheets[0]?.content.cells() ?? [])][0]?.input, 8);
  t.same((await door.import(after.bytes)).dropped, [], 'the export is imported whole');

  const branch = await door.request(`${at}/branches`, { name: 'side' });
  t.equal(branch.status, 201, branch.text);
  const ops = [{ kind: 'rows.insert', payload: { sheet: 'My Data', before: 1, count: 1 } }];
  t.equal((await door.request(`${at}/branches/side/ops`, { ops })).status, 200);
  const side = await door.export(at, 'format=xlsx', 'side');
  t.match(droppedOf(side), [
    {
      what: 'charts and images',
      where: 'Report',
      why: /My Data, whose rows or columns were changed/u,
    },
  ]);
  t.same(packageFaults(side.bytes), []);
  t.ok(unzipSync(side.bytes)['xl/chartsheets/sheet1.xml'], 'what does not depend on it stays');
  checkKept(t, await door.export(at), 'the other branch has its own');
  const back = [{ kind: 'rows.delete', payload: { sheet: 'My Data', from: 1, count: 1 } }];
  t.equal((await door.request(`${at}/branches/side/ops`, { ops: back })).status, 200);
  checkKept(t, await door.export(at, 'format=xlsx', 'side'), 'rows that are back where they were');
});

t.test('charts whose sheets changed are left out and said', async (t) => {
  const door = await FileDoor.open(t);
  const changes: [object, RegExp[]][] = [
    [{ kind: 'cols.delete', payload: { ...report, from: 2, count: 1 } }, [/Report/u, /Chart/u]],
    [
      { kind: 'rows.move', payload: { ...report, from: 1, count: 1, before: 4 } },
      [/Report/u, /Chart/u],
    ],
    [{ kind: 'sheet.rename', payload: { sheet: 'My Data', name: 'Größe 😀' } }, [/Report/u]],
    [{ kind: 'sheet.delete', payload: { sheet: 'Report' } }, [/Report/u, /Chart/u]],
    [{ kind: 'sheet.add', payload: { name: 'chart' } }, [/Chart/u]],
    [
      { kind: 'settings.set', payload: { path: 'file.parts', value: '0'.repeat(64) } },
      [/missing/u],
    ],
  ];
  for (const [operation, lost] of changes) {
    const what = JSON.stringify(operation);
    const { at } = await door.import(chartsFile());
    await door.submit(at, operation);
    const answer = await door.export(at);
    const said = droppedOf(answer).map(({ where, why }) => `${where ?? ''}: ${why}`);
    t.equal(said.length, lost.length, `${what}: ${said.join('; ')}`);
    for (const [index, pattern] of lost.entries()) t.match(said[index], pattern);
    t.same(packageFaults(answer.bytes), [], what);
    t.equal((await door.send(answer.bytes, 'application/octet-stream')).status, 201, what);
  }
});

t.test('what is kept of a file is missed when it is damaged', async (t) => {
  const door = await FileDoor.open(t);
  const { at } = await door.import(chartsFile());
  const folder = `${door.folder}/objects/wb/${at.split('/').at(-1) ?? ''}`;
  const [name = ''] = await readdir(`${folder}/file`);
  t.match(name, /^[0-9a-f]{64}/u);
  await writeFile(`${folder}/file/${name}`, 'something else');
  t.match(droppedOf(await door.export(at)), [{ why: /missing or damaged/u }]);
  await rm(`${folder}/file/${name}`);
  t.match(droppedOf(await door.export(at)), [{ why: /missing or damaged/u }]);
  const { json } = await door.request(`${at}/verify`, {});
  t.match(json, { ok: true });
});

t.test('what is kept of a file goes with its workbook', async (t) => {
  const door = await FileDoor.open(t, 'claimed');
  const { at } = await door.import(chartsFile());
  const folder = `${door.folder}/objects/wb/${at.split('/').at(-1) ?? ''}`;
  t.equal((await readdir(`${folder}/file`)).length > 0, true);
  const archived = await door.delete(at);
  const { confirm } = archived.json as { confirm: string };
  const purged = await door.delete(`${at}?purge=true&confirm=${confirm}`);
  t.equal(purged.status, 200, purged.text);
  await t.rejects(readdir(`${folder}/file`), { code: 'ENOENT' });
});
