import type { SheetDiff } from '../state/diff/diff.ts';
import type { SheetPair } from '../state/diff/sides.ts';
import type { LinesChange, SheetChange, StructureChange } from '../state/diff/structure-changes.ts';
import type { DiffEntry } from './entry.ts';
import { idNames, linesName } from './line-names.ts';
import { sheetName } from './sheet-names.ts';

export function* structureEntries({ pair, structure }: SheetDiff): Generator<DiffEntry> {
  for (const change of structure) {
    yield { list: 'structure', pair, show: () => shownChange(pair, change) };
  }
}

function shownChange(pair: SheetPair, change: StructureChange): Record<string, unknown> {
  if (!('axis' in change)) return shownSheet(pair, change);
  const { axis } = change;
  const lines = axis === 'row' ? 'rows' : 'cols';
  const sheet = sheetName(pair);
  switch (change.op) {
    case 'move': {
      const { from, to, count, ids } = change;
      const places = { from: linesName(axis, from, count), to: linesName(axis, to, count) };
      return { op: `${lines}.move`, sheet, ...places, ids: idNames(ids) };
    }
    case 'reorder': {
      const at = linesName(axis, change.position, change.count);
      return { op: `${lines}.reorder`, sheet, at, moved: change.movedCount };
    }
    default:
      return { op: `${lines}.${change.op}`, sheet, ...shownLines(change) };
  }
}

function shownLines({ axis, position, count, ids }: LinesChange) {
  return { at: linesName(axis, position, count), ids: idNames(ids) };
}

function shownSheet(pair: SheetPair, change: SheetChange): Record<string, unknown> {
  const name = sheetName(pair);
  const sheet = { sheet: name, sheetId: pair.id };
  switch (change.op) {
    case 'rename':
      return { op: 'sheet.rename', ...sheet, from: change.from, to: change.to };
    case 'place':
      return { op: 'sheet.move', ...sheet, name, from: change.from, to: change.to };
    default:
      return { op: `sheet.${change.op}`, ...sheet, name, index: change.index };
  }
}
