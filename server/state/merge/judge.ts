import type { WireInput } from '../../model/input.ts';
import type { LineId } from '../order.ts';

export const contestKinds = [
  'cell.value',
  'cell.formula',
  'cell.format',
  'cell.note',
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

/** Whether what a cell holds is contested. */
export function isCell({ kind }: Pick<Contest, 'kind'>): boolean {
  return kind === 'cell.value' || kind === 'cell.formula' || kind === 'tablerow.cell';
}

/** Where a contest is, by identity. */
export interface ContestPlace {
  readonly sheetId?: string;
  readonly row?: LineId;
  readonly column?: LineId;
  /** Of a name, a setting, a style. */
  readonly name?: string;
  readonly scopeId?: string;
  readonly tableId?: string;
  /** Of a row of a table. */
  readonly key?: WireInput;
  /** The name of a column of a table. */
  readonly field?: string;
  /** `type/id` of a record. */
  readonly record?: string;
}

/** What each side has, as JSON; undefined for nothing at all. */
export interface ContestSides {
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** Something that both sides changed since their base, each in its way. */
export interface Contest {
  readonly kind: ContestKind;
  readonly subtype?: SchemaContest;
  /** What it is about: the same text whenever the same is contested, and no other's. */
  readonly register: string;
  /** For people. */
  readonly text: string;
  readonly place: ContestPlace;
  readonly sides: () => ContestSides;
  /** What gives both sides what they want: asked about only where somebody wants to be. */
  readonly agreed?: Choice;
  /** What becomes of it where nobody minds: it is told, and stands against nothing. */
  readonly usual?: Choice | undefined;
}

/** What both sides did to a column of a table. */
export type SchemaContest = 'add_add' | 'alter_alter' | 'drop_alter' | 'rename';

/**
 * `base` and an input of one's own can be had for what a cell holds. `combine` takes what is not
 * blank, of two values that of the side named: of a cell of a table, or of two rows under one key
 * column by column; `rekey` gives the row of a side another key.
 */
export type Choice =
  | 'ours'
  | 'theirs'
  | 'base'
  | { readonly input: WireInput }
  | { readonly combine: 'ours' | 'theirs' }
  | { readonly rekey: 'ours' | 'theirs'; readonly newKey: WireInput };

/** Says what becomes of what both sides changed. */
export interface Judge {
  /**
   * Whether two branches are merged: then what ours deleted and theirs changed is asked about, and
   * lines that both inserted in one place stand ours first.
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
