import { rangeName, type Range } from '../../../server/model/range.ts';
import type { CellStyle } from '../store/block-store.ts';
import { setStyle, type CommandPlace, type SheetCommand } from './command.ts';

type Side = 'top' | 'bottom' | 'left' | 'right';

const sides: readonly Side[] = ['top', 'bottom', 'left', 'right'];
const thin = { style: 'thin' };
/** Points of texts of the usual size, and the ends of the sizes. */
const [usualSize, leastSize, mostSize] = [11, 6, 96];
const indentMost = 15;

function toggle(label: string, keys: string, property: 'bold' | 'italic' | 'strike'): SheetCommand {
  return {
    label,
    keys,
    menu: 'Format',
    run: (at) => setStyle(at, { [property]: at.style[property] === true ? null : true }),
  };
}

function look(
  label: string,
  style: Readonly<Record<string, unknown>>,
  keys?: string,
): SheetCommand {
  return {
    label,
    menu: 'Format',
    run: (at) => setStyle(at, style),
    ...(keys !== undefined && { keys }),
  };
}

/** Returns a command that changes a number of the active cell's style for all selected cells. */
function step(
  label: string,
  change: (style: CellStyle) => Readonly<Record<string, unknown>>,
): SheetCommand {
  return { label, menu: 'Format', run: (at) => setStyle(at, change(at.style)) };
}

function sizeStep(label: string, by: number): SheetCommand {
  return step(label, ({ size = usualSize }) => ({
    size: Math.max(leastSize, Math.min(mostSize, size + by)),
  }));
}

function indentStep(label: string, by: number): SheetCommand {
  return step(label, ({ indent = 0 }) => {
    const next = Math.max(0, Math.min(indentMost, indent + by));
    return { indent: next === 0 ? null : next };
  });
}

/** Returns the cells along a side of a range. */
function alongSide({ row0, row1, column0, column1 }: Range, side: Side): Range {
  return {
    row0: side === 'bottom' ? row1 : row0,
    row1: side === 'top' ? row0 : row1,
    column0: side === 'right' ? column1 : column0,
    column1: side === 'left' ? column0 : column1,
  };
}

/** Draws lines along sides of each selected range. */
function frame({ session, ranges }: CommandPlace, of: readonly Side[]): void {
  const set = ranges.flatMap((range) =>
    of.map((side) => {
      const cells = rangeName(alongSide(range, side));
      return { range: cells, style: { border: { [side]: thin } } };
    }),
  );
  session.apply('format.set', ...set);
}

export const formatCommands: readonly SheetCommand[] = [
  toggle('Bold', 'Ctrl+B', 'bold'),
  toggle('Italic', 'Ctrl+I', 'italic'),
  toggle('Strike through', 'Ctrl+5', 'strike'),
  {
    label: 'Underline',
    keys: 'Ctrl+U',
    menu: 'Format',
    run: (at) => setStyle(at, { underline: at.style.underline === undefined ? 'single' : null }),
  },
  look('Align left', { align: 'left' }),
  look('Align to the middle', { align: 'center' }),
  look('Align right', { align: 'right' }),
  look('Align to the top', { valign: 'top' }),
  look('Align between top and bottom', { valign: 'center' }),
  look('Align to the bottom', { valign: null }),
  indentStep('Indent more', 1),
  indentStep('Indent less', -1),
  sizeStep('Larger text', 1),
  sizeStep('Smaller text', -1),
  look('Lines around each cell', {
    border: Object.fromEntries(sides.map((side) => [side, thin])),
  }),
  { label: 'Lines around all', menu: 'Format', run: (at) => frame(at, sides) },
  { label: 'A line below', menu: 'Format', run: (at) => frame(at, ['bottom']) },
  look('No lines', { border: null }),
  {
    label: 'Wrap texts',
    menu: 'Format',
    run: (at) => setStyle(at, { wrap: at.style.wrap === true ? null : true }),
  },
  look('Number: as it is', { numberFormat: null }, 'Ctrl+Shift+`'),
  look('Number: 1,234.50', { numberFormat: '#,##0.00' }, 'Ctrl+Shift+1'),
  look('Number: 12:30', { numberFormat: 'h:mm AM/PM' }, 'Ctrl+Shift+2'),
  look('Number: 2026-01-31', { numberFormat: 'yyyy-mm-dd' }, 'Ctrl+Shift+3'),
  look('Number: $1,234.50', { numberFormat: '$#,##0.00' }, 'Ctrl+Shift+4'),
  look('Number: 12%', { numberFormat: '0%' }, 'Ctrl+Shift+5'),
  look('Number: 1.23E+03', { numberFormat: '0.00E+00' }, 'Ctrl+Shift+6'),
  {
    label: 'No format',
    menu: 'Format',
    run: (at) => setStyle(at, {}, { replace: true }),
  },
];
