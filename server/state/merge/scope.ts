import { recordTypes, type RecordType } from '../../model/record.ts';
import type { Contest, ContestPlace, Judge } from './judge.ts';

const plainKinds = [
  'cell.input',
  'format.cell',
  'format.lines',
  'structure.rows',
  'structure.cols',
  'sheet.add',
  'sheet.delete',
  'sheet.rename',
  'sheet.order',
  'sheet.property',
  'name',
  'table',
  'setting',
  'style',
] as const;

/** The kind of thing that a change is about. */
export type ChangeKind = (typeof plainKinds)[number] | `record.${RecordType | 'cforder'}`;

/** Every kind of change. */
export const changeKinds: readonly ChangeKind[] = [
  ...plainKinds,
  ...recordTypes.map((type) => `record.${type}` as const),
  'record.cforder',
];

export interface ScopedChange {
  readonly kind: ChangeKind;
  readonly place: ContestPlace;
}

/** Returns whether a merge takes a change of theirs; other changes count as not made. */
export type Scope = (change: ScopedChange) => boolean;

/** Whom a merge asks about changes: the judge, of those in the scope. */
export interface Asked {
  readonly judge: Judge;
  readonly scope: Scope | undefined;
}

/** Turns a contest into the change that a scope judges. */
export function contestedChange({
  kind,
  place,
  change = place,
}: Pick<Contest, 'kind' | 'place' | 'change'>): ScopedChange {
  return { kind: contestedKinds[kind] ?? recordKind(place), place: change };
}

const contestedKinds: Readonly<Partial<Record<Contest['kind'], ChangeKind>>> = {
  'cell.value': 'cell.input',
  'cell.formula': 'cell.input',
  'cell.format': 'format.cell',
  'range.move': 'cell.input',
  'row.edit_delete': 'structure.rows',
  'col.edit_delete': 'structure.cols',
  'row.order': 'structure.rows',
  'col.order': 'structure.cols',
  'sort.order': 'structure.rows',
  'row.property': 'format.lines',
  'col.property': 'format.lines',
  'sheet.edit_delete': 'sheet.delete',
  'sheet.rename': 'sheet.rename',
  'sheet.order': 'sheet.order',
  'sheet.property': 'sheet.property',
  'name.value': 'name',
  'name.collision': 'name',
  'table.schema': 'table',
  'table.key': 'table',
  'tablerow.cell': 'cell.input',
  'tablerow.edit_delete': 'structure.rows',
  'tablerow.insert_insert': 'cell.input',
  'table.edit_drop': 'table',
  'style.edit': 'style',
  setting: 'setting',
};

/** Returns the kind of a record from its key, which begins with the type. */
export function recordKind({ record = '' }: ContestPlace): ChangeKind {
  return `record.${record.slice(0, record.indexOf('/'))}` as ChangeKind;
}
