import type { Figure } from '../report.ts';
import { OtherTenant, othersFigure } from '../service/other-tenant.ts';
import { RunningService } from '../service/running-service.ts';
import { aboveCeiling, FilledWorkbook } from '../values/filled-workbook.ts';
import { figure, loopFigure, measureReading } from '../values/run.ts';

/**
 * Measures one workbook in a running service: import, calculation, an edit on which everything
 * depends, recalculation, reading. Meanwhile another client reads slices of a small workbook.
 */
export async function measureService(formulaCount: number): Promise<Figure[]> {
  const service = await RunningService.start(undefined, aboveCeiling(formulaCount));
  try {
    const written = await FilledWorkbook.create(service, formulaCount);
    const file = await written.exported();
    const other = await OtherTenant.create(service);
    const figures: Figure[] = [figure('the file', 'xlsx', 'MB', [file.length / 1e6])];
    let workbook = written;
    /** Does one thing, and measures the other client meanwhile. */
    const during = async (subject: string, work: () => Promise<Figure[]>): Promise<void> => {
      other.begin();
      const found = await work();
      const slices = await other.end();
      figures.push(...found, othersFigure(subject, slices));
    };
    await during('import', async () => {
      await service.loopDelay();
      const started = performance.now();
      workbook = await written.imported(file);
      const seconds = (performance.now() - started) / 1_000;
      return [
        figure('import', 'answered', 's', [seconds]),
        loopFigure('import', await service.loopDelay()),
      ];
    });
    await during('first computation', () => computed(service, 'first computation', workbook));
    await during('edit', async () => {
      const started = performance.now();
      await workbook.dirtyAll(7);
      return [figure('edit', 'durable, all is dirty', 'ms', [performance.now() - started])];
    });
    await during('computation after it', () => computed(service, 'computation after it', workbook));
    await during('reading', () => measureReading(service, workbook));
    other.close();
    return figures;
  } finally {
    await service.stop();
  }
}

async function computed(
  service: RunningService,
  subject: string,
  workbook: FilledWorkbook,
): Promise<Figure[]> {
  await service.loopDelay();
  const { firstMilliseconds, seconds } = await workbook.untilComputed();
  const loop = loopFigure(subject, await service.loopDelay());
  const stats = (await (await workbook.get('eval-stats')).json()) as {
    lastRecalculation: { dirtyCells: number; phases: { evaluate: number } } | null;
  };
  const { dirtyCells = 0, phases } = stats.lastRecalculation ?? {};
  const perSecond = dirtyCells / (phases?.evaluate ?? Number.NaN) / 1_000;
  return [
    figure(subject, 'to 202', 'ms', [firstMilliseconds]),
    figure(subject, 'to 200', 's', [seconds]),
    figure(subject, 'formulas computed', '', [dirtyCells]),
    figure(subject, 'of it in the kernel', 'M formulas/s', [perSecond]),
    loop,
  ];
}
