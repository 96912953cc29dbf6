import type { JournalRecord } from '../branches/record.ts';
import type { Payload } from '../model/operation.ts';
import type { Moves } from '../state/merge/followed-moves.ts';
import { lineMovesOf, movesOfMerge, type LineMove } from '../state/merge/line-moves.ts';
import { MadeMoves, moveSteps, type MoveStep } from '../state/merge/made-moves.ts';
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
    const context = { workbookId, graph, journal };
    const found = await readMoves({ position, heldOf, depth: 0 }, context);
    return { ...found, lines: [...found.earliest, ...found.lines] };
  };
  const [ours, theirs] = await Promise.all([read(target), read(source)]);
  return {
    ours: ours.blocks.moves,
    theirs: theirs.blocks.moves,
    lines: { ours: ours.lines, theirs: theirs.lines },
  };
}

interface Reading {
  readonly position: Position;
  readonly heldOf: (branchNo: number) => number;
  readonly depth: number;
}

interface ReadContext extends Pick<Sides, 'workbookId' | 'graph'> {
  readonly journal: Pick<BackwardJournal, 'steps'>;
}

/** Moves of a side, the earliest first. */
interface SideMoves {
  readonly blocks: MadeMoves;
  readonly lines: readonly LineMove[];
  /** Moves of lines that count as before all of `lines`. */
  readonly earliest: readonly LineMove[];
}

/** Steps of an operation of a side. */
interface ReadSteps {
  readonly steps: readonly MoveStep[];
  readonly isUndone: boolean;
  /** Where the moves are to be read that a merge brought in, if the other side has them too. */
  readonly known: Reading | undefined;
}

/** Finds the moves up to a position. */
async function readMoves(
  { position, heldOf, depth }: Reading,
  context: ReadContext,
): Promise<SideMoves> {
  const { workbookId, graph, journal } = context;
  const [read, lines, earliest]: [ReadSteps[], LineMove[], LineMove[]] = [[], [], []];
  const undone = new UndoneShifts();
  const stretch = { workbookId, position, heldOf };
  for await (const { record, branchNo } of journalSince(stretch, journal)) {
    const isUndone = undone.has(record, branchNo);
    const steps = moveSteps(record, { branchNo, seq: record.seq });
    const isKnown = isKnownMerge({ record, branchNo }, heldOf);
    const known = isKnown ? sourceOf(record, graph, depth) : undefined;
    if (known || steps.length > 0) read.push({ steps, isUndone, known });
    const made = [...lineMovesOf(record)];
    const isFollowed = record.kind === 'merge' && made.length > 0 && depth < depthMost;
    if (!isFollowed) {
      lines.push(...made.reverse());
      continue;
    }
    const source = await readMoves(sourceOf(record, graph, depth), context);
    const moves = movesOfMerge(made, [...source.earliest, ...source.lines]);
    lines.push(...moves.latest.toReversed());
    earliest.push(...moves.earliest.toReversed());
  }
  const blocks = await blocksOf(read.reverse(), context);
  return { blocks, lines: lines.reverse(), earliest: earliest.reverse() };
}

/** Finds the blocks that operations moved, the earliest of them first. */
async function blocksOf(read: readonly ReadSteps[], context: ReadContext): Promise<MadeMoves> {
  const blocks = new MadeMoves();
  for (const { steps, isUndone, known } of read) {
    if (!known) {
      if (isUndone) blocks.addCuts(steps);
      else blocks.add(steps);
    } else if (known.depth <= depthMost && blocks.isTouchedBy(steps)) {
      blocks.carryOver(steps, (await readMoves(known, context)).blocks);
    }
  }
  return blocks;
}

/** Returns whether both sides hold the source of a merge. One of a branch into itself is a revert. */
function isKnownMerge(
  { record, branchNo }: Pick<PlacedRecord, 'record' | 'branchNo'>,
  heldOf: Reading['heldOf'],
): boolean {
  if (record.kind !== 'merge') return false;
  // The payload has the type of its kind.
  const { source } = record.payload as Payload<'merge'>;
  return source.no !== branchNo && heldOf(source.no) >= source.seq;
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

function sourceOf({ payload }: JournalRecord, graph: Graph, depth: number): Reading {
  // The payload has the type of its kind.
  const { source, base } = payload as Payload<'merge'>;
  const position = { no: source.no, seq: source.seq };
  return { position, heldOf: graph.heldBy(base), depth: depth + 1 };
}
