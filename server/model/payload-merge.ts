import { z } from 'zod';

const position = z.strictObject({ branch: z.string(), no: z.int(), seq: z.int() });

/**
 * A merge contains all its changes, so that a replay needs no other branch. Only the routes of
 * merges submit it.
 */
const merge = z.strictObject({
  /** `mrg_…` */
  mid: z.string(),
  source: position,
  /** Common ancestors; more than one after merges that crossed. */
  base: z.array(position),
  /** The last operation of each branch, by number, that the branch holds after it. */
  vector: z.record(z.string(), z.int()),
  /** Hash of the state that it leads to. */
  stateHash: z.string(),
  rejectedUnits: z.array(z.string()),
  /**
   * Cells with content that neither side had: it was chosen in the merge. Six numbers a cell, its
   * ids.
   */
  chosen: z.array(z.strictObject({ sheet: z.string(), cells: z.array(z.int()) })).optional(),
  /** Parts of the merge, each in the addresses that the ones before left. */
  ops: z.array(z.unknown()),
});

export const mergePayloads = { merge };
