import { z } from 'zod';

import { inputSchema } from './input-schema.ts';
import { operationGuide, schemaNameOf } from './operation-guide.ts';
import type { SubmittedKind } from './operation-guide.ts';
import { operationLimits as limits } from './operation-limits.ts';
import { cellCount, parseRange } from './range.ts';
import { formatSet, styleDefine, styleDelete } from './payload-formats.ts';
import { inheritSchema, linePropertyKinds, propsSet, sheetPropertiesSet } from './payload-lines.ts';
import { policySchema } from './policy.ts';
import { isTag } from './reference.ts';
import {
  rangeAutofill,
  rangeCopy,
  rangeDelete,
  rangeInsert,
  rangeMove,
  rangeSort,
} from './payload-ranges.ts';
import { recordPayloads } from './payload-records.ts';
import { tablePayloads } from './payload-tables.ts';
import { mergePayloads } from './payload-merge.ts';
import { undoPayloads } from './payload-undo.ts';

// One schema a kind: what a client may send, what the journal keeps and what the reference shows.
// Ranges and formulas are strings here; they get their meaning at admission, where the base is
// known, so that a wrong one rejects its own operation and not the whole submission.

const input = inputSchema;
const text = (maximum: number) => z.string().max(maximum);
const sheet = text(64).min(1).describe('Id or name of a sheet');
const range = text(2_048).min(1).describe('A1 range; may carry the sheet: Plan!B2:C4');
const a1 = text(128).min(1).describe('A1 address of a cell');
const count = z.int().min(1).max(1_048_576);
const row = z.int().min(1).max(1_048_576).describe('Row number, from 1');
const column = z
  .union([
    z.int().min(1).max(16_384),
    z.string().regex(/^[A-Za-z]{1,3}$/u, 'not the letters of a column'),
  ])
  .describe('Column letters, or its number from 1');
const fmt = text(limits.numberFormatLength).describe('Number format, as Excel writes it');
const reading = {
  raw: z.boolean().optional().describe('Strings are text, whatever they start with'),
  parse: z.boolean().optional().describe('Strings are read as a person types them'),
};
const legacy = z.literal(true).optional().describe('Formulas intersect ranges implicitly');
const expected = z
  .union([
    input,
    z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/u, 'not a SHA-256 in hex') }),
  ])
  .meta({
    id: 'ExpectedInput',
    description: 'What the cell holds now, as the input lens shows it, or the SHA-256 of that',
  });

/** A text that is no range at all is rejected with the operation. */
function fillsFew(spelled: string): boolean {
  const area = parseRange(spelled);
  return area === undefined || cellCount(area) <= limits.cellsPerArray;
}

const cell = z.strictObject({
  a1,
  input: input.optional(),
  fmt: fmt.optional(),
  expect: expected.optional(),
  array: a1
    .refine(fillsFew, `an array formula fills at most ${limits.cellsPerArray} cells`)
    .optional()
    .describe('Fixed range of a legacy array formula'),
  legacy,
});

const cellsSet = z.strictObject({
  sheet: sheet.optional(),
  cells: z.array(cell).min(1).max(limits.cellsPerOperation),
  ...reading,
});

const rangeSet = z.strictObject({
  sheet: sheet.optional(),
  range,
  inputs: z.array(z.array(input)).min(1).describe('Dense rows; null leaves a cell, "" clears it'),
  fmts: z.array(z.array(fmt.nullable())).optional().describe('Number formats; null leaves them'),
  legacy,
  ...reading,
});

const rangeFill = z.strictObject({
  sheet: sheet.optional(),
  range,
  input,
  fmt: fmt.optional(),
  legacy,
  ...reading,
});

const rangeClear = z.strictObject({
  sheet: sheet.optional(),
  range,
  what: z
    .array(z.enum(['values', 'formats', 'notes', 'comments', 'validation', 'cf', 'hyperlinks']))
    .min(1)
    .optional(),
});

const numfmtSet = z.strictObject({ sheet: sheet.optional(), range, pattern: fmt });

function lineKinds<Line extends z.ZodType>(line: Line) {
  const span = z.strictObject({ from: line, count: count.optional() });
  const from = {
    sheet,
    from: line.optional(),
    count: count.optional(),
    spans: z.array(span).min(1).max(10_000).optional().describe('Several pieces instead of one'),
  };
  return {
    insert: z.strictObject({
      sheet,
      before: line.optional(),
      after: line.optional(),
      count: count.optional(),
      inherit: inheritSchema,
    }),
    delete: z.strictObject(from),
    move: z.strictObject({ ...from, before: line }),
  };
}

const rows = lineKinds(row);
const columns = lineKinds(column);
const rowProperties = linePropertyKinds(row);
const columnProperties = linePropertyKinds(column);

