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

/** Returns whether a contest (a conflict) is about the content of a cell. */
export function isCell({ kind }: Pick<Contest, 'kind'>): boolean {
  return kind === 'cell.value' || kind === 'cell.formula' || kind === 'tablerow.cell';
}

/** The place of a contest, by identity. */
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
  readonly subtype?: SchemaContest;
  /**
   * Text that names the register: the same whenever the same register is contested, and no other's.
   */
  readonly register: string;
  /** Description for people. */
  readonly text: string;
  readonly place: ContestPlace;
  /** The place of the change of theirs, where that is another: of an array that reaches a cell. */
  readonly change?: ContestPlace;
  readonly sides: () => ContestSides;
  /** The values of several bases that do not agree; there is no other base in that case. */
  readonly terms?: readonly unknown[];
  /**
   * The choice that gives both sides what they want: asked about only where a policy wants that.
   */
  readonly agreed?: Choice;
  /**
   * The choice that is taken where nobody decides: it is reported, and does not hold up the merge.
   */
  readonly usual?: Choice | undefined;
}

/** The pair of changes that the sides made to a column of a table. */
export type SchemaContest = 'add_add' | 'alter_alter' | 'drop_alter' | 'rename';

/**
 * `base` and an input of one's own can be had for what a cell holds, `both` for the places that a
 * block was moved to. `combine` takes what is not
 * blank, of two values that of the side named: of a cell of a table, or of two rows under one key
 * column by column; `rekey` gives the row of a side another key.
 */
export type Choice =
  | 'ours'
  | 'theirs'
  | 'base'
  | 'both'
  | { readonly input: WireInput }
  | { readonly combine: 'ours' | 'theirs' }
  | { readonly rekey: 'ours' | 'theirs'; readonly newKey: WireInput };

/** The conflict resolver: says which side wins a register that both sides changed. */
export interface Judge {
  /**
   * True for a merge of two branches: a line that ours deleted and theirs changed is asked about,
   * and lines that both inserted in one place stand ours first. False for an undo.
   */
  readonly isBetweenBranches: boolean;
  decide(contest: Contest): Choice;
}

const listedMost = 100;

/** Leaves ours as it is, and lists it: an undo keeps what others changed since. */
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
