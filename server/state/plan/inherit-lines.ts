import { rowLimit } from '../../model/address.ts';
import { blockLanes } from '../cells/block.ts';
import { formatRuns } from '../cells/format-lanes.ts';
import type { LineProperties } from '../structure/line-properties.ts';
import { lineValue } from '../structure/line-value.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import { formatsOf, type FormatParts, type Plan } from './plan.ts';
import type { Stretch } from '../cells/sheet-cells.ts';
import type { SheetFormats } from '../cells/sheet-formats.ts';
import { orderOf, type Axis } from '../structure/structure.ts';

interface Heir {
  readonly axis: Axis;
  /** The line whose look new lines get. */
  readonly inherit: LineId;
}

/** Returns how many cells with a format of their own a copy of a line would add. */
export function formattedLanes(formats: SheetFormats, heir: Heir): number {
  let count = 0;
  for (const column of formattedColumns(formats, heir)) {
    for (const { rows } of column) for (const { length } of rows) count += length;
  }
  return count;
}

/** Gives new lines the formats, size and level of a neighbour. */
function* inheritLine(
  formats: SheetFormats,
  { axis, inherit }: Heir,
  spans: readonly IdSpan[],
): Generator<void, LineProperties> {
  const pieces: FormattedPiece[] = [];
  for (const column of formattedColumns(formats, { axis, inherit })) {
    for (const piece of column) pieces.push(piece);
    yield;
  }
  for (const { rows, column, format } of pieces) {
    yield;
    const written = axis === 'row' ? spans : rows;
    for (const id of axis === 'row' ? [column] : spans.flatMap((span) => [...idsOf(span)])) {
      for (const { block, from, to } of formats.cells.stretchesForWrite(written, id)) {
        block.fillFormat(from, to, format);
      }
    }
  }
  const lines = axis === 'row' ? formats.rows : formats.columns;
  const { collapsed: _collapsed, hidden: _hidden, ...inherited } = lines.at(inherit);
  return lines.update(spans, () => lineValue(inherited));
}

/** Updates the properties of lines after an insertion or deletion; cells are not touched. */
export function* followLines(
  plan: Extract<Plan, { type: 'insert' | 'delete' }>,
  run: { readonly branch: number; readonly sequence: number },
  parts: FormatParts,
): Generator<void, void> {
  const { sheet, axis } = plan;
  const { lines } = parts.looks;
  if (plan.type === 'delete') {
    const order = orderOf(sheet, axis);
    const gone = plan.spans.flatMap(({ from, count }) => order.spansAt(from, count));
    lines.set(sheet.id, axis, lines.of(sheet.id, axis).drop(gone));
  } else if (plan.inherit) {
    const spans = plan.ids ?? [{ ...run, offset: 0, length: plan.count }];
    const heir = { axis, inherit: plan.inherit };
    lines.set(sheet.id, axis, yield* inheritLine(formatsOf(parts, sheet), heir, spans));
  }
}

interface FormattedPiece {
  readonly rows: readonly IdSpan[];
  readonly column: LineId;
  readonly format: number;
}

/** Yields, for each column, the runs of cells of a line that have a format of their own. */
function* formattedColumns(
  { sheet, cells }: SheetFormats,
  { axis, inherit }: Heir,
): Generator<Iterable<FormattedPiece>> {
  const rows = axis === 'row' ? [{ ...inherit, length: 1 }] : sheet.rows.spansAt(0, rowLimit);
  for (const column of axis === 'row' ? cells.columnIds() : [inherit]) {
    yield piecesIn(cells.stretches(rows, column), column);
  }
}

function* piecesIn(stretches: Iterable<Stretch>, column: LineId): Generator<FormattedPiece> {
  for (const stretch of stretches) yield* piecesOf(stretch, column);
}

function* piecesOf(stretch: Stretch, column: LineId): Generator<FormattedPiece> {
  const { branch, sequence, index } = stretch.block;
  for (const { from, to, format } of formatRuns(stretch)) {
    if (format === 0) continue;
    const offset = index * blockLanes + from;
    yield { rows: [{ branch, sequence, offset, length: to - from }], column, format };
  }
}

function* idsOf({ branch, sequence, offset, length }: IdSpan): Generator<LineId> {
  for (let at = 0; at < length; at++) yield { branch, sequence, offset: offset + at };
}
