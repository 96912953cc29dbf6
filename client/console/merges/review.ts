import { positionText } from '../address.ts';

/** A merge as the service shows it (docs/merges.md). */
export interface MergeView {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly state: string;
  /** Missing, like the other optional members, from a merge that is over. */
  readonly digest?: string;
  readonly source: { readonly branch: string; readonly seq: number };
  readonly target: { readonly branch: string; readonly seq: number };
  readonly summary?: {
    readonly changes: Readonly<Record<string, number>>;
    readonly conflicts: { readonly open: number; readonly resolved: number };
  };
  /** Where it stands in its target once it is applied. */
  readonly result?: { readonly branch: string; readonly seq: number } | null;
  readonly timeline: readonly MergeEvent[];
  readonly units?: readonly Unit[];
  /** Rule that divides the changes into units while nobody has; `auto` where it is left out. */
  readonly grouping?: string;
  readonly policy?: {
    readonly required: number;
    readonly approvals: number;
    readonly blockedBy: readonly string[];
  };
}

/** Something that somebody did to a merge. */
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

/** Returns the positions between which a merge changes its target, or changed it. */
export function effectOf({ source, target, result }: MergeView) {
  if (!result) return { from: positionText(target), to: positionText(source) };
  const { branch, seq } = result;
  return { from: `${branch}@${seq - 1}`, to: `${branch}@${seq}` };
}

/** A part of the changes that is taken or left as a whole. */
export interface Unit {
  readonly id: string;
  readonly title: string;
  /** True where nobody made it. */
  readonly auto: boolean;
  readonly decision: string;
  readonly reason?: string;
  readonly requires: readonly string[];
  readonly changes: number;
  readonly conflicts: readonly string[];
}

export interface ConflictSide {
  readonly change?: string;
  readonly input?: unknown;
  readonly value?: unknown;
  /** The value by the number format, where that reads otherwise. */
  readonly text?: string;
  readonly by?: string;
  /** Name that the client gave. */
  readonly writer?: string;
  /** When it was written, in ISO 8601. */
  readonly at?: string;
  /** The sides of several bases, after merges that crossed. */
  readonly terms?: readonly unknown[];
  /** Cells that are at stake where the other side deleted. */
  readonly cells?: readonly { readonly a1: string; readonly input?: unknown }[];
}

export interface Conflict {
  readonly id: string;
  readonly kind: string;
  readonly status: 'open' | 'resolved';
  readonly text: string;
  readonly base: ConflictSide;
  readonly ours: ConflictSide;
  readonly theirs: ConflictSide;
  readonly choices: readonly string[];
  readonly resolution: { readonly choice: string; readonly input?: unknown } | null;
  /** A choice that was made for other sides. */
  readonly previousResolution?: { readonly choice: string };
  readonly path?: {
    readonly sheet?: { readonly id: string; readonly name: string | null };
    readonly table?: { readonly id: string; readonly name: string | null };
    /** The column of the table. */
    readonly column?: string;
    /** Where it is on each side and in what they come to; null where that has it no more. */
    readonly a1?: Readonly<Record<'ours' | 'theirs' | 'merged', string | null>>;
  };
  /** The part of the merge that it is in. */
  readonly unit: string | null;
  /** The row of a table on each side, by columns. */
  readonly row?: Readonly<
    Record<'base' | 'ours' | 'theirs', Readonly<Record<string, unknown>> | null>
  >;
}

/** Conflicts that a choice in bulk is for, as the service takes it; all of them when empty. */
export type ConflictFilter = Readonly<Partial<Record<FilterMember, string>>>;
export type FilterMember = 'kind' | 'sheet' | 'table' | 'column' | 'unit' | 'writer';

/** Returns the sheet of a conflict by its name, or by its id where it has none any more. */
export function sheetOf({ path }: Conflict): string | undefined {
  return path?.sheet?.name ?? path?.sheet?.id;
}

/** Returns whether the sides of a conflict are inputs of cells. */
export function holdsInputs(kind: string): boolean {
  return kind === 'cell.value' || kind === 'cell.formula' || kind === 'tablerow.cell';
}

/** The value of each member of a filter for a conflict; undefined where it has none. */
const memberOf: Readonly<Record<FilterMember, (conflict: Conflict) => string | undefined>> = {
  kind: ({ kind }) => kind,
  sheet: sheetOf,
  table: ({ path }) => path?.table?.name ?? path?.table?.id,
  column: columnOf,
  unit: ({ unit }) => unit ?? undefined,
  writer: ({ theirs }) => theirs.writer,
};

/** Returns the column of a table by its name, else that of the sheet by its letters. */
function columnOf({ path: { column, a1 } = {} }: Conflict): string | undefined {
  const letters = /^[A-Z]+/u.exec(a1?.merged ?? a1?.theirs ?? '');
  return column ?? letters?.[0];
}

/** Returns the values of a member of a filter among conflicts, each once. */
export function membersIn(conflicts: readonly Conflict[], member: FilterMember): string[] {
  return [...new Set(conflicts.flatMap((one) => memberOf[member](one) ?? []))];
}

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
  /** Edited cells that it depends on. */
  readonly becauseOf?: readonly string[];
}

export interface ConflictPage {
  readonly total: number;
  readonly open: number;
  readonly conflicts: readonly Conflict[];
  readonly effects: readonly Effect[];
  readonly violations: readonly Effect[];
}
