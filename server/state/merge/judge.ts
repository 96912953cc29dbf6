import type { WireInput } from '../../model/input.ts';
import type { LineId } from '../ids/order.ts';

export const contestKinds = [
  'cell.value',
  'cell.formula',
  'cell.format',
  'cell.note',
  'range.move',
  'range.merge_overlap',
  'row.edit_delete',
  'col.edit_delete',
  'row.order',
  'col.order',
  'sort.order',
  'row.property',
  'col.property',
  'sheet.edit_delete',
  'sheet.rename',
  'sheet.order',
  'sheet.property',
  'name.value',
  'name.collision',
  'table.schema',
  'table.key',
  'table.edit_drop',
  'tablerow.cell',
  'tablerow.edit_delete',
  'tablerow.insert_insert',
  'rule.edit',
  'style.edit',
  'setting',
] as const;

export type ContestKind = (typeof contestKinds)[number];

/** The two sides of a merge: `ours` is the target, `theirs` the source. */
export type Side = 'ours' | 'theirs';

/** Returns whether a contest (a conflict) is about the content of a cell. */
export function isCell({ kind }: Pick<Contest, 'kind'>): boolean {
  return kind === 'cell.value' || kind === 'cell.formula' || kind === 'tablerow.cell';
}

/** The place of a contest: ids of sheet and lines, and the names of what is there. */
export interface ContestPlace {
  readonly sheetId?: string;
  readonly row?: LineId;
  readonly column?: LineId;
  /** Name of a defined name, a setting or a style. */
  readonly name?: string;
  readonly scopeId?: string;
  readonly tableId?: string;
  /** Key of a row of a table. */
  readonly key?: WireInput;
  /** The name of a column of a table. */
  readonly field?: string;
  /** `type/id` of a record. */
  readonly record?: string;
}

/** Value of each side as JSON; undefined for none. */
export interface ContestSides {
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** A conflict: a register that both sides changed since their base, each in its way. */
export interface Contest {
  readonly kind: ContestKind;
  /** `shift` of a `range.move` about cells that both sides shifted. */
  readonly subtype?: SchemaContest | 'shift';
  /**
   * Text that names the register: the same whenever the same register is contested, and no other's.
   */
  readonly register: string;
  /** Description for people. */
  readonly text: string;
  readonly place: ContestPlace;
  /** The cell that theirs wrote, when that is another: an array that overlaps the place. */
  readonly change?: ContestPlace;
  readonly sides: () => ContestSides;
  /**
   * The values of the register in each base, when a merge has several and they do not agree; `base`
   * of the sides means nothing then.
   */
  readonly terms?: readonly unknown[];
  /** The choice that keeps both changes; people are asked only when the policy says so. */
  readonly agreed?: Choice;
  /** The choice when nobody decides. The conflict is reported, and does not block the merge. */
  readonly usual?: Choice | undefined;
}

/** The pair of changes that the sides made to a column of a table. */
export type SchemaContest = 'add_add' | 'alter_alter' | 'drop_alter' | 'rename';

/**
 * The outcome of a conflict. `base` and `input` are for contents of cells, `both` for a block that
 * both sides moved. `combine` takes the value that is not blank, and of two such values that of the
 * named side: for a cell of a table, or column by column for two new rows with one key. `rekey`
 * keeps both rows and gives that of the named side a new key.
 */
export type Choice =
  | 'ours'
  | 'theirs'
  | 'base'
  | 'both'
  | { readonly input: WireInput }
  | { readonly combine: Side }
  | { readonly rekey: Side; readonly newKey: WireInput };

/** Decides conflicts: which side wins a register that both sides changed. */
export interface Judge {
  /**
   * True for a merge of two branches, false for an undo. Between branches, a line that ours deleted
   * and theirs changed is a conflict, and of lines that both inserted in one place those of ours
   * come first.
   */
  readonly isBetweenBranches: boolean;
  decide(contest: Contest): Choice;
}

const listedMost = 100;

/** The judge of an undo: keeps what others changed since, and lists it. */
export class Skipped implements Judge {
  readonly isBetweenBranches = false;
  readonly #texts = new Set<string>();
  #count = 0;

  decide({ text }: Pick<Contest, 'text'>): 'ours' {
    if (this.#texts.has(text)) return 'ours';
    this.#count++;
    if (this.#texts.size < listedMost) this.#texts.add(text);
    return 'ours';
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get list(): string[] {
    const more = this.#count - this.#texts.size;
    return more > 0 ? [...this.#texts, `and ${more} more`] : [...this.#texts];
  }
}
