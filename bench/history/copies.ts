import { once, type Figure } from '../report.ts';
import type { Built } from './building.ts';
import type { Memory, MeasuredService } from './measured-service.ts';

const branchCount = 100;

/** Measures 100 branches, each with an edit, against the state before them. */
export async function measureCopies(service: MeasuredService, built: Built): Promise<Figure[]> {
  const at = `/v1/workbooks/${built.id}`;
  await service.restart();
  const empty = await service.memory();
  await service.get(`${at}/branches/main/state`);
  const run = Date.now();
  const open = async (index: number): Promise<void> => {
    const name = `c${run}-${index}`;
    await service.post(`${at}/branches`, { name, from: 'main' });
    const cells = [{ a1: `B${index * 997 + 1}`, input: index }];
    const ops = [{ kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
    await service.post(`${at}/branches/${name}/ops`, { ops });
    await service.get(`${at}/slice?ref=${name}&range=A1:J1&lens=input`);
  };
  // The first one also loads code that all others use.
  await open(branchCount);
  const one = await service.memory();
  const diskBefore = await service.diskBytes();
  for (let index = 0; index < branchCount; index++) await open(index);
  const many = await service.memory();
  const disk = await service.diskBytes();
  const total = (bytes: { database: number; objects: number }) => bytes.database + bytes.objects;
  const subject = `${branchCount} branches`;
  const due = '1.2x';
  const held = (memory: Memory) =>
    memory.heapUsed + memory.external - empty.heapUsed - empty.external;
  const figure = (measure: string, unit: string, value: number): Figure => {
    return { subject, measure, unit, quire: once(value) };
  };
  return [
    figure('one copy in memory', 'MB', held(one) / 1e6),
    figure('all of them in memory', 'MB', held(many) / 1e6),
    { ...figure('in memory, of one copy', 'x', held(many) / held(one)), due },
    {
      ...figure('resident, of the process with one', 'x', many.rss / one.rss),
      due,
    },
    figure('one copy on disk', 'MB', total(diskBefore) / 1e6),
    figure('all of them on disk', 'MB', total(disk) / 1e6),
    { ...figure('on disk, of one copy', 'x', total(disk) / total(diskBefore)), due },
  ];
}
