import { parseAddress } from '../../../server/model/address.ts';
import { entryLists, type EntryList } from '../../../server/model/entry-lists.ts';
import { cellCount, parseSheetRange } from '../../../server/model/range.ts';
import type { Mark } from '../grid/source.ts';
import { inputText } from '../sheet/input-text.ts';

export interface CellSide {
  readonly input?: unknown;
  readonly value?: unknown;
  /** Value by the number format, if that differs. */
  readonly text?: string;
}

interface Origin {
  readonly by?: string;
  /** Operation that wrote it, as `branch@seq`. */
  readonly at?: string;
}

interface CellChange extends Origin {
  readonly sheet: string;
  readonly a1: { readonly from: string | null; readonly to: string | null };
  readonly change: string;
  readonly before?: CellSide;
  readonly after?: CellSide;
}

interface Filled extends Origin {
  readonly sheet: string;
  readonly range: string;
  readonly change: string;
  readonly count: number;
  readonly before: unknown;
  readonly after: unknown;
}

interface ShownValue {
  readonly sheet: string;
  readonly a1: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Texts by the number formats, if they differ. */
  readonly beforeText?: string;
  readonly afterText?: string;
  readonly cause: string;
  readonly via?: readonly string[];
}

type Other = Readonly<Record<string, unknown>>;

/** Lists of entries for cells, which have members of their own. */
type CellList = 'cells' | 'collapsed' | 'values';
type OtherList = Exclude<EntryList, CellList>;

const cellLists: readonly EntryList[] = ['cells', 'collapsed', 'values'] satisfies CellList[];
const otherLists = entryLists.filter((list): list is OtherList => !cellLists.includes(list));

interface PinnedPosition {
  readonly branch: string;
  readonly seq: number;
}

export type DiffPage = {
  /** Both positions, pinned so that they do not move with their branches. */
  readonly from: PinnedPosition;
  readonly to: PinnedPosition;
  readonly summary: Readonly<Record<string, number>>;
  /** Number of entries on all pages. */
  readonly total: number;
  readonly cells: readonly CellChange[];
  readonly collapsed: readonly Filled[];
  readonly values?: readonly ShownValue[];
  /** Address of the next page; null after the last one. */
  readonly next: string | null;
} & { readonly [List in OtherList]: readonly Other[] };

/** One difference as a line of a list. */
export interface DiffEntry {
  readonly key: string;
  /** `added`, `removed`, `modified` or `moved`. */
  readonly change: string;
  readonly sheet: string | undefined;
  /** Cell or range after the change, or before it if it is removed. */
  readonly place: string;
  readonly isThere: boolean;
  /** True when the place is one of cells or lines, removed or not. */
  readonly isCell: boolean;
  readonly told?: string;
  /** Place before the change of what has moved. */
  readonly cameFrom?: string;
  readonly before?: CellSide | undefined;
  readonly after?: CellSide | undefined;
  readonly by?: string | undefined;
  /** True when nobody wrote to it, and only its calculated value differs. */
  readonly isCalculated?: boolean;
}

/** Returns the entries of a page: lines and sheets first, then cells, then records. */
export function entriesOf(page: DiffPage): DiffEntry[] {
  const [structure, ...others] = otherLists.map((list) =>
    page[list].map((entry, index) => otherEntry(list, entry, index)),
  );
  return [
    ...(structure ?? []),
    ...page.cells.map(cellEntry),
    ...page.collapsed.map(filledEntry),
    ...others.flat(),
    ...(page.values ?? []).filter(({ cause }) => cause === 'recalculated').map(valueEntry),
  ];
}

function cellEntry({ sheet, a1, change, before, after, by }: CellChange): DiffEntry {
  const hasMoved = a1.from !== null && a1.to !== null && a1.from !== a1.to;
  return {
    key: `cells ${sheet} ${a1.from} ${a1.to}`,
    change,
    sheet,
    place: a1.to ?? a1.from ?? '',
    isThere: a1.to !== null,
    isCell: true,
    told: hasMoved ? `from ${a1.from}` : '',
    ...(hasMoved && { cameFrom: a1.from }),
    before,
    after,
    by,
  };
}

function filledEntry({ sheet, range, change, count, before, after, by }: Filled): DiffEntry {
  return {
    key: `collapsed ${sheet} ${range}`,
    change,
    sheet,
    place: range,
    isThere: change !== 'removed',
    isCell: true,
    told: `${count} cells alike`,
    before: { input: before },
    after: { input: after },
    by,
  };
}

