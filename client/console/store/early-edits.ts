import { makeUlid } from '../../library/ulid.ts';
import { layerOf, type Layer, type Op } from './overlay.ts';

interface EarlyEdit {
  readonly id: string;
  readonly op: Op;
  readonly baseSeq: number;
}

/** Edits that are entered while their session is being opened. */
export class EarlyEdits {
  #edits: EarlyEdit[] | undefined = [];

  /** Returns the layers that show them meanwhile; undefined once the session was opened. */
  add(ops: readonly Op[], baseSeq: number): readonly Layer[] | undefined {
    const added = ops.map((op) => ({ id: makeUlid(), op, baseSeq }));
    this.#edits?.push(...added);
    return this.#edits && added.map(({ id, op }) => layerOf(id, op, undefined));
  }

  /** Ends the waiting; returns the edits. */
  take(): readonly EarlyEdit[] {
    const edits = this.#edits ?? [];
    this.#edits = undefined;
    return edits;
  }
}