const sheetAdd = z.strictObject({
  name: text(limits.textLength),
  index: z.int().min(0).max(limits.sheetCount).optional(),
  rows: count.optional().describe('A hint: the grid of every sheet is as large'),
  cols: z.int().min(1).max(16_384).optional().describe('A hint, too'),
  copyOf: sheet.optional().describe('Sheet whose cells, formats and properties it starts with'),
});
const sheetRename = z.strictObject({ sheet, name: text(limits.textLength) });
const sheetDelete = z.strictObject({ sheet });
const sheetMove = z.strictObject({ sheet, index: z.int().min(0).max(limits.sheetCount) });

const name = text(255).min(1);
const scope = sheet.optional().describe('Sheet of a name that only it sees');
const nameSet = z.strictObject({
  name,
  scope,
  ref: text(limits.formulaLength).min(1).optional().describe('A range, such as Plan!B2:C4'),
  formula: text(limits.formulaLength).min(1).optional(),
  comment: text(limits.commentLength).optional(),
});
const nameDelete = z.strictObject({ name, scope });
const nameRename = z.strictObject({ from: name, to: name, scope });

const settingsSet = z.strictObject({
  path: text(64).min(1).describe('dateSystem, calcMode, iteration.enabled, locale, timezone, …'),
  value: z
    .union([z.number(), z.boolean(), text(limits.commentLength), z.null()])
    .describe('Null sets it back to the default'),
});

/** The payload of each kind. The order is that of the journal's kind numbers: append only. */
export const payloadSchemas = {
  'cells.set': cellsSet,
  'range.set': rangeSet,
  'range.fill': rangeFill,
  'range.clear': rangeClear,
  'rows.insert': rows.insert,
  'rows.delete': z.union([rows.delete, tablePayloads.rowsDelete]),
  'rows.move': rows.move,
  'cols.insert': columns.insert,
  'cols.delete': columns.delete,
  'cols.move': columns.move,
  'sheet.add': sheetAdd,
  'sheet.rename': sheetRename,
  'sheet.delete': sheetDelete,
  'sheet.move': sheetMove,
  'name.set': nameSet,
  'name.delete': nameDelete,
  'name.rename': nameRename,
  'numfmt.set': numfmtSet,
  'settings.set': settingsSet,
  'format.set': formatSet,
  'style.define': styleDefine,
  'style.delete': styleDelete,
  'rows.size': rowProperties.size,
  'rows.hide': rowProperties.hide,
  'rows.group': rowProperties.group,
  'cols.size': columnProperties.size,
  'cols.hide': columnProperties.hide,
  'cols.group': columnProperties.group,
  'sheet.props': sheetPropertiesSet,
  'props.set': propsSet,
  'policy.set': z.strictObject({ policy: policySchema }),
  commit: z.strictObject({
    message: text(limits.messageLength),
    tag: text(100).refine(isTag, 'not a tag').optional(),
  }),
  'range.autofill': rangeAutofill,
  'range.move': rangeMove,
  'range.copy': rangeCopy,
  'range.sort': rangeSort,
  'range.insert': rangeInsert,
  'range.delete': rangeDelete,
  'table.create': tablePayloads.create,
  'table.drop': tablePayloads.drop,
  'table.rename': tablePayloads.rename,
  'table.column.add': tablePayloads.columnAdd,
  'table.column.drop': tablePayloads.columnDrop,
  'table.column.rename': tablePayloads.columnRename,
  'table.column.alter': tablePayloads.columnAlter,
  'table.column.move': tablePayloads.columnMove,
  'table.key.change': tablePayloads.keyChange,
  'rows.import': tablePayloads.rowsImport,
  'rows.upsert': tablePayloads.rowsUpsert,
  ...recordPayloads,
  undo: undoPayloads.undo,
  redo: undoPayloads.redo,
  revert: undoPayloads.revert,
  merge: mergePayloads.merge,
} as const;

export type OperationKind = keyof typeof payloadSchemas;
export type Payload<Kind extends OperationKind> = z.output<(typeof payloadSchemas)[Kind]>;

export const operationKinds = Object.keys(payloadSchemas) as readonly OperationKind[];

const envelope = {
  id: text(limits.operationIdLength)
    .min(1)
    .meta({
      id: 'OperationId',
      description: 'ULID or UUIDv7 made by the client: repeats of it are written once',
    })
    .optional(),
  expect: z
    .record(a1, expected)
    .meta({
      id: 'Expect',
      description: 'Preconditions: A1 address to what it holds; a sheet may precede the address',
    })
    .optional(),
};

/** The schema of one kind, under its own name in the reference: `CellsSet`. */
function operationOf<Kind extends SubmittedKind>(kind: Kind) {
  const { does, example } = operationGuide[kind];
  return bareOperation(kind).meta({
    id: schemaNameOf(kind),
    description: does,
    examples: [{ kind, payload: example }],
  });
}

function bareOperation<Kind extends OperationKind>(kind: Kind) {
  const schema = { kind: z.literal(kind), payload: payloadSchemas[kind] };
  return z.strictObject({ ...envelope, ...schema });
}

