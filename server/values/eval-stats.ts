import { Pace } from '../branches/pace.ts';
import { cellName } from '../model/address.ts';
import type { Environment } from '../model/environment.ts';
import { quoteSheet } from '../model/range.ts';
import type { Ceiling, Ceilings } from './ceiling.ts';
import type { Computation } from './computations.ts';
import type { LastRecalculation, ModelView } from './model.ts';
import type { Place } from '../branches/place.ts';
import type { Models } from './models.ts';
import type { Values } from './values.ts';

/** Most cells searched for a cycle, and most cells of it that are named. */
const searchedCellsMost = 200_000;
const namedCellsMost = 20;
const pageCells = 8192;

export interface EvalStats {
  readonly seq: number;
  readonly cells: number;
  readonly formulas: number;
  readonly templates: number;
  readonly runs: number;
  readonly grid: number;
  readonly pending: number;
  readonly circular: { readonly count: number; readonly cells: readonly string[] };
  readonly lastRecalculation: {
    readonly dirtyCells: number;
    readonly phases: { readonly apply: number; readonly evaluate: number };
    readonly cellsPerSecond: number | null;
    readonly in: 'pool' | 'process';
  } | null;
  readonly memory: { readonly bytes: number; readonly usedBytes: number };
  readonly cache: { readonly hits: number; readonly builds: number; readonly bytes: number };
  readonly ceiling: Ceiling;
  /** Distance to the ceiling in cells and grid; negative above it, null without one. */
  readonly headroom: Ceiling;
  /** State of the computation of a position above the ceiling; null below it. */
  readonly computation: {
    readonly state: 'none' | 'queued' | 'computing' | 'computed' | 'failed';
    /** Number of computed cells: of those with formulas during the computation, of all after it. */
    readonly done: number;
    readonly total: number;
  } | null;
}

/**
 * Reads statistics of evaluating a workbook, after bringing its values up to date. If that is done
 * in the background, they contain its progress.
 */
export async function readEvalStats(
  place: Place,
  parts: { models: Models; values: Values; ceilings: Ceilings; environment: Environment },
): Promise<EvalStats> {
  const { models, values, ceilings, environment } = parts;
  const ceiling = ceilings.of(place.address.workbookId);
  const computation = await values.computation(place);
  return models.use(place, computation === undefined, async (view) => {
    const figures = view.kernel.statistics();
    const { grid } = view.sheets;
    const { cells, formulas, templates, runs, pending } = figures;
    const circularCells =
      figures.circular > 0 ? await findCircular(view, new Pace(environment)) : [];
    const { hits, builds, residentBytes } = models.figures;
    return {
      seq: view.position.seq,
      cells,
      formulas,
      templates,
      runs,
      grid,
      pending,
      circular: { count: figures.circular, cells: circularCells },
      lastRecalculation: describe(view.lastRecalculation),
      memory: { bytes: figures.memoryBytes, usedBytes: figures.usedBytes },
      cache: { hits, builds, bytes: residentBytes },
      ceiling,
      headroom: {
        cells: ceiling.cells === null ? null : ceiling.cells - cells,
        grid: ceiling.grid === null ? null : ceiling.grid - grid,
      },
      computation: computation ? progressOf(computation, pending) : null,
    };
  });
}

function progressOf(computation: Computation, pending: number): EvalStats['computation'] {
  switch (computation.kind) {
    case 'active':
      return { state: 'computing', ...computation.progress };
    case 'computed': {
      const { total } = computation.result;
      return { state: 'computed', done: total, total };
    }
    default:
      return { state: computation.kind, done: 0, total: pending };
  }
}

function describe(last: LastRecalculation | undefined): EvalStats['lastRecalculation'] {
  if (last === undefined) return null;
  const { cells, applyMilliseconds, evaluateMilliseconds, inPool } = last;
  const seconds = evaluateMilliseconds / 1000;
  return {
    dirtyCells: cells,
    phases: { apply: rounded(applyMilliseconds), evaluate: rounded(evaluateMilliseconds) },
    cellsPerSecond: seconds > 0 ? Math.round(cells / seconds) : null,
    in: inPool ? 'pool' : 'process',
  };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

async function findCircular({ kernel, sheets }: ModelView, pace: Pace): Promise<string[]> {
  const found: string[] = [];
  const end = Math.min(kernel.valueCount, searchedCellsMost);
  for (let offset = 0; offset < end && found.length < namedCellsMost;) {
    offset += kernel.readValues(offset, pageCells, ({ sheet, row, column, value }) => {
      if (typeof value !== 'object' || value?.error !== '#CIRC!') return;
      const name = quoteSheet(sheets.withKey(sheet)?.name ?? '');
      found.push(`${name}!${cellName(row, column)}`);
    });
    if (pace.isDue) await pace.rest();
  }
  return found.slice(0, namedCellsMost);
}
