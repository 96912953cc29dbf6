import { z } from 'zod';

import { inputSchema } from '../../model/input-schema.ts';
import type { Operation } from '../../model/operation.ts';
import { quoteSheet, rangeName } from '../../model/range.ts';
import { referenceName } from '../../model/reference.ts';
import { Failure } from '../../model/failure.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { anyValue, budget, position, range, ref, workbook } from './arguments.ts';
import { Desk } from './desk.ts';
import { csvText } from './grid-text.ts';
import { readRangeText } from './range-reading.ts';
import { tool } from './tool.ts';

const changesMost = 200;
const cellsMost = 1_000;

const input = z.strictObject({
  workbook,
  ref,
  set: z
    .array(
      z.strictObject({
        cell: z.string().min(1).max(300).describe('B2 or Plan!B2'),
        input: inputSchema.describe('What it would hold; a text with = is a formula'),
      }),
    )
    .min(1)
    .max(cellsMost)
    .describe('Cells that would be written'),
  read: z.array(range).max(20).default([]).describe('Ranges to look at, before and after'),
});

const output = z.object({
  ref: position,
  ranges: z.array(
    z.object({
      sheet: z.string(),
      range: z.string(),
      before: z.array(z.array(anyValue)),
      after: z.array(z.array(anyValue)),
    }),
  ),
  changes: z
    .array(z.object({ cell: z.string(), after: anyValue }))
    .describe(`Cells of the workbook that would hold another value, the first ${changesMost}`),
  change_count: z.int(),
});

export function scenarioEval(services: McpServices): Tool {
  const desk = new Desk(services);
  return tool(services, {
    name: 'scenario_eval',
    title: 'Evaluate a what-if',
    description:
      'Says what some inputs would lead to, at any position of the workbook. Nothing is written, and nobody else sees anything of it.',
    input,
    output,
    annotations: { readOnlyHint: true },
    run: async (given, { principal, signal, progress }) => {
      const ranges = given.read.map((text, at) => readRangeText(text, `/read/${at}`));
      const place = await desk.place(given.workbook, given.ref, principal);
      progress(0, 1, 'evaluating');
      const ops = given.set.map(({ cell, input: value }, at) => operationOf(cell, value, at));
      const asked = { ops, ranges, changesMost, signal };
      const { seq, slices, changes, changeCount } = await services.scenarios.evaluate(place, asked);
      const cells = slices.reduce(
        (sum, { before }) => sum + before.length * (before[0]?.length ?? 0),
        0,
      );
      if (cells > budget.cells) throw tooMuch(cells);
      const shown = {
        ref: referenceName(place.branch, seq),
        ranges: slices,
        changes: changes.map(({ sheet, a1, after }) => ({
          cell: `${quoteSheet(sheet)}!${a1}`,
          after,
        })),
        change_count: changeCount,
      };
      const parts = slices.map(({ sheet, range: name, before, after }) => {
        const heading = `${quoteSheet(sheet)}!${name}`;
        return `${heading} before:\n${csvText(before)}\nafter:\n${csvText(after)}`;
      });
      const text = [`${changeCount} cells would hold another value.`, ...parts].join('\n\n');
      return { shown, text, cells: cells + changeCount };
    },
  });
}

function operationOf(cell: string, value: z.output<typeof inputSchema>, at: number): Operation {
  const pointer = `/set/${at}/cell`;
  const { sheet, areas } = readRangeText(cell, pointer);
  const [area] = areas;
  const isCell =
    areas.length === 1 && area && area.row0 === area.row1 && area.column0 === area.column1;
  if (!isCell) {
    const message = 'This must be one cell, such as B2 or Plan!B2.';
    const errors = [{ pointer, code: 'invalid_value', message }];
    throw new Failure('invalidRequest', { detail: `${pointer}: ${message}`, errors });
  }
  const named = sheet === undefined ? {} : { sheet };
  // An empty cell is written as a blank: null would leave it as it is.
  const written = value ?? '';
  return {
    kind: 'cells.set',
    payload: { ...named, cells: [{ a1: rangeName(area), input: written }] },
  };
}

function tooMuch(cells: number): Failure {
  return new Failure('rangeTooLarge', {
    detail: `read has ${cells} cells, and a result at most ${budget.cells}.`,
    hint: 'Read fewer cells: changes names all that would differ.',
  });
}
