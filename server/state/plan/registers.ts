import { columnLimit, rowLimit } from '../../model/address.ts';
import { foldName } from '../../model/names.ts';
import type { Range } from '../../model/range.ts';
import type { LookPlan, Plan } from './plan.ts';
import type { Footprint } from '../recent-writes.ts';
import type { FormatPatch } from '../cells/style-list.ts';

// The registers of a cell are its value and each property of its format. Common lists of registers
// are shared objects, because ten thousand footprints are remembered.

/** The register of a cell's content. */
export const valueOnly = ['value'];
/** The register of an entry that would be lost if its row or column were deleted. */
export const entryOnly = ['entry'];
export const entered = [...valueOnly, ...entryOnly];
const numberFormat = ['format.numberFormat'];
const valueAndNumberFormat = [...entered, ...numberFormat];
const allFormats = ['format.'];
export const valueAndFormats = [...entered, ...allFormats];
export const placeOfRows = ['row.place'];
const placeOfColumns = ['column.place'];
/** All registers except those of looks. */
export const contentRegisters = [...entered, ...placeOfRows, ...placeOfColumns];

export type CellPlan = Extract<
  Plan,
  { type: 'cells' | 'blocks' | 'fill' | 'clear' | 'format' | 'lanes' }
>;

type LinesPlan = Extract<LookPlan, { type: 'lines' }>;

const cellPlans = [
  'cells',
  'blocks',
  'fill',
  'clear',
  'format',
  'lanes',
] satisfies CellPlan['type'][];

export function isCellPlan(plan: Plan): plan is CellPlan {
  return (cellPlans as readonly string[]).includes(plan.type);
}

/** Returns the registers that a plan writes in each of its cells. */
export function registersOf(plan: CellPlan): readonly string[] {
  switch (plan.type) {
    case 'cells': {
      const isFormatted = plan.cells.some(({ format }) => format !== undefined);
      return chosen(
        plan.cells.some(({ coded }) => coded !== undefined),
        isFormatted,
      );
    }
    case 'blocks':
      return chosen(
        true,
        plan.blocks.some(({ formats }) => formats !== undefined),
      );
    case 'fill':
      return chosen(true, plan.format !== undefined);
    case 'clear':
      if (!plan.formats) return entered;
      return plan.values ? valueAndFormats : allFormats;
    case 'lanes':
      return allFormats;
    default:
      return formatRegisters(plan.format);
  }
}

function chosen(hasValue: boolean, hasFormat: boolean): readonly string[] {
  if (!hasFormat) return entered;
  return hasValue ? valueAndNumberFormat : numberFormat;
}

function formatRegisters({ patch, replaces }: FormatPatch): readonly string[] {
  return replaces ? allFormats : Object.keys(patch).map((key) => `format.${key}`);
}

/** Returns the footprint of a change of lines, sheets or named styles. */
export function lookFootprint(plan: LookPlan): Omit<Footprint, 'sequence'> {
  switch (plan.type) {
    case 'lines': {
      const target = rangesOfLines(plan);
      const registers = Object.keys(plan.change).map((key) => `${plan.axis}.${key}`);
      return { sheet: plan.sheet, target, registers };
    }
    case 'properties': {
      const registers = plan.changes.map(([key]) => key);
      return { sheet: plan.sheet, target: 'properties', registers };
    }
    default: {
      // The space keeps it apart from defined names, which have none.
      const id = plan.type === 'styleDefine' ? plan.style.id : plan.id;
      return { sheet: undefined, target: { name: `style ${foldName(id)}` } };
    }
  }
}

export const wholeSheet: Range = {
  row0: 0,
  column0: 0,
  row1: rowLimit - 1,
  column1: columnLimit - 1,
};

function rangesOfLines({ axis, spans }: Pick<LinesPlan, 'axis' | 'spans'>): Range[] {
  return spans.map(({ from, count }) =>
    axis === 'row'
      ? { ...wholeSheet, row0: from, row1: from + count - 1 }
      : { ...wholeSheet, column0: from, column1: from + count - 1 },
  );
}

/**
 * Returns the footprint of an edit of lines. Inserted lines collide with nothing; deleted ones with
 * entries in their cells.
 */
export function lineFootprint(
  plan: Extract<Plan, { type: 'insert' | 'delete' | 'move' }>,
): Omit<Footprint, 'sequence'> {
  const { sheet } = plan;
  if (plan.type === 'insert') return { sheet, target: [] };
  const target = rangesOfLines(plan);
  if (plan.type === 'delete') {
    return { sheet, target, registers: entryOnly, hasGoneRows: plan.axis === 'row' };
  }
  return { sheet, target, registers: plan.axis === 'row' ? placeOfRows : placeOfColumns };
}

export function shareRegister(
  own: readonly string[] | undefined,
  other: readonly string[] | undefined,
): boolean {
  if (own === undefined || other === undefined) return true;
  return own.some((register) =>
    other.some(
      (theirs) =>
        register === theirs ||
        (theirs.endsWith('.') && register.startsWith(theirs)) ||
        (register.endsWith('.') && theirs.startsWith(register)),
    ),
  );
}
