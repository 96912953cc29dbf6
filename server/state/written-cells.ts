import type { OperationKind, Payload } from '../model/operation.ts';
import type { LineId } from './ids/order.ts';
import type { FlatSpans, Resolved, ResolvedArea } from './plan/resolved.ts';
import type { Axis } from './structure/structure.ts';
import type { OperationPart } from './merge/parts.ts';

/** The cells that an operation wrote to, by id. */
export type WrittenCells =
  | {
      readonly type: 'cells';
      /** Six numbers for each cell: the ids of its row and its column. */
      readonly ids: readonly number[];
      /** Returns the id of the sheet of a cell. */
      readonly sheetOf: (index: number) => string | undefined;
      /** Returns whether a cell was written: an operation can name cells that it leaves alone. */
      readonly isWritten: (index: number) => boolean;
    }
  | {
      readonly type: 'areas';
      readonly sheet: string | undefined;
      readonly areas: readonly ResolvedArea[];
      /** Returns whether a cell of an area was written. */
      readonly isWritten: (area: number, row: number, column: number) => boolean;
    }
  | {
      readonly type: 'lines';
      readonly sheet: string | undefined;
      readonly axis: Axis;
      readonly spans: FlatSpans;
    }
  | { readonly type: 'sheet'; readonly sheet: string | undefined }
  | { readonly type: 'several'; readonly parts: readonly WrittenCells[] };

/** The cells whose values, and the cells whose formats, an operation wrote; undefined for none. */
export interface Written {
  readonly values?: WrittenCells | undefined;
  readonly formats?: WrittenCells | undefined;
}

type Writers = {
  readonly [Kind in OperationKind]: (payload: Payload<Kind>, resolved: Resolved) => Written;
};

const nothing: Written = {};
const none = (): Written => nothing;
const always = (): boolean => true;

/** The written cells of each kind of operation. */
const writers: Writers = {
  'cells.set': cellsSet,
  'range.set': rangeSet,
  'range.fill': ({ fmt }, resolved) => {
    const written = wholeAreas(resolved);
    return { values: written, formats: fmt === undefined ? undefined : written };
  },
  'range.clear': ({ what = ['values'] }, resolved) => {
    const written = wholeAreas(resolved);
    return {
      values: what.includes('values') ? written : undefined,
      formats: what.includes('formats') ? written : undefined,
    };
  },
  'numfmt.set': formatsOfAreas,
  'format.set': formatsOfAreas,
  // `areas` are existing cells, which it does not write.
  'table.create': (payload, { sheet, table, wrote = [] }) =>
    writtenByTables(payload, {
      ...(sheet !== undefined && { sheet }),
      ...(table !== undefined && { table }),
      wrote,
    }),
  'table.drop': none,
  'table.rename': none,
  'table.key.change': none,
  'table.column.add': writtenByTables,
  'table.column.drop': writtenByTables,
  'table.column.rename': writtenByTables,
  'table.column.alter': writtenByTables,
  'table.column.move': writtenByTables,
  'rows.import': writtenByTables,
  'rows.upsert': writtenByTables,
  'range.autofill': (_payload, resolved) => bothOf(wholeAreas(resolved)),
  'range.move': movedCells,
  'range.insert': movedCells,
  'range.delete': movedCells,
  'range.copy': ({ paste = ['formulas', 'formats'] }, resolved) => {
    const written = targetAreas(resolved);
    const hasFormats = paste.includes('formats');
    const hasValues = paste.includes('values') || paste.includes('formulas');
    return { values: hasValues ? written : undefined, formats: hasFormats ? written : undefined };
  },
  // A sort of whole rows writes no cells, because these keep their rows.
  'range.sort': ({ range }, resolved) =>
    /[a-z]/iu.test(range.slice(range.lastIndexOf('!') + 1))
      ? bothOf(wholeAreas(resolved))
      : nothing,
  'sheet.add': (_payload, { sheet, source }) => {
    if (source === undefined) return nothing;
    const written = { type: 'sheet', sheet } as const;
    return { values: written, formats: written };
  },
  'rows.insert': (_payload, resolved) => ({
    ...heirs('row', resolved),
    ...filledWithTables(resolved),
  }),
  'cols.insert': (_payload, resolved) => heirs('column', resolved),
  'rows.delete': (payload, resolved) =>
    resolved.table === undefined ? filledWithTables(resolved) : writtenByTables(payload, resolved),
  'rows.move': (_payload, resolved) => filledWithTables(resolved),
  'cols.delete': none,
  'cols.move': none,
  'sheet.rename': none,
  'sheet.delete': none,
  'sheet.move': none,
  'name.set': none,
  'name.delete': none,
  'name.rename': none,
  'settings.set': none,
  'style.define': none,
  'style.delete': none,
  'rows.size': none,
  'rows.hide': none,
  'rows.group': none,
  'cols.size': none,
  'cols.hide': none,
  'cols.group': none,
  'sheet.props': none,
  'props.set': none,
  'policy.set': none,
  commit: none,
  'cellmerge.add': none,
  'cellmerge.remove': none,
  'note.set': none,
  'note.delete': none,
  'comment.add': none,
  'comment.reply': none,
  'comment.edit': none,
  'comment.resolve': none,
  'comment.delete': none,
  'validation.set': none,
  'validation.delete': none,
  'cf.set': none,
  'cf.delete': none,
  'cf.move': none,
  'filter.set': none,
  'filter.clear': none,
  'protect.set': none,
  'protect.delete': none,
  'hyperlink.set': none,
  'image.set': none,
  'image.delete': none,
  'chart.set': none,
  'chart.delete': none,
  undo: writtenByParts,
  redo: writtenByParts,
  revert: writtenByParts,
  merge: writtenByParts,
};