function valueEntry(shown: ShownValue): DiffEntry {
  const { sheet, a1, before, after, beforeText, afterText, via } = shown;
  return {
    key: `values ${sheet} ${a1}`,
    change: 'modified',
    sheet,
    place: a1,
    isThere: true,
    isCell: true,
    told:
      via === undefined || via.length === 0 ? 'calculated anew' : `because of ${via.join(', ')}`,
    before: { input: beforeText ?? before },
    after: { input: afterText ?? after },
    isCalculated: true,
  };
}

const changesByWord: readonly (readonly [RegExp, string])[] = [
  [/insert|add/u, 'added'],
  [/delete|remove/u, 'removed'],
  [/move|reorder/u, 'moved'],
];

function otherEntry(list: string, entry: Other, index: number): DiffEntry {
  const word = text(entry, 'op') || text(entry, 'change');
  const change = changesByWord.find(([pattern]) => pattern.test(word))?.[1] ?? 'modified';
  const place = ['at', 'to', 'range', 'name', 'path', 'style']
    .map((member) => text(entry, member))
    .find((one) => one !== '');
  const isCell = /^\$?[A-Z]*\$?\d*(?::|$)/u.test(place ?? '');
  return {
    key: `${list} ${index} ${place}`,
    change,
    sheet: text(entry, 'sheet') || undefined,
    place: place ?? '',
    isThere: change !== 'removed' && isCell,
    isCell,
    told: toldOf(list, entry),
    ...(change === 'moved' && isCell && { cameFrom: text(entry, 'from') }),
  };
}

const structureWords: Readonly<Record<string, string>> = { cols: 'columns' };
const doneWords: Readonly<Record<string, string>> = {
  insert: 'inserted',
  delete: 'deleted',
  move: 'moved',
  add: 'added',
  rename: 'renamed',
  reorder: 'put in another order',
};

/** Describes an entry that is no cell: `rows inserted`, `look: bold, fill`. */
function toldOf(list: string, entry: Other): string {
  const members = changedMembers(entry).join(', ');
  switch (list) {
    case 'structure': {
      const from = text(entry, 'from');
      const [what = '', done = ''] = text(entry, 'op').split('.');
      const words = `${structureWords[what] ?? what} ${doneWords[done] ?? done}`;
      return from === '' ? words : `${words} from ${from}`;
    }
    case 'formats':
      return `look: ${members}`;
    case 'properties':
      return `${text(entry, 'property') || text(entry, 'axis') || 'property'}: ${members}`;
    case 'records':
      return `${text(entry, 'type')} ${text(entry, 'change')}`;
    default:
      return `${list.replace(/s$/u, '')} ${text(entry, 'change')}`;
  }
}

function changedMembers({ before, after }: Other): readonly string[] {
  const sides = [before, after].filter(
    (side): side is object => typeof side === 'object' && side !== null && !Array.isArray(side),
  );
  const names = [...new Set(sides.flatMap((side) => Object.keys(side)))];
  return names.length > 0 ? names : [`${inputText(before)} → ${inputText(after)}`];
}

function text(entry: Other, member: string): string {
  const value = entry[member];
  return typeof value === 'string' ? value : '';
}

/** Marks of cells by sheet, and then by `row:column` from 0. */
export type Marks = ReadonlyMap<string, ReadonlyMap<string, Mark>>;

const markedMost = 100_000;

/** Returns the marks for cells of a page that still exist. */
export function marksOf({ cells, collapsed }: Pick<DiffPage, 'cells' | 'collapsed'>): Marks {
  const marks = new Map<string, Map<string, Mark>>();
  const put = (sheet: string, key: string, mark: Mark) => {
    const known = marks.get(sheet) ?? new Map<string, Mark>();
    marks.set(sheet, known.set(key, mark));
  };
  for (const { sheet, a1, change } of cells) {
    const cell = parseAddress(a1.to ?? '');
    if (cell) put(sheet, `${cell.row}:${cell.column}`, markOf(change));
  }
  for (const { sheet, range, change } of collapsed) {
    const [area] = parseSheetRange(range)?.areas ?? [];
    if (!area || change === 'removed' || cellCount(area) > markedMost) continue;
    for (let row = area.row0; row <= area.row1; row++) {
      for (let column = area.column0; column <= area.column1; column++) {
        put(sheet, `${row}:${column}`, markOf(change));
      }
    }
  }
  return marks;
}

function markOf(change: string): Mark {
  return change === 'added' || change === 'removed' ? change : 'changed';
}
