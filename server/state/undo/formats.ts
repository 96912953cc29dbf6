import { cellName } from '../../model/address.ts';
import type { CellStyle } from '../../model/cell-style.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import { rangeName } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { blockLanes, type Block } from '../block.ts';
import type { SheetOutline } from '../structure.ts';
import { changedBlocks, sharedSheets, type ChangedBlock } from './changed-blocks.ts';
import { mergeStyles } from './merged-members.ts';
import { rectanglesOf, segmentsOf } from './rectangles.ts';
import type { SpanUndo } from './span-undo.ts';

/** By column and row: the style that a cell shall have of its own, as an index. */
type WantedFormats = Map<number, Map<number, number>>;

/** The formats of cells, property by property. */
export function* undoFormats(undo: SpanUndo): Generator<void, void> {
  for (const sheets of sharedSheets(undo)) {
    const wanted: WantedFormats = new Map();
    for (const block of changedBlocks(undo, sheets)) {
      const column = wanted.get(block.column) ?? new Map<number, number>();
      wantLanes(undo, block, column);
      if (column.size > 0) wanted.set(block.column, column);
      yield;
    }
    yield* writeFormats(undo, sheets.sheet, wanted);
  }
}

/** Before, after and now. */
function formatsAt({ before, after, ours }: ChangedBlock, lane: number): [number, number, number] {
  const of = (block: Block | undefined) => block?.formatAt(lane) ?? 0;
  return [of(before), of(after), of(ours)];
}

function wantLanes(undo: SpanUndo, block: ChangedBlock, wanted: Map<number, number>): void {
  const { sheet, column, positions } = block;
  for (let lane = 0; lane < blockLanes; lane++) {
    const row = positions[lane] ?? -1;
    const [to, from, now] = formatsAt(block, lane);
    if (row < 0 || to === from || now === to) continue;
    if (now === from) {
      wanted.set(row, to);
      continue;
    }
    const { styles } = undo.before.coding.dictionary;
    const [before, after, ours] = [to, from, now].map((index) => styles.style(index)) as [
      CellStyle,
      CellStyle,
      CellStyle,
    ];
    const { value, isSkipped } = mergeStyles({ before, after, ours });
    const merged = styles.indexOf(value);
    if (merged !== now) wanted.set(row, merged);
    if (isSkipped) undo.skipped.add(`${sheet.name}!${cellName(row, column)}`);
  }
}

function* writeFormats(
  { before, parts }: SpanUndo,
  sheet: SheetOutline,
  wanted: WantedFormats,
): Generator<void, void> {
  const segments = [...wanted].flatMap(([column, cells]) => segmentsOf(column, cells));
  const byFormat = new Map<number, string[]>();
  const rectangles = rectanglesOf(segments);
  if (rectangles.length > limits.cellsPerOperation) {
    const why = `the formats of ${rectangles.length} areas would have to be written again`;
    throw new Rejection('range_too_large', why);
  }
  for (const { range, key } of rectangles) {
    const areas = byFormat.get(key);
    if (areas) areas.push(rangeName(range));
    else byFormat.set(key, [rangeName(range)]);
  }
  const { styles } = before.coding.dictionary;
  for (const [format, areas] of byFormat) {
    const style = format === 0 ? null : styles.style(format);
    for (let at = 0; at < areas.length; at += limits.areasPerRange) {
      const range = areas.slice(at, at + limits.areasPerRange).join(',');
      const payload = { sheet: sheet.id, range, style };
      yield* parts.add({ kind: 'restore.formats', payload });
    }
  }
}
