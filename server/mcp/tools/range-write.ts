import { z } from 'zod';

import { parseCsvRows } from './csv-rows.ts';
import { tellChanges, type ToldChanges } from '../../branches/changes.ts';
import { readPathReference, type Place } from '../../branches/place.ts';
import { Failure } from '../../model/failure.ts';
import { inputSchema } from '../../model/input-schema.ts';
import type { WireInput } from '../../model/input.ts';
import { operationLimits } from '../../model/operation-limits.ts';
import type { Operation } from '../../model/operation.ts';
import { columnCount, quoteSheet, rangeName, rowCount } from '../../model/range.ts';
import type { Principal } from '../../model/scope.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import {
  anyValue,
  branch,
  budget,
  changedCells,
  expectHead,
  idempotencyKey,
  nextCall,
  position,
  range,
  workbook,
  writer,
} from './arguments.ts';
import { Targets } from './targets.ts';
import { readRanges, readRangeText, type RangesRead } from './range-reading.ts';
import { textOf } from './range-read.ts';
import { expectedHeadOf, positionName, submitArguments } from './submitting.ts';
import { tool } from './tool.ts';

const changesMost = 200;
const writesMost = 100;

const grid = z.array(z.array(inputSchema)).min(1);

const oneWrite = z
  .strictObject({
    range: range.describe('Where: the whole range, or its first cell (Plan!B2)'),
    values: grid
      .optional()
      .describe('Rows. A text with = is a formula; "" clears, null leaves a cell'),
    formulas: z
      .array(z.array(z.string().max(operationLimits.formulaLength).nullable()))
      .min(1)
      .optional()
      .describe('Rows of formulas, with or without ='),
    csv: z.string().min(1).optional().describe('Rows as CSV, read as a person types them'),
  })
  .refine(
    ({ values, formulas, csv }) =>
      [values, formulas, csv].filter((one) => one !== undefined).length === 1,
    'has exactly one of values, formulas and csv',
  );

const input = z.strictObject({
  workbook,
  branch,
  writes: z.array(oneWrite).min(1).max(writesMost).describe('All of them are done, or none'),
  expect_head: expectHead,
  create_branch_from: z
    .string()
    .max(300)
    .optional()
    .describe(
      'Makes the branch first, at this position (main, main@42), where it is not there yet',
    ),
  return_ranges: z.array(range).max(20).optional().describe('Read back after the write'),
  return_changes: z
    .int()
    .min(0)
    .max(changesMost)
    .default(changesMost)
    .describe('How many cells that come to another value are told; 0 is faster'),
  idempotency_key: idempotencyKey,
  writer,
});

const output = z.object({
  ref: position,
  applied: z.int().describe('Cells written'),
  branch_created: z.boolean(),
  changes: z
    .object({
      cells: changedCells.describe('Recalculated cells that hold another value now'),
      total: z.int(),
      errors: changedCells.describe('Cells that hold an error now and did not before'),
      error_total: z.int(),
      truncated: z.boolean(),
    })
    .nullable()
    .describe('Null when not asked for, or when they could not be computed in time'),
  ranges: z
    .array(z.object({ sheet: z.string(), range: z.string(), rows: z.array(z.array(anyValue)) }))
    .describe('As return_ranges asks'),
  next: nextCall.describe('Arguments of range_read for what return_ranges had no room for'),
});

type Given = z.output<typeof input>;

export function rangeWrite(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'range_write',
    title: 'Write ranges',
    description:
      'Writes values, formulas or CSV into ranges, all or nothing, and answers what they led to: recalculated cells and new errors, so that nothing needs to be read back. With create_branch_from it begins a branch of its own.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    run: async (given, { principal }) => {
      const ops = given.writes.map(operationOf);
      const reads = (given.return_ranges ?? []).map((text, at) =>
        readRangeText(text, `/return_ranges/${at}`),
      );
      const isCreated = await makeBranch(services, targets, { given, principal });
      const { id } = await targets.branch(given.workbook, given.branch, principal);
      const head = await services.branches.locate(id, readPathReference(given.branch));
      const written = await write(services, head, { given, principal, ops });
      const place = { ...head, seq: written.seq, isPinned: false };
      const reading = { ranges: reads, lens: 'value', budget } as const;
      const read = reads.length === 0 ? nothing : await readRanges(services, place, reading);
      const at = await positionName(services.branches, head, written.seq);
      return outcomeOf(given, { ...written, at, isCreated, read, applied: cellsIn(ops) });
    },
  });
}

