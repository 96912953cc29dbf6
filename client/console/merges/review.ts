/** A merge as the service shows it (docs/merges.md). */
export interface MergeView {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  /** Missing, like the other optional members, from a merge that is over. */
  readonly digest?: string;
  readonly source: { readonly branch: string; readonly seq: number };
  readonly target: { readonly branch: string; readonly seq: number };
  readonly summary?: {
    readonly changes: Readonly<Record<string, number>>;
    readonly conflicts: { readonly open: number; readonly resolved: number };
  };
  readonly units?: readonly Unit[];
  readonly policy?: {
    readonly required: number;
    readonly approvals: number;
    readonly blockedBy: readonly string[];
  };
}

/** A part of the changes that is taken or left as a whole. */
export interface Unit {
  readonly id: string;
  readonly title: string;
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
  readonly by?: string;
  /** Of several bases, after merges that crossed: what each of them has. */
  readonly terms?: readonly unknown[];
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
  readonly resolution: { readonly choice: string } | null;
}

export interface Effect {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly status: string;
  readonly choices: readonly string[];
  readonly value?: { readonly ours: unknown; readonly merged: unknown };
}

export interface ConflictPage {
  readonly total: number;
  readonly open: number;
  readonly conflicts: readonly Conflict[];
  readonly effects: readonly Effect[];
  readonly violations: readonly Effect[];
}
