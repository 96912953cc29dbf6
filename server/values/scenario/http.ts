import { z } from 'zod';

import { route, type Route } from '../../http/route.ts';
import { inputSchema } from '../../model/input-schema.ts';
import { valueSchema } from '../../model/value-schema.ts';
import { locate, params, readRange, ref, refSchema, tag, type ValueServices } from '../http.ts';
import type { Scenarios } from './scenarios.ts';
import { settingOf } from './setting.ts';

export interface ScenarioServices extends ValueServices {
  readonly scenarios: Scenarios;
}

const cellsMost = 1_000;
const formulasMost = 20;
const rangesMost = 20;
const changesMost = 1_000;

const body = z
  .strictObject({
    ref,
    set: z
      .array(
        z.strictObject({
          cell: z.string().min(1).max(300).describe('B2 or Plan!B2'),
          input: inputSchema.describe('As in cells.set; null blanks the cell'),
        }),
      )
      .max(cellsMost)
      .default([])
      .describe('Cells that would be written'),
    formulas: z
      .array(
        z.strictObject({
          formula: z.string().min(2).max(8_192).regex(/^=/u, 'begins with ='),
          sheet: z.string().optional().describe('Sheet of its cells; the first when left out'),
        }),
      )
      .max(formulasMost)
      .default([])
      .describe('Calculated afterwards, off the grid'),
    ranges: z
      .array(z.string().min(1).max(300))
      .max(rangesMost)
      .default([])
      .describe('Compared before and after'),
    changes: z
      .int()
      .min(0)
      .max(changesMost)
      .default(100)
      .describe('So many changed cells are told'),
  })
  .meta({ id: 'ScenarioRequest' });

const rows = z.array(z.array(valueSchema));

const answer = z
  .strictObject({
    ref: refSchema,
    formulas: z.array(
      z.strictObject({ formula: z.string(), rows: rows.describe('One value, or an array') }),
    ),
    slices: z.array(
      z.strictObject({ sheet: z.string(), range: z.string(), before: rows, after: rows }),
    ),
    changes: z.strictObject({
      cells: z.array(
        z.strictObject({
          sheet: z.string(),
          a1: z.string(),
          before: valueSchema,
          after: valueSchema,
        }),
      ),
      total: z.int(),
      truncated: z.boolean(),
    }),
  })
  .meta({ id: 'Scenario' });

export function scenarioRoute(services: ScenarioServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/scenario',
    scope: 'read',
    limit: 'read',
    idempotency: 'none',
    tag,
    summary: 'Scenario: evaluate a what-if, and formulas of your own',
    description:
      'Says what inputs would lead to at any position, and what formulas come to there. Nothing is written. A formula stands in no cell, so it may read whole sheets.',
    request: { params, body },
    example: {
      body: { set: [{ cell: 'B1', input: 3 }], formulas: [{ formula: '=SUM(A1:C1)' }] },
    },
    responses: { 200: { description: 'What it leads to', schema: answer } },
    handler: async (call) => {
      const { set, ranges, changes: most } = call.body;
      const formulas = call.body.formulas.map((asked, at) => ({
        ...asked,
        pointer: `/formulas/${at}/formula`,
        sheetPointer: `/formulas/${at}/sheet`,
      }));
      const ops = set.map(({ cell, input }, at) => settingOf(cell, input, `/set/${at}/cell`));
      const parsed = ranges.map((text, at) => readRange(text, `/ranges/${at}`));
      const place = await locate(services, call, call.body.ref);
      const { signal } = call;
      const request = { ops, formulas, ranges: parsed, changesMost: most, signal };
      const found = await services.scenarios.evaluate(place, request).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error;
      });
      const { seq, slices, changes, changeCount: total } = found;
      const told = { cells: changes, total, truncated: changes.length < total };
      const value = { formulas: found.formulas, slices, changes: told };
      return {
        value: { ref: { branch: place.branch, seq }, ...value },
        cells: total,
        cacheControl: 'no-store',
      };
    },
  });
}
