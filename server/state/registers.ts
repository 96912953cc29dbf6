import { columnLimit, rowLimit } from '../model/address.ts';
import { foldName } from '../model/names.ts';
import type { LookPlan, Plan } from './plan.ts';
import type { Footprint } from './recent-writes.ts';
import type { FormatPatch } from './style-list.ts';

// The registers of cells: their value, and each property of their format by itself. Lists of what
// is common are made once, because ten thousand footprints are remembered.

const value = ['value'];
const numberFormat = ['format.numberFormat'];
const valueAndNumberFormat = [...value, ...numberFormat];
const allFormats = ['format.'];
const valueAndFormats = [...value, ...allFormats];

export type CellPlan = Extract<Plan, { type: 'cells' | 'blocks' | 'fill' | 'clear' | 'format' }>;

const cellPlans = ['cells', 'blocks', 'fill', 'clear', 'format'] satisfies CellPlan['type'][];

export function isCellPlan(plan: Plan): plan is CellPlan {
  return (cellPlans as readonly string[]).includes(plan.type);
}

/** What a plan writes of each of its cells. */
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
      if (!plan.formats) return value;
      return plan.values ? valueAndFormats : allFormats;
    default:
      return formatRegisters(plan.format);
  }
}

function chosen(hasValue: boolean, hasFormat: boolean): readonly string[] {
  if (!hasFormat) return value;
  return hasValue ? valueAndNumberFormat : numberFormat;
}

function formatRegisters({ patch, replaces }: FormatPatch): readonly string[] {
  return replaces ? allFormats : Object.keys(patch).map((key) => `format.${key}`);
}

/** Properties of whole rows, columns, sheets, and named styles. */
export function lookFootprint(plan: LookPlan): Omit<Footprint, 'sequence'> {
  switch (plan.type) {
    case 'lines': {
      const target = plan.spans.map(({ from, count }) =>
        plan.axis === 'row'
          ? { row0: from, row1: from + count - 1, column0: 0, column1: columnLimit - 1 }
          : { row0: 0, row1: rowLimit - 1, column0: from, column1: from + count - 1 },
      );
      const registers = Object.keys(plan.change).map((key) => `${plan.axis}.${key}`);
      return { sheet: plan.sheet, target, registers };
    }
    case 'properties': {
      const registers = plan.changes.map(([key]) => key);
      return { sheet: plan.sheet, target: 'properties', registers };
    }
    default: {
      // A blank cannot stand in a defined name.
      const id = plan.type === 'styleDefine' ? plan.style.id : plan.id;
      return { sheet: undefined, target: { name: `style ${foldName(id)}` } };
    }
  }
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
