import type { Role } from '../model/access.ts';
import { foldName } from '../model/names.ts';

/** One workbook of the registry. */
export interface Workbook {
  /** `wb_` + ULID. */
  readonly id: string;
  readonly ownerId: string;
  readonly namespace: string;
  readonly name: string;
  readonly archived: boolean;
  /** In lists that of the reader alone. */
  readonly roles?: WorkbookRoles;
  /** Time of archiving; null for an active workbook. */
  readonly archivedAt: Date | null;
  /** Head of the main branch. */
  readonly head: number;
  readonly createdAt: Date;
  /** Time of the workbook or of its latest operation, whichever is later. */
  readonly updatedAt: Date;
}

/** A workbook as a list of all that a user sees has it. */
export interface SeenWorkbook extends Workbook {
  /** Filled cells of the main branch; null until they are counted. */
  readonly cells: number | null;
  /** Name of the user's agent that owns it; null if none does. */
  readonly viaAgent: string | null;
}

/** Roles by user id: collaborators, and the person behind an agent that owns it. */
export type WorkbookRoles = Readonly<Record<string, Role>>;

/** The role of a user; undefined when the workbook does not exist for them. */
export function roleIn(
  { ownerId, roles }: { readonly ownerId: string; readonly roles?: WorkbookRoles },
  userId: string,
): Role | undefined {
  if (ownerId === userId) return 'owner';
  return roles !== undefined && Object.hasOwn(roles, userId) ? roles[userId] : undefined;
}

export const mainBranch = 'main';
export const mainBranchNo = 1;

const nameLength = 100;

/**
 * Explains why a workbook may not have a name; undefined when it may. The name is a segment of a
 * path.
 */
export function workbookNameFault(name: string): string | undefined {
  if (name.trim() !== name || name === '') return 'a name neither starts nor ends with a space';
  if (name.length > nameLength) return `a name has at most ${nameLength} characters`;
  if (name === '.' || name === '..') return 'a name cannot be . or ..';
  if (/\p{Cs}/u.test(name)) return 'a name has no half of a surrogate pair';
  return /[/\\\p{Cc}]/u.test(name) ? 'a name has no slash and no control character' : undefined;
}

/** A name for a workbook that was given none: the end of its id, which is random. */
export function defaultName(id: string): string {
  return `untitled-${id.slice(-6).toLowerCase()}`;
}

/** The second way to name a workbook, as a path: `/v1/{namespace}/{name}`. */
export function addressPath({ namespace, name }: Pick<Workbook, 'namespace' | 'name'>): string {
  return `/v1/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** Names of one namespace are equal when this is. */
export function foldWorkbookName(name: string): string {
  return foldName(name);
}