interface Writing {
  readonly given: Given;
  readonly principal: Principal;
  readonly ops: readonly Operation[];
}

/** Writes; returns the new head, and the changed values if requested. */
async function write(
  { branches, models }: McpServices,
  head: Place,
  writing: Writing,
): Promise<{ seq: number; changes: ShownChanges | undefined }> {
  const { address } = head;
  const { given } = writing;
  const most = given.return_changes;
  if (most > 0) await models.prepare(head);
  const answer = await submitArguments(branches, address, {
    request: await requestOf(branches, head, writing),
    pointerOf: (index, within) => pointerInto(given.writes[index], index, within),
  });
  const { lastSeq } = answer;
  if (lastSeq === undefined) return { seq: answer.head, changes: undefined };
  const told = most > 0 ? await tellChanges(models, { address, lastSeq }, most) : undefined;
  return { seq: lastSeq, changes: told && shownChanges(told) };
}

const nothing = { ranges: [], rest: [], cells: 0 } as const;

interface Written {
  readonly seq: number;
  /** The name of that position. */
  readonly at: string;
  readonly changes: ShownChanges | undefined;
  readonly isCreated: boolean;
  readonly read: Pick<RangesRead, 'ranges' | 'rest' | 'cells'>;
  readonly applied: number;
}

function outcomeOf(given: Given, { at, changes, isCreated, read, applied }: Written) {
  const { ranges, rest } = read;
  const next = rest.length === 0 ? null : { workbook: given.workbook, ref: at, ranges: [...rest] };
  const shown = {
    ref: at,
    applied,
    branch_created: isCreated,
    changes: changes ?? null,
    ranges: ranges.map(({ sheet, range: cells, rows }) => ({ sheet, range: cells, rows })),
    next,
  };
  const lines = [`Wrote ${applied} cells; the branch is at ${at}.`, ...changeLines(changes)];
  if (ranges.length > 0) lines.push(textOf(at, ranges, rest));
  return { shown, text: lines.join('\n'), cells: applied + read.cells };
}

async function makeBranch(
  { forks, registry }: McpServices,
  targets: Targets,
  { given, principal }: { readonly given: Given; readonly principal: Principal },
): Promise<boolean> {
  const { create_branch_from: from, branch: name } = given;
  if (from === undefined) return false;
  const { id } = await targets.workbook(given.workbook, 'branch', principal);
  const facts = await registry.writable(id, principal);
  try {
    await forks.create(facts, { name, from }, principal);
    return true;
  } catch (error) {
    // A repeated call continues with the branch of the first one.
    if (error instanceof Failure && error.key === 'branchExists') return false;
    throw error;
  }
}

interface AskedWriting {
  readonly given: Pick<Given, 'expect_head' | 'idempotency_key' | 'writer'> & {
    readonly return_changes?: number;
  };
  readonly principal: Principal;
  readonly ops: readonly Operation[];
}

/** Makes the submission of a call. */
export async function requestOf(
  branches: McpServices['branches'],
  named: Pick<Place, 'address' | 'branch'>,
  { given, principal: { userId }, ops }: AskedWriting,
) {
  return {
    principalId: userId,
    writer: given.writer ?? userId,
    ops,
    byteCount: JSON.stringify(ops).length,
    // A single operation is atomic anyway, and needs no fork.
    mode: ops.length > 1 ? ('atomic' as const) : undefined,
    expectedHead: await expectedHeadOf(branches, named, given.expect_head),
    idempotencyKey: given.idempotency_key,
    comparesRepeats: true,
    isWatched: (given.return_changes ?? 0) > 0,
  };
}

