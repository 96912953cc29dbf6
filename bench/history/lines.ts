import { once, summarise, type Figure } from '../report.ts';
import { Dice } from './journal-mix.ts';
import type { Built } from './building.ts';
import type { MeasuredService } from './measured-service.ts';

const rowCount = 1_000_000;
const rowsAtOnce = 100_000;

/** Measures the checkpoint after a row was inserted above a million others. */
export async function measureLines(service: MeasuredService, _built: Built): Promise<Figure[]> {
  const { json } = await service.post('/v1/workbooks', {});
  const { id } = json as { id: string };
  const main = `/v1/workbooks/${id}/branches/main`;
  const dice = new Dice(3);
  for (let row = 1; row <= rowCount; row += rowsAtOnce) {
    const inputs = Array.from({ length: rowsAtOnce }, () => [dice.next(1_000_000) / 100]);
    const range = `Sheet1!A${row}:A${row + rowsAtOnce - 1}`;
    await service.post(`${main}/ops`, { ops: [{ kind: 'range.set', payload: { range, inputs } }] });
  }
  await service.post(`${main}/checkpoint`, {});
  const insert = { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 1 } };
  const times: number[] = [];
  let written: Written = { nodes: {}, byteCount: 0 };
  for (let round = 0; round < 10; round++) {
    // Equal blocks are stored once, so each row has a new content.
    const cells = [{ a1: 'A1', input: `new row ${round}` }];
    const ops = [insert, { kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
    times.push((await service.post(`${main}/ops`, { ops })).milliseconds);
    const answer = await service.post(`${main}/checkpoint`, {});
    ({ written } = answer.json as { written: Written });
  }
  const subject = 'a row above a million';
  const count = (kind: string) => once(written.nodes[kind] ?? 0);
  return [
    { subject, measure: 'insert and fill', unit: 'ms', quire: summarise(times) },
    { subject, measure: 'blocks written', unit: '', quire: count('block'), due: '2' },
    { subject, measure: 'order nodes written', unit: '', quire: count('order'), due: '1' },
    { subject, measure: 'parts of orders written', unit: '', quire: count('spans') },
    { subject, measure: 'all that was written', unit: 'bytes', quire: once(written.byteCount) },
  ];
}

interface Written {
  readonly nodes: Readonly<Record<string, number>>;
  readonly byteCount: number;
}
