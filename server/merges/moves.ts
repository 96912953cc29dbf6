import type { JournalRecord } from '../branches/record.ts';
import type { Payload } from '../model/operation.ts';
import type { Moves } from '../state/merge/followed-moves.ts';
import { carriedOver, cellMove, isShift, type CellMove } from '../state/merge/cell-shifts.ts';
import { lineMovesOf, movesOfMerge, type LineMove } from '../state/merge/line-moves.ts';
import type { OperationPart } from '../state/merge/parts.ts';
import type { Resolved } from '../state/plan/resolved.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import type { Graph, Position } from './graph.ts';
import { journalSince, type PlacedRecord } from './journal-since.ts';

interface Sides {
  readonly workbookId: string;
  readonly graph: Graph;
  readonly target: Position;
  readonly source: Position;
  /** Returns the last operation of a branch that both sides hold. */
  readonly heldOf: (branchNo: number) => number;
}

interface SideMoves {
  readonly blocks: CellMove[];
  readonly lines: LineMove[];
}

/** Most nested merges that are followed. */
const depthMost = 16;

/**
 * Finds the blocks and lines that each side moved since the base, as far back as the journals are
 * read.
 */
export async function movesOf(
  { workbookId, graph, target, source, heldOf }: Sides,
  journal: Pick<BackwardJournal, 'steps'>,
): Promise<Moves> {
  const read = async (position: Position) => {
    const found: SideMoves = { blocks: [], lines: [] };
    const context = { workbookId, graph, journal, found };
    const earliest = await readMoves({ position, heldOf, depth: 0 }, context);
    return { blocks: found.blocks.reverse(), lines: [...found.lines, ...earliest].reverse() };
  };
  const [ours, theirs] = await Promise.all([read(target), read(source)]);
  return {
    ours: ours.blocks,
    theirs: theirs.blocks,
    lines: { ours: ours.lines, theirs: theirs.lines },
  };
}

interface Done {
  readonly kind: string;
  readonly payload: unknown;
  readonly resolved: Resolved;
}

interface Reading {
  readonly position: Position;
  readonly heldOf: (branchNo: number) => number;
  readonly depth: number;
}

interface ReadContext extends Pick<Sides, 'workbookId' | 'graph'> {
  readonly journal: Pick<BackwardJournal, 'steps'>;
  /** Moves, the last one first. */
  readonly found: SideMoves;
}

/** Adds the moves up to a position; returns those that count as before all of them. */
async function readMoves(
  { position, heldOf, depth }: Reading,
  context: ReadContext,
): Promise<readonly LineMove[]> {
  const { workbookId, graph, journal, found } = context;
  const earliest: LineMove[] = [];
  const known: KnownMerge[] = [];
  const undone = new UndoneShifts();
  for await (const { record, branchNo } of journalSince(
    { workbookId, position, heldOf },
    journal,
  )) {
    const isUndone = undone.has(record, branchNo);
    if (isKnown({ record, branchNo }, heldOf)) known.push({ record, at: found.blocks.length });
    else {
      const blocks = [...blocksOf(record)].filter((block) => !isUndone || !isShift(block));
      found.blocks.push(...blocks.reverse());
    }
    const made = [...lineMovesOf(record)];
    const isFollowed = record.kind === 'merge' && made.length > 0 && depth < depthMost;
    if (!isFollowed) {
      found.lines.push(...made.reverse());
      continue;
    }
    const { from, heldOf: held } = sourceOf(record, graph);
    const source: SideMoves = { blocks: [], lines: [] };
    const reading = { position: from, heldOf: held, depth: depth + 1 };
    const before = await readMoves(reading, { ...context, found: source });
    const moves = movesOfMerge(made, [...source.lines, ...before].reverse());
    found.lines.push(...moves.latest.toReversed());
    earliest.push(...moves.earliest.toReversed());
  }
  if (depth < depthMost) await carryKnown(known, { ...context, depth });
  return earliest;
}

/** A merge that brought in what the other side has too. */
interface KnownMerge {
  readonly record: JournalRecord;
  /** The moves before it begin here, where the last one is first. */
  readonly at: number;
}

/** Returns whether both sides hold the source of a merge. One of a branch into itself is a revert. */
function isKnown(
  { record, branchNo }: Pick<PlacedRecord, 'record' | 'branchNo'>,
  heldOf: Reading['heldOf'],
): boolean {
  if (record.kind !== 'merge') return false;
  // The payload has the type of its kind.
  const { source } = record.payload as Payload<'merge'>;
  return source.no !== branchNo && heldOf(source.no) >= source.seq;
}

/** Puts moves that were made before a merge where they are after what it brought in. */
async function carryKnown(
  known: readonly KnownMerge[],
  { depth, ...context }: ReadContext & { readonly depth: number },
): Promise<void> {
  const { blocks } = context.found;
  for (const { record, at } of known.toReversed()) {
    const earlier = blocks.splice(at).reverse();
    if (earlier.length === 0) continue;
    const { from, heldOf } = sourceOf(record, context.graph);
    const found: SideMoves = { blocks: [], lines: [] };
    await readMoves({ position: from, heldOf, depth: depth + 1 }, { ...context, found });
    blocks.push(...carriedOver(earlier, found.blocks.reverse()).toReversed());
  }
}

/** Yields the blocks that an operation moved, including parts of an undo or a merge. */
function* blocksOf({ kind, payload, resolved }: Done): Generator<CellMove> {
  const block = cellMove({ kind, payload, resolved });
  if (block) yield block;
  // The parts are in the journal.
  const { ops = [] } = payload as { readonly ops?: readonly OperationPart[] };
  for (const [index, part] of (resolved.parts ?? []).entries()) {
    const own = ops[index];
    if (own) yield* blocksOf({ ...own, resolved: part });
  }
}

/**
 * Operations that were undone later, told while a journal is read backwards. An undo writes cells
 * where they were before a shift, so nothing of that is to be followed.
 */
class UndoneShifts {
  readonly #taken = new Set<string>();

  /** Takes note of what an operation takes back; answers whether a later one took it back. */
  has({ kind, seq, group, payload }: JournalRecord, branchNo: number): boolean {
    const isUndone = [seq, group].some((of) => this.#taken.has(`${branchNo} ${of}`));
    if (isUndone) return true;
    const { of } = payload as { readonly of?: unknown };
    if (kind === 'undo' || kind === 'redo') this.#taken.add(`${branchNo} ${String(of)}`);
    if (kind === 'revert' && typeof of === 'object' && of !== null) {
      const { from, through } = of as { readonly from: number; readonly through: number };
      for (let at = from; at <= through; at++) this.#taken.add(`${branchNo} ${at}`);
    }
    return false;
  }
}

function sourceOf({ payload }: JournalRecord, graph: Graph) {
  // The payload has the type of its kind.
  const { source, base } = payload as Payload<'merge'>;
  return { from: { no: source.no, seq: source.seq }, heldOf: graph.heldBy(base) };
}
