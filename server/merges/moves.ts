import type { JournalRecord } from '../branches/record.ts';
import type { Payload } from '../model/operation.ts';
import type { Moves } from '../state/merge/followed-moves.ts';
import { movedBlock, type MovedBlock } from '../state/merge/moved-block.ts';
import { lineMovesOf, type LineMove } from '../state/merge/line-moves.ts';
import type { OperationPart } from '../state/merge/parts.ts';
import type { Resolved } from '../state/plan/resolved.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import type { Graph, Position } from './graph.ts';
import { journalSince } from './journal-since.ts';

interface Sides {
  readonly workbookId: string;
  readonly graph: Graph;
  readonly target: Position;
  readonly source: Position;
  /** The last operation of a branch that both sides hold. */
  readonly heldOf: (branchNo: number) => number;
}

interface SideMoves {
  readonly blocks: MovedBlock[];
  readonly lines: LineMove[];
}

/** Merges of merges are followed so far. */
const depthMost = 16;

/**
 * Finds the blocks and lines that each side moved since the operations that both hold, as far as
 * the journals are read for it.
 */
export async function movesOf(
  { workbookId, graph, target, source, heldOf }: Sides,
  journal: Pick<BackwardJournal, 'steps'>,
): Promise<Moves> {
  const read = async (position: Position) => {
    const found: SideMoves = { blocks: [], lines: [] };
    const context = { workbookId, graph, journal, found };
    await readMoves({ position, heldOf, depth: 0 }, context);
    return { blocks: found.blocks.reverse(), lines: found.lines.reverse() };
  };
  const [ours, theirs] = [await read(target), await read(source)];
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
  /** The last first. */
  readonly found: SideMoves;
}

/** A merge moved lines as its source did: whether that was a sort is known there. */
async function readMoves({ position, heldOf, depth }: Reading, context: ReadContext) {
  const { workbookId, graph, journal, found } = context;
  for await (const { record } of journalSince({ workbookId, position, heldOf }, journal)) {
    found.blocks.push(...[...blocksOf(record)].reverse());
    const moves = [...lineMovesOf(record)].reverse();
    if (record.kind !== 'merge' || moves.length === 0 || depth >= depthMost) {
      found.lines.push(...moves);
      continue;
    }
    const { lines } = found;
    const count = lines.length;
    const { from, heldOf: held } = sourceOf(record, graph);
    const nested = { ...context, found: { blocks: [], lines } };
    await readMoves({ position: from, heldOf: held, depth: depth + 1 }, nested);
    if (lines.length === count) lines.push(...moves);
  }
}

/** Blocks that an operation moved, with those of the parts of an undo or a merge. */
function* blocksOf({ kind, payload, resolved }: Done): Generator<MovedBlock> {
  const block = kind === 'range.move' ? movedBlock(resolved) : undefined;
  if (block) yield block;
  // The journal has what it was done by.
  const { ops = [] } = payload as { readonly ops?: readonly OperationPart[] };
  for (const [index, part] of (resolved.parts ?? []).entries()) {
    const own = ops[index];
    if (own) yield* blocksOf({ ...own, resolved: part });
  }
}

function sourceOf({ payload }: JournalRecord, graph: Graph) {
  // The journal has payloads of their kinds.
  const { source, base } = payload as Payload<'merge'>;
  return { from: { no: source.no, seq: source.seq }, heldOf: graph.heldBy(base) };
}
