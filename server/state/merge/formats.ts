import { cellName } from '../../model/address.ts';
import type { CellStyle } from '../../model/cell-style.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import { rangeName } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { lineText } from '../structure/area.ts';
import type { Block } from '../cells/block.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { unequalStyles } from '../cells/unequal-lanes.ts';
import { changedBlocks, sharedSheets, type ChangedBlock } from './changed-blocks.ts';
import { mergeStyles, type Sides } from '../compare/merged-members.ts';
import { rectanglesOf, segmentsOf } from '../compare/rectangles.ts';
import { placeOf } from '../compare/same-lanes.ts';
import { isLeft, type Merging } from './merging.ts';

/** Index of the style that each cell shall have, by column and row. */
type WantedFormats = Map<number, Map<number, number>>;

/** Merges the formats of cells, property by property. */
export function* mergeFormats(merging: Merging): Generator<void, void> {
  for (const sheets of sharedSheets(merging)) {
    const wanted: WantedFormats = new Map();
    for (const block of changedBlocks(merging, sheets)) {
      const column = wanted.get(block.column) ?? new Map<number, number>();
      wantLanes(merging, block, column);
      if (column.size > 0) wanted.set(block.column, column);
      yield;
    }
    yield* writeFormats(merging, sheets.sheet, wanted);
  }
}

/** Returns the indexes of the styles in theirs, base and ours. */
function formatsAt({ theirs, base, ours }: ChangedBlock, lane: number): [number, number, number] {
  const of = (block: Block | undefined) => block?.formatAt(lane) ?? 0;
  return [of(theirs), of(base), of(ours)];
}

function wantLanes(merging: Merging, block: ChangedBlock, wanted: Map<number, number>): void {
  const { sheet, column, positions } = block;
  for (const lane of unequalStyles(block.theirs, block.base)) {
    const row = positions[lane] ?? -1;
    const [to, from, now] = formatsAt(block, lane);
    if (row < 0 || now === to) continue;
    const place = placeOf(block.rows, lane, { sheetId: sheet.id, column: block.columnId });
    if (isLeft(merging, { kind: 'format.cell', place })) continue;
    if (now === from) {
      wanted.set(row, to);
      continue;
    }
    const { styles } = merging.theirs.coding.dictionary;
    const [theirs, base, ours] = [to, from, now].map((index) => styles.style(index)) as [
      CellStyle,
      CellStyle,
      CellStyle,
    ];
    const sides = { theirs, base, ours };
    const { value, contested } = mergeStyles(sides);
    const isTheirs =
      contested.length > 0 &&
      takesTheirs(merging, {
        place,
        sides,
        contested,
        text: `${sheet.name}!${cellName(row, column)}`,
      });
    const merged = styles.indexOf(isTheirs ? mergeStyles(sides, 'theirs').value : value);
    if (merged !== now) wanted.set(row, merged);
  }
}

interface ContestedFormat {
  readonly place: CellPlace;
  readonly sides: Sides<CellStyle>;
  /** Names of the properties that both sides changed, each in its way. */
  readonly contested: readonly string[];
  readonly text: string;
}

function takesTheirs(
  { judge }: Merging,
  { place, sides, contested, text }: ContestedFormat,
): boolean {
  const { sheetId, row, column } = place;
  const of = (style: CellStyle) => pick(style, contested);
  const choice = judge.decide({
    kind: 'cell.format',
    register: `format ${sheetId} ${lineText(row)} ${lineText(column)}`,
    text,
    place,
    sides: () => ({ base: of(sides.base), ours: of(sides.ours), theirs: of(sides.theirs) }),
  });
  return choice === 'theirs';
}

function pick(style: CellStyle, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(style).filter(([key]) => keys.includes(key)));
}

function* writeFormats(
  { theirs, parts }: Merging,
  sheet: SheetOutline,
  wanted: WantedFormats,
): Generator<void, void> {
  const segments = [...wanted].flatMap(([column, cells]) => segmentsOf(column, cells));
  const byFormat = new Map<number, string[]>();
  const rectangles = yield* rectanglesOf(segments);
  if (rectangles.length > limits.cellsPerOperation) {
    const why = `the formats of ${rectangles.length} areas would have to be written again`;
    throw new Rejection('range_too_large', why);
  }
  for (const { range, key } of rectangles) {
    const areas = byFormat.get(key);
    if (areas) areas.push(rangeName(range));
    else byFormat.set(key, [rangeName(range)]);
  }
  const { styles } = theirs.coding.dictionary;
  for (const [format, areas] of byFormat) {
    const style = format === 0 ? null : styles.style(format);
    for (let at = 0; at < areas.length; at += limits.areasPerRange) {
      const range = areas.slice(at, at + limits.areasPerRange).join(',');
      const payload = { sheet: sheet.id, range, style };
      yield* parts.add({ kind: 'restore.formats', payload });
    }
  }
}