export const operationSchema = z.discriminatedUnion('kind', [
  operationOf('cells.set'),
  operationOf('range.set'),
  operationOf('range.fill'),
  operationOf('range.clear'),
  operationOf('rows.insert'),
  operationOf('rows.delete'),
  operationOf('rows.move'),
  operationOf('cols.insert'),
  operationOf('cols.delete'),
  operationOf('cols.move'),
  operationOf('sheet.add'),
  operationOf('sheet.rename'),
  operationOf('sheet.delete'),
  operationOf('sheet.move'),
  operationOf('name.set'),
  operationOf('name.delete'),
  operationOf('name.rename'),
  operationOf('numfmt.set'),
  operationOf('settings.set'),
  operationOf('table.create'),
  operationOf('format.set'),
  operationOf('style.define'),
  operationOf('style.delete'),
  operationOf('rows.size'),
  operationOf('rows.hide'),
  operationOf('rows.group'),
  operationOf('cols.size'),
  operationOf('cols.hide'),
  operationOf('cols.group'),
  operationOf('sheet.props'),
  operationOf('props.set'),
  operationOf('range.autofill'),
  operationOf('range.move'),
  operationOf('range.copy'),
  operationOf('range.sort'),
  operationOf('range.insert'),
  operationOf('range.delete'),
  operationOf('table.drop'),
  operationOf('table.rename'),
  operationOf('table.column.add'),
  operationOf('table.column.drop'),
  operationOf('table.column.rename'),
  operationOf('table.column.alter'),
  operationOf('table.column.move'),
  operationOf('table.key.change'),
  operationOf('rows.import'),
  operationOf('rows.upsert'),
  operationOf('cellmerge.add'),
  operationOf('cellmerge.remove'),
  operationOf('note.set'),
  operationOf('note.delete'),
  operationOf('comment.add'),
  operationOf('comment.reply'),
  operationOf('comment.edit'),
  operationOf('comment.resolve'),
  operationOf('comment.delete'),
  operationOf('validation.set'),
  operationOf('validation.delete'),
  operationOf('cf.set'),
  operationOf('cf.delete'),
  operationOf('cf.move'),
  operationOf('filter.set'),
  operationOf('filter.clear'),
  operationOf('protect.set'),
  operationOf('protect.delete'),
  operationOf('hyperlink.set'),
  operationOf('image.set'),
  operationOf('image.delete'),
  operationOf('chart.set'),
  operationOf('chart.delete'),
  operationOf('undo'),
  operationOf('redo'),
  operationOf('revert'),
]);

/** The operation of PUT settings on the reserved branch; no client submits it. */
const policySet = bareOperation('policy.set');
const commit = bareOperation('commit');
/** The operation of a merge; the routes of merges submit it, and no client. */
const merge = bareOperation('merge');

export type Operation =
  | z.output<typeof operationSchema>
  | z.output<typeof policySet>
  | z.output<typeof commit>
  | z.output<typeof merge>;

export type UndoOperation = Extract<Operation, { kind: 'undo' | 'redo' | 'revert' }>;

export type MergeOperation = Extract<Operation, { kind: 'merge' }>;
/** Operations that the journal keeps as parts that follow one another. */
export type PartedOperation = UndoOperation | MergeOperation;

export function isParted(operation: Operation): operation is PartedOperation {
  return operation.kind === 'merge' || isUndo(operation);
}

export function isUndo(operation: Operation): operation is UndoOperation {
  const { kind } = operation;
  return kind === 'undo' || kind === 'redo' || kind === 'revert';
}

/** Returns whether an undo is of the writer's last change. */
export function isLast({ payload: { of } }: UndoOperation): boolean {
  return typeof of === 'object' && 'last' in of;
}

/** rebase: each on its own; strict: nothing conflicting since the base; atomic: all or none. */
export const submissionModes = ['rebase', 'strict', 'atomic'] as const;
export type SubmissionMode = (typeof submissionModes)[number];

export const submissionSchema = z
  .strictObject({
    // The route checks the number, with its own failure for too many.
    ops: z.array(operationSchema).describe(`At most ${limits.operationsPerSubmission}`),
    writer: text(limits.writerLength).min(1).optional().describe('Who writes, among your writers'),
    baseSeq: z
      .int()
      .min(0)
      .optional()
      .describe('Position the addresses refer to; default the head'),
    mode: z.enum(submissionModes).optional().describe('Default rebase; atomic with a group'),
    group: text(limits.groupLength)
      .min(1)
      .optional()
      .describe('Made by the client: operations of one group are undone together'),
    return: z
      .strictObject({ changes: z.int().min(0).max(limits.changesPerAnswer) })
      .optional()
      .describe('Answers as many of the cells that come to another value by it, and new errors'),
  })
  .meta({ id: 'Submission' });

export type Submission = z.output<typeof submissionSchema>;
