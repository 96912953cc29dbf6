import { positionText } from '../address.ts';

/** A merge as the service shows it (docs/merges.md). */
export interface MergeView {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly state: string;
  /** Digest; undefined, like the other optional members, for a closed merge. */
  readonly digest?: string;
  readonly source: { readonly branch: string; readonly seq: number };
  readonly target: { readonly branch: string; readonly seq: number };
  readonly summary?: {
    readonly changes: Readonly<Record<string, number>>;
    readonly conflicts: { readonly open: number; readonly resolved: number };
  };
  /** Position of the applied merge in its target. */
  readonly result?: { readonly branch: string; readonly seq: number } | null;
  readonly timeline: readonly MergeEvent[];
  readonly units?: readonly Unit[];
  /** Rule that groups the changes into units unless a person has; `auto` by default. */
  readonly grouping?: string;
  readonly policy?: {
    readonly required: number;
    readonly approvals: number;
    readonly blockedBy: readonly string[];
    readonly owners?: readonly OwnedPart[];
  };
  readonly approvals?: readonly GivenApproval[];
  /** Reason why none of the choices counts. */
  readonly refusal?: string;
}

/** A changed part whose owners have to approve. */
export interface OwnedPart {
  readonly match: { readonly sheet?: string; readonly range?: string; readonly table?: string };
  /** Entries of the policy: `user:usr_…`, `role:owner`. */
  readonly approvers: readonly string[];
  readonly approved: boolean;
}

/** An approval, a wish for changes or a remark. */
export interface GivenApproval {
  readonly by: string;
  readonly at: string;
  readonly event: string;
  /** True for an approval of what it was before. */
  readonly stale: boolean;
  readonly comment?: string;
}

/** An event of a merge. */
export interface MergeEvent {
  readonly at: string;
  readonly actor: string;
  /** Name of the actor. */
  readonly by: string;
  readonly event: string;
  readonly detail?: string;
}

export function isOver({ state }: Pick<MergeView, 'state'>): boolean {
  return state === 'merged' || state === 'aborted';
}

/** Returns the positions between which a merge changes its target, or has changed it. */
export function effectOf({ source, target, result }: MergeView) {
  if (!result) return { from: positionText(target), to: positionText(source) };
  const { branch, seq } = result;
  return { from: `${branch}@${seq - 1}`, to: `${branch}@${seq}` };
}

/** A part of the changes that is accepted or rejected as a whole. */
export interface Unit {
  readonly id: string;
  readonly title: string;
  /** True for a unit that no person made. */
  readonly auto: boolean;
  readonly decision: string;
  readonly reason?: string;
  readonly requires: readonly string[];
  readonly changes: number;
  /** The first ones. */
  readonly conflicts: readonly string[];
  /** How many are not listed. */
  readonly moreConflicts?: number;
}

export interface ConflictSide {
  readonly change?: string;
  readonly input?: unknown;
  readonly value?: unknown;
  /** Value by the number format, if that differs. */
  readonly text?: string;
  readonly by?: string;
  /** Name that the client gave itself. */
  readonly writer?: string;
  /** Position of the operation that wrote it: `main@118`. */
  readonly at?: string;
  /** Sides at several bases, after criss-cross merges. */
  readonly terms?: readonly unknown[];
  /** Cells that the deletion of the other side would remove. */
  readonly cells?: readonly { readonly a1: string; readonly input?: unknown }[];
}

/** A choice that was made, with all that it takes to make it again. */
export interface Resolution {
  readonly choice: string;
  readonly input?: unknown;
  readonly prefer?: string;
  readonly side?: string;
  readonly newKey?: unknown;
}

export interface Conflict {
  readonly id: string;
  readonly kind: string;
  /** `shift`, of cells that each side shifted in its way. */
  readonly subtype?: string;
  readonly status: 'open' | 'resolved';
  readonly text: string;
  readonly base: ConflictSide;
  readonly ours: ConflictSide;
  readonly theirs: ConflictSide;
  readonly choices: readonly string[];
  readonly resolution: Resolution | null;
  /** Choice that was made before the sides changed. */
  readonly previousResolution?: { readonly choice: string };
  readonly path?: {
    readonly sheet?: { readonly id: string; readonly name: string | null };
    readonly table?: { readonly id: string; readonly name: string | null };
    /** Column of the table. */
    readonly column?: string;
    /** Address on each side and in the result; null where it does not exist. */
    readonly a1?: Readonly<Record<'ours' | 'theirs' | 'merged', string | null>>;
  };
  /** Unit of the conflict. */
  readonly unit: string | null;
  /** Row of a table on each side, by column. */
  readonly row?: Readonly<
    Record<'base' | 'ours' | 'theirs', Readonly<Record<string, unknown>> | null>
  >;
}

/** Conflicts for a choice in bulk, as the service takes it; all if empty. */
export type ConflictFilter = Readonly<Partial<Record<FilterMember, string>>>;
export type FilterMember = 'kind' | 'sheet' | 'table' | 'column' | 'unit' | 'writer';

/** Returns the name of a conflict's sheet, or its id if it has no name any more. */
export function sheetOf({ path }: Conflict): string | undefined {
  return path?.sheet?.name ?? path?.sheet?.id;
}

/** Returns whether the sides of a conflict are inputs of cells. */
export function holdsInputs(kind: string): boolean {
  return kind === 'cell.value' || kind === 'cell.formula' || kind === 'tablerow.cell';
}

/** Values of a conflict for each member of a filter; undefined if it has none. */
const memberOf: Readonly<Record<FilterMember, (conflict: Conflict) => string | undefined>> = {
  kind: ({ kind }) => kind,
  sheet: sheetOf,
  table: ({ path }) => path?.table?.name ?? path?.table?.id,
  column: columnOf,
  unit: ({ unit }) => unit ?? undefined,
  writer: ({ theirs }) => theirs.writer,
};

/** Returns the name of a table's column, else the letters of the sheet's. */
function columnOf({ path: { column, a1 } = {} }: Conflict): string | undefined {
  const letters = /^[A-Z]+/u.exec(a1?.merged ?? a1?.theirs ?? '');
  return column ?? letters?.[0];
}

/** Returns the values of a member of a filter among conflicts, each once. */
export function membersIn(conflicts: readonly Conflict[], member: FilterMember): string[] {
  return [...new Set(conflicts.flatMap((one) => memberOf[member](one) ?? []))];
}

/** Returns whether a filter selects a conflict. */
export function fits(conflict: Conflict, filter: ConflictFilter): boolean {
  return (Object.entries(filter) as [FilterMember, string][]).every(
    ([member, wanted]) => memberOf[member](conflict) === wanted,
  );
}

export interface Effect {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly status: string;
  readonly choices: readonly string[];
  readonly value?: { readonly ours: unknown; readonly merged: unknown };
  /** Edited cells on which it depends. */
  readonly becauseOf?: readonly string[];
  readonly resolution: Resolution | null;
}

export interface ConflictPage {
  readonly total: number;
  readonly open: number;
  readonly conflicts: readonly Conflict[];
  readonly effects: readonly Effect[];
  readonly violations: readonly Effect[];
}