/** Returns the cells that an operation wrote to, from its journal record alone. */
export function writtenCells(kind: OperationKind, payload: unknown, resolved: Resolved): Written {
  if (resolved.noop === true) return nothing;
  // TypeScript cannot tell that kind and payload belong together.
  const write = writers[kind] as (given: unknown, resolved: Resolved) => Written;
  return write(payload, resolved);
}

function cellsSet({ cells }: Payload<'cells.set'>, resolved: Resolved): Written {
  return {
    values: listedCells(resolved, (index) => cells[index]?.input !== undefined),
    formats: cells.some(({ fmt }) => fmt !== undefined)
      ? listedCells(resolved, (index) => cells[index]?.fmt !== undefined)
      : undefined,
  };
}

function listedCells(
  { sheet, sheets, cells = [] }: Resolved,
  isWritten: (index: number) => boolean,
): WrittenCells {
  return { type: 'cells', ids: cells, sheetOf: (index) => sheets?.[index] ?? sheet, isWritten };
}

/** Finds the cells of a block: its rows of inputs fill the areas one after another. */
function rangeSet({ inputs, fmts }: Payload<'range.set'>, resolved: Resolved): Written {
  const { sheet, areas = [] } = resolved;
  const firstRows: number[] = [];
  let next = 0;
  for (const { rows } of areas) {
    firstRows.push(next);
    next += spanTotal(rows);
  }
  const wherever = (given: readonly (readonly unknown[])[]): WrittenCells => ({
    type: 'areas',
    sheet,
    areas,
    isWritten: (area, row, column) => {
      return (given[(firstRows[area] ?? 0) + row]?.[column] ?? null) !== null;
    },
  });
  return { values: wherever(inputs), formats: fmts && wherever(fmts) };
}

/** Shifted and moved cells count as written in their new place. */
function movedCells(_payload: unknown, resolved: Resolved): Written {
  const moved = targetAreas(resolved);
  const { sheet, wrote: areas } = resolved;
  if (!areas) return bothOf(moved);
  return bothOf({
    type: 'several',
    parts: [moved, { type: 'areas', sheet, areas, isWritten: always }],
  });
}

function targetAreas({ to }: Resolved): WrittenCells {
  return { type: 'areas', sheet: to?.sheet, areas: to?.areas ?? [], isWritten: always };
}

function writtenByTables(_payload: unknown, resolved: Resolved): Written {
  const { sheet, table, areas = [], wrote = [] } = resolved;
  if (table === undefined) return nothing;
  return bothOf({ type: 'areas', sheet, areas: [...areas, ...wrote], isWritten: always });
}

/** Cells of calculated columns that an edit of rows filled. */
function filledWithTables({ sheet, wrote }: Resolved): Written {
  return wrote ? { values: { type: 'areas', sheet, areas: wrote, isWritten: always } } : nothing;
}

function bothOf(written: WrittenCells): Written {
  return { values: written, formats: written };
}

function formatsOfAreas(_payload: unknown, resolved: Resolved): Written {
  return { formats: wholeAreas(resolved) };
}

function wholeAreas({ sheet, areas = [] }: Resolved): WrittenCells {
  return { type: 'areas', sheet, areas, isWritten: always };
}

/** Cells of new lines that got the format of a neighbour. */
function heirs(axis: Axis, { sheet, lines = [], inherit }: Resolved): Written {
  return inherit ? { formats: { type: 'lines', axis, sheet, spans: lines } } : nothing;
}

/** Cells that the parts of an undo or merge wrote, restored ones included. */
function writtenByParts(payload: object, { parts = [] }: Resolved): Written {
  // The journal has the parts.
  const { ops = [] } = payload as { readonly ops?: readonly OperationPart[] };
  const written = ops.map((part, index) => writtenByPart(part, parts[index] ?? {}));
  return {
    values: several(written.map(({ values }) => values)),
    formats: several(written.map(({ formats }) => formats)),
  };
}

function writtenByPart(part: OperationPart, resolved: Resolved): Written {
  if (part.kind === 'restore.formats') return { formats: wholeAreas(resolved) };
  if (part.kind === 'restore.lineProperties') return writtenLines(part.payload, resolved);
  if (isRestoration(part)) return nothing;
  return writtenCells(part.kind, part.payload, resolved);
}

function isRestoration(
  part: OperationPart,
): part is Extract<OperationPart, { kind: `restore.${string}` }> {
  return part.kind.startsWith('restore.');
}

function writtenLines(
  { axis, change }: Extract<OperationPart, { kind: 'restore.lineProperties' }>['payload'],
  { sheet, lines = [] }: Resolved,
): Written {
  return 'style' in change ? { formats: { type: 'lines', axis, sheet, spans: lines } } : nothing;
}

function several(written: readonly (WrittenCells | undefined)[]): WrittenCells | undefined {
  const parts = written.filter((one) => one !== undefined);
  return parts.length > 0 ? { type: 'several', parts } : undefined;
}

/** Returns the number of ids in flat spans. */
export function spanTotal(spans: FlatSpans): number {
  let total = 0;
  for (let at = 3; at < spans.length; at += 4) total += spans[at] ?? 0;
  return total;
}

/** Returns the index of an id in flat spans; -1 when it is not there. */
export function placeIn(spans: FlatSpans, { branch, sequence, offset }: LineId): number {
  let skipped = 0;
  for (let at = 0; at < spans.length; at += 4) {
    const length = spans[at + 3] ?? 0;
    const from = offset - (spans[at + 2] ?? 0);
    const isRun = spans[at] === branch && spans[at + 1] === sequence;
    if (isRun && from >= 0 && from < length) return skipped + from;
    skipped += length;
  }
  return -1;
}
