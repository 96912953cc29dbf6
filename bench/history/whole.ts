import { once, summarise, type Figure } from '../report.ts';
import type { Built } from './building.ts';
import type { MeasuredService } from './measured-service.ts';

/** Measures work on a whole state: its hash, loading, exporting an old one, replay. */
export async function measureWhole(service: MeasuredService, built: Built): Promise<Figure[]> {
  const { id } = built;
  const at = `/v1/workbooks/${id}`;
  const subject = 'the whole state';
  const wake = async () =>
    (await service.post(`${at}/wake`, { branches: ['main'], warm: ['state'], waitMs: 10_000 }))
      .milliseconds;
  const wakes: number[] = [];
  for (let round = 0; round < 5; round++) {
    await service.restart();
    wakes.push(await wake());
  }
  const hash = async () => (await service.get(`${at}/branches/main/state`)).milliseconds;
  const edit = async (index: number) => {
    const cells = [{ a1: `A${index * 97 + 1}`, input: index }];
    const ops = [{ kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
    return service.post(`${at}/branches/main/ops`, { ops });
  };
  await hash();
  const hashes: number[] = [];
  for (let index = 0; index < 20; index++) {
    await edit(index);
    hashes.push(await hash());
  }
  const snapshots: number[] = [];
  for (let index = 0; index < 10; index++) {
    await edit(index + 100);
    snapshots.push((await service.post(`${at}/branches/main/checkpoint`, {})).milliseconds);
  }
  const old = `main@${built.firstSeq + 30_000}`;
  const exported = await service.get(`${at}/branches/${old}/export?format=csv`);
  return [
    { subject, measure: 'wake in a new process', unit: 'ms', quire: summarise(wakes) },
    { subject, measure: 'state hash after an edit', unit: 'ms', quire: summarise(hashes) },
    { subject, measure: 'checkpoint after an edit', unit: 'ms', quire: summarise(snapshots) },
    {
      subject,
      measure: 'export of an old one as csv',
      unit: 'ms',
      quire: once(exported.milliseconds),
    },
  ];
}