function operationOf(asked: Given['writes'][number], index: number): Operation {
  const pointer = `/writes/${index}`;
  const { sheet, areas } = readRangeText(asked.range, `${pointer}/range`);
  const [area, ...more] = areas;
  if (!area || more.length > 0) throw mismatch(pointer, 'one range each, without commas');
  const inputs = padded(inputsOf(asked, pointer));
  const [height, width] = [inputs.length, inputs[0]?.length ?? 0];
  const isCell = rowCount(area) === 1 && columnCount(area) === 1;
  const row1 = isCell ? area.row0 + height - 1 : area.row1;
  const column1 = isCell ? area.column0 + width - 1 : area.column1;
  const whole = { ...area, row1, column1 };
  const fits = rowCount(whole) === height && columnCount(whole) === width;
  if (!fits) {
    const size = `${rowCount(whole)} x ${columnCount(whole)}`;
    throw mismatch(
      pointer,
      `${asked.range} is ${size} cells, and what is written ${height} x ${width}: name its first cell alone`,
    );
  }
  const place = rangeName(whole);
  const on = sheet === undefined ? place : `${quoteSheet(sheet)}!${place}`;
  const reading = asked.csv === undefined ? {} : { parse: true };
  return { kind: 'range.set', payload: { range: on, inputs, ...reading } };
}

/** A pointer into the payload of an operation as one into the write that it was made of. */
function pointerInto(
  asked: Given['writes'][number] | undefined,
  index: number,
  within: string,
): string {
  const [, member, place = ''] = /^\/(range|inputs)(\/.*)?$/.exec(within) ?? [];
  const pointer = `/writes/${index}`;
  if (member === 'range') return `${pointer}/range`;
  if (member === undefined) return pointer;
  if (asked?.csv !== undefined) return `${pointer}/csv`;
  return `${pointer}/${asked?.formulas ? 'formulas' : 'values'}${place}`;
}

function inputsOf(
  { values, formulas, csv }: Given['writes'][number],
  pointer: string,
): WireInput[][] {
  if (csv !== undefined) return parseCsvRows(csv, `${pointer}/csv`);
  if (formulas) {
    return formulas.map((row) =>
      row.map((text) => (text === null || text.startsWith('=') ? text : `=${text}`)),
    );
  }
  return (values ?? []).map((row) => [...row]);
}

/** Rows of one width: cells that a shorter row does not have stay as they are. */
function padded(rows: readonly WireInput[][]): WireInput[][] {
  const width = Math.max(1, ...rows.map(({ length }) => length));
  return rows.map((row) =>
    row.length === width ? row : Array.from({ length: width }, (_, at) => row[at] ?? null),
  );
}

function mismatch(pointer: string, message: string): Failure {
  return new Failure('invalidRequest', {
    detail: `${pointer}: ${message}.`,
    errors: [{ pointer, code: 'wrong_size', message: `${message}.` }],
  });
}

function cellsIn(ops: readonly Operation[]): number {
  let count = 0;
  for (const { kind, payload } of ops) {
    if (kind !== 'range.set') continue;
    for (const row of payload.inputs) count += row.filter((value) => value !== null).length;
  }
  return count;
}

type ShownChanges = NonNullable<ReturnType<typeof shownChanges>>;

function shownChanges(told: ToldChanges) {
  if ('unavailable' in told) return undefined;
  const { cells, total, errors, errorTotal, truncated } = told;
  const shown = (list: typeof cells) =>
    list.map(({ sheet, a1, before, after }) => ({
      cell: `${quoteSheet(sheet)}!${a1}`,
      before,
      after,
    }));
  const firstErrors = shown(errors.slice(0, changesMost));
  return { cells: shown(cells), total, errors: firstErrors, error_total: errorTotal, truncated };
}

const changeLinesMost = 40;

function changeLines(changes: ShownChanges | undefined): string[] {
  if (!changes) return [];
  const lines = changes.cells
    .slice(0, changeLinesMost)
    .map(
      ({ cell, before, after }) => `${cell}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
    );
  const more = changes.total - lines.length;
  const errors = changes.errors.map(({ cell, after }) => `${cell}: ${JSON.stringify(after)}`);
  return [
    `${changes.total} recalculated cells changed${lines.length > 0 ? ':' : '.'}`,
    ...lines,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(errors.length > 0
      ? [`${changes.error_total} new errors: ${errors.slice(0, changeLinesMost).join(', ')}`]
      : []),
  ];
}
