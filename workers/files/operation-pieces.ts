import type { Operation } from '../../server/model/operation.ts';

/** Operations of a piece, of which the service takes several at a time. */
const operationsMost = 60;
/** Characters from which a piece is full; an operation with blocks of cells has as many. */
const charactersMost = 64 * 1024;

/** Kinds that bring cells, which are in blocks of their own already. */
const blocks: ReadonlySet<Operation['kind']> = new Set(['range.set', 'cells.set', 'range.fill']);

/**
 * Groups small operations, such as thousands of names or notes: each piece costs the way to
 * another thread, and a few of them a commit.
 */
export function* inPieces(operations: Iterable<Operation>): Generator<readonly Operation[]> {
  let piece: Operation[] = [];
  let characters = 0;
  for (const operation of operations) {
    const isBlock = blocks.has(operation.kind);
    const length = isBlock ? charactersMost : JSON.stringify(operation.payload).length;
    if (piece.length > 0 && characters + length > charactersMost) {
      yield piece;
      [piece, characters] = [[], 0];
    }
    piece.push(operation);
    characters += length;
    if (piece.length < operationsMost) continue;
    yield piece;
    [piece, characters] = [[], 0];
  }
  if (piece.length > 0) yield piece;
}
