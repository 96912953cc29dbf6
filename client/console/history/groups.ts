import { kindWords } from './kind-words.ts';

/** An operation of the journal without its payload. */
export interface Done {
  readonly seq: number;
  readonly by: string;
  readonly kind: string;
  readonly at: string;
  readonly count?: { readonly cells: number };
}

/** Consecutive operations of one person. */
export interface DoneGroup {
  readonly first: number;
  readonly last: number;
  readonly by: string;
  /** Time of the last operation. */
  readonly at: string;
  readonly kinds: readonly string[];
  /** Operations that changed anything. */
  readonly count: number;
  /** Cells that the operations name. */
  readonly cells: number;
  /** All operations, newest first. */
  readonly steps: readonly Done[];
  /** Name of the position; undefined if it has none. */
  readonly name: string | undefined;
}

const pauseMs = 600_000;
const alone = new Set(['commit', 'merge', 'revert']);
const kindsMost = 3;

/**
 * Groups the operations of one person without a pause, newest first; a named position ends a group.
 */
export function groupsOf(
  ops: readonly Done[],
  names: ReadonlyMap<number, string>,
): readonly DoneGroup[] {
  const groups: DoneGroup[] = [];
  let before: Done | undefined;
  for (const op of ops) {
    const last = groups.at(-1);
    if (last && before && goesOn(op, before) && !names.has(op.seq)) {
      const kinds = last.kinds.includes(op.kind) ? last.kinds : [...last.kinds, op.kind];
      groups[groups.length - 1] = {
        ...last,
        first: op.seq,
        kinds,
        count: last.count + 1,
        cells: last.cells + cellsOf(op),
        steps: [...last.steps, op],
      };
    } else {
      const { seq, by, at, kind } = op;
      const count = kind === 'commit' ? 0 : 1;
      const name = names.get(seq);
      const cells = cellsOf(op);
      groups.push({
        first: seq,
        last: seq,
        by,
        at,
        kinds: [kind],
        count,
        cells,
        name,
        steps: [op],
      });
    }
    before = op;
  }
  return groups;
}

function goesOn(op: Done, later: Done): boolean {
  if (alone.has(op.kind) || alone.has(later.kind)) return false;
  return op.by === later.by && Date.parse(later.at) - Date.parse(op.at) < pauseMs;
}

function cellsOf({ count }: Done): number {
  return count?.cells ?? 0;
}

/** Describes a group, to follow a name: `typed, deleted rows: 14 changes, 1,204 cells`. */
export function doneWords({ kinds, count, cells }: DoneGroup): string {
  const words = [...new Set(kinds.map(kindWords))];
  const told = words.slice(0, kindsMost).join(', ') + (words.length > kindsMost ? ' and more' : '');
  const counts = [
    ...(count > 1 ? [`${count.toLocaleString()} changes`] : []),
    ...(cells > 1 ? [`${cells.toLocaleString()} cells`] : []),
  ];
  return counts.length > 0 ? `${told}: ${counts.join(', ')}` : told;
}

/** Describes one operation, to follow a name. */
export function stepWords(step: Done): string {
  const cells = cellsOf(step);
  const told = kindWords(step.kind);
  return cells > 1 ? `${told}: ${cells.toLocaleString()} cells` : told;
}
