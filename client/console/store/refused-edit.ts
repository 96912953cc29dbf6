import type { Op } from './overlay.ts';

/** A rejected operation, kept until somebody decides about it. */
export interface RefusedEdit extends Op {
  readonly id: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly code: string;
}

const standing = new Set(['forbidden', 'workbook_archived', 'branch_archived']);

/**
 * Returns whether an operation was refused for what the page did not know: a role that was taken
 * away, or a workbook that was archived, while it was open.
 */
export function isOfStanding(code: string): boolean {
  return standing.has(code);
}
