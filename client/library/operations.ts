import type { components } from './api.d.ts';

/** An operation as it is submitted. */
export type Operation = components['schemas']['Submission']['ops'][number];
export type OperationKind = Operation['kind'];
export type PayloadOf<Kind extends OperationKind> = Extract<Operation, { kind: Kind }>['payload'];

type Camel<Kind extends string> = Kind extends `${infer First}.${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Kind;

/**
 * Members that any operation may have: an id, under which it is written only once, and the expected
 * content of cells.
 */
export type Envelope = Pick<Operation, 'id' | 'expect'>;

type Makers = {
  readonly [Kind in OperationKind as Camel<Kind>]: (
    payload: PayloadOf<Kind>,
    envelope?: Envelope,
  ) => Extract<Operation, { kind: Kind }>;
};

const kinds = {
  cells: 'set',
  range: 'set fill clear move copy sort insert delete autofill',
  rows: 'insert delete move size hide group import upsert',
  cols: 'insert delete move size hide group',
  sheet: 'add rename delete move props',
  name: 'set delete rename',
  numfmt: 'set',
  settings: 'set',
  props: 'set',
  format: 'set',
  style: 'define delete',
  table:
    'create drop rename column.add column.drop column.rename column.alter column.move key.change',
  cellmerge: 'add remove',
  note: 'set delete',
  comment: 'add reply edit resolve delete',
  validation: 'set delete',
  cf: 'set delete move',
  filter: 'set clear',
  protect: 'set delete',
  hyperlink: 'set',
  image: 'set delete',
  chart: 'set delete',
  undo: '',
  redo: '',
  revert: '',
};

/** Kinds of operation that can be submitted; docs/operations.md describes each. */
export const operationKinds = Object.entries(kinds).flatMap(([noun, verbs]) => {
  return verbs.split(' ').map((verb) => (verb === '' ? noun : `${noun}.${verb}`));
}) as OperationKind[];

const makers: unknown = Object.fromEntries(
  operationKinds.map((kind) => [
    kind.replaceAll(/\.(.)/g, (_, letter: string) => letter.toUpperCase()),
    (payload: unknown, envelope: object = {}) => ({ ...envelope, kind, payload }),
  ]),
);

/** Makers of operations, one for each kind: `op.cellsSet({…})`, `op.tableColumnAdd({…})`. */
export const op = makers as Makers;
