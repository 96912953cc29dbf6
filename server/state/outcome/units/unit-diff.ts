import type { SheetDiff, StateDiff } from '../../diff/diff.ts';
import type { ScopedChange } from '../../merge/scope.ts';
import { isOwnChange, ofName, ofSetting, ofStyle, SheetChanges } from './source-changes.ts';

type Fits = (change: ScopedChange) => boolean;

/** The part of a diff from the base to the source that has the changes which fit. */
export function* fittingDiff(diff: StateDiff, fits: Fits): Generator<void, StateDiff> {
  const sheets: SheetDiff[] = [];
  for (const sheet of diff.sheets) {
    const part = fittingSheet(sheet, fits);
    if (part) sheets.push(part);
    yield;
  }
  return {
    ...diff,
    sheets,
    names: diff.names.filter((name) => fits(ofName(name))),
    settings: diff.settings.filter((setting) => fits(ofSetting(setting))),
    styles: diff.styles.filter((style) => fits(ofStyle(style))),
    policy: [],
  };
}

function fittingSheet(diff: SheetDiff, fits: Fits): SheetDiff | undefined {
  const on = SheetChanges.of(diff);
  if (!on) return undefined;
  const { pair, cells, collapsed, structure, formats, names, tables, records } = diff;
  const { orders, lines, properties } = diff;
  return {
    pair,
    cells: cells.filter((cell) => fits(on.cell(cell))),
    collapsed: collapsed.filter((one) => fits(on.collapsed(one))),
    structure: structure.filter((change) => fits(on.structure(change))),
    formats: formats.filter((format) => fits(on.format(format))),
    names: names.filter((name) => fits(on.name(name))),
    tables: tables.filter((table) => isOwnChange(table) && fits(on.table(table))),
    records: records.filter((record) => [...on.record(record)].some(fits)),
    orders: fits(on.order()) ? orders : [],
    lines: lines.filter((one) => fits(on.lines(one))),
    properties: properties.filter((property) => fits(on.property(property))),
  };
}
