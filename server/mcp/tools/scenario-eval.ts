import { z } from 'zod';

import { inputSchema } from '../../model/input-schema.ts';
import { quoteSheet } from '../../model/range.ts';
import { referenceName } from '../../model/reference.ts';
import { Failure } from '../../model/failure.ts';
import { settingOf } from '../../values/scenario/setting.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { anyValue, budget, position, range, ref, workbook } from './arguments.ts';
import { Targets } from './targets.ts';
import { csvText } from './grid-text.ts';
import { readRangeText } from './range-reading.ts';
import { tool } from './tool.ts';

const changesMost = 200;
const cellsMost = 1_000;

const formulaText = z.string().min(2).max(8_192).regex(/^=/u, 'begins with =');

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
    .max(cellsMost)
    .default([])
    .describe('Cells that would be written'),
  read: z.array(range).max(20).default([]).describe('Ranges to look at, before and after'),
  formulas: z
    .array(
      z.union([
        formulaText,
        z.strictObject({ formula: formulaText, sheet: z.string().min(1).optional() }),
      ]),
    )
    .max(20)
    .default([])
    .describe('Formulas of your own, calculated afterwards; cells of the first sheet, or Plan!A1'),
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
  formulas: z
    .array(z.object({ formula: z.string(), rows: z.array(z.array(anyValue)) }))
    .describe('One value each, or the rows of an array'),
  changes: z
    .array(z.object({ cell: z.string(), before: anyValue, after: anyValue }))
    .describe(`Cells of the workbook that would hold another value, the first ${changesMost}`),
  change_count: z.int(),
});

export function scenarioEval(services: McpServices): Tool {
  const targets = new Targets(services);
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
      const place = await targets.place(given.workbook, given.ref, principal);
      progress(0, 1, 'evaluating');
      const ops = given.set.map(({ cell, input: value }, at) =>
        settingOf(cell, value, `/set/${at}/cell`),
      );
      const formulas = given.formulas.map((one, at) => {
        const pointer = `/formulas/${at}`;
        if (typeof one === 'string') return { formula: one, pointer, sheetPointer: pointer };
        return { ...one, pointer: `${pointer}/formula`, sheetPointer: `${pointer}/sheet` };
      });
      const asked = { ops, ranges, formulas, changesMost, signal };
      const found = await services.scenarios.evaluate(place, asked);
      const { seq, slices, changes, changeCount } = found;
      const cells = cellsOf([
        ...slices.map((one) => one.before),
        ...found.formulas.map((one) => one.rows),
      ]);
      if (cells > budget.cells) throw tooMuch(cells);
      const shown = {
        ref: referenceName(place.branch, seq),
        ranges: slices,
        formulas: found.formulas,
        changes: changes.map(({ sheet, a1, before, after }) => ({
          cell: `${quoteSheet(sheet)}!${a1}`,
          before,
          after,
        })),
        change_count: changeCount,
      };
      const parts = slices.map(({ sheet, range: name, before, after }) => {
        const heading = `${quoteSheet(sheet)}!${name}`;
        return `${heading} before:\n${csvText(before)}\nafter:\n${csvText(after)}`;
      });
      const results = found.formulas.map(({ formula, rows }) => `${formula} is\n${csvText(rows)}`);
      const first = `${changeCount} cells would hold another value.`;
      const text = [first, ...parts, ...results].join('\n\n');
      return { shown, text, cells: cells + changeCount };
    },
  });
}

function cellsOf(blocks: readonly (readonly (readonly unknown[])[])[]): number {
  return blocks.reduce((sum, rows) => sum + rows.length * (rows[0]?.length ?? 0), 0);
}

function tooMuch(cells: number): Failure {
  return new Failure('rangeTooLarge', {
    detail: `read and formulas have ${cells} cells, and a result at most ${budget.cells}.`,
    hint: 'Read fewer cells: changes names all that would differ.',
  });
}
