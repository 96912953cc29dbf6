import { once, type Figure } from '../report.ts';
import { RunningService } from './running-service.ts';

/**
 * Measures fifty workbooks of 100,000 cells: their memory while open, and after they are dropped.
 */

const workbookCount = 50;
const rowCount = 20_000;
const columns: readonly (readonly [name: string, input: unknown])[] = [
  ['A', 7],
  ['B', '=A1*2'],
  ['C', '=B1+A1'],
  ['D', '=C1-B1'],
  ['E', '=ROUND(D1/3,2)'],
];
const cellCount = rowCount * columns.length;
/** Budget for ten of the models, so that others are dropped and built again. */
const smallBudget = { MODEL_MEMORY_MIB: '32', STATE_MEMORY_MIB: '64' };
const passCount = 10;

export async function measureOpenWorkbooks(): Promise<Figure[]> {
  const subject = `${workbookCount} of ${cellCount / 1_000}k cells`;
  return [...(await measureAllOpen(subject)), ...(await measureTurns(`${subject}, 10 open`))];
}

async function measureAllOpen(subject: string): Promise<Figure[]> {
  const service = await RunningService.start();
  try {
    await openWorkbook(service);
    const { now: one } = await service.residentMebibytes();
    for (let count = 1; count < workbookCount; count++) await openWorkbook(service);
    const { now: all } = await service.residentMebibytes();
    const bytesPerCell = ((all - one) * 2 ** 20) / ((workbookCount - 1) * cellCount);
    return [
      { subject, measure: 'resident with one', unit: 'MiB', quire: once(one) },
      { subject, measure: 'resident with all', unit: 'MiB', quire: once(all), due: '512 MiB' },
      { subject, measure: 'resident per cell', unit: 'bytes', quire: once(bytesPerCell) },
    ];
  } finally {
    await service.stop();
  }
}

async function measureTurns(subject: string): Promise<Figure[]> {
  const service = await RunningService.start(undefined, smallBudget);
  try {
    const ids: string[] = [];
    for (let count = 0; count < workbookCount; count++) ids.push(await openWorkbook(service));
    const { now: first } = await service.residentMebibytes();
    for (let pass = 0; pass < passCount; pass++) for (const id of ids) await readSlice(service, id);
    const { now: last } = await service.residentMebibytes();
    return [
      { subject, measure: 'resident, all read once', unit: 'MiB', quire: once(first) },
      {
        subject,
        measure: 'resident, ten times more',
        unit: 'MiB',
        quire: once(last),
        due: '512 MiB',
      },
    ];
  } finally {
    await service.stop();
  }
}

async function openWorkbook(service: RunningService): Promise<string> {
  const id = await service.createWorkbook();
  const ops = columns.map(([name, input]) => {
    const range = `Sheet1!${name}1:${name}${rowCount}`;
    return { kind: 'range.fill', payload: { range, input } };
  });
  await service.ask(`/v1/workbooks/${id}/branches/main/ops`, { ops, writer: 'bench' });
  await readSlice(service, id);
  return id;
}

async function readSlice(service: RunningService, id: string): Promise<void> {
  await service.ask(`/v1/workbooks/${id}/slice?range=A1:E20`);
}
