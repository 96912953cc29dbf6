import { z } from 'zod';

import { readReference } from '../../branches/place.ts';
import { referenceName } from '../../model/reference.ts';
import { diffSummary } from '../../diffs/shapes.ts';
import { diffHead } from '../../diffs/head.ts';
import { pinned, type ComparedStates } from '../../diffs/diffs.ts';
import type { DiffEntry } from '../../diffs/entry.ts';
import type { Attribution } from '../../diffs/origins.ts';
import { shownEntries } from '../../diffs/page.ts';
import { patchLines } from '../../diffs/patch-text.ts';
import { Failure } from '../../model/failure.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { budget, nextCall, position, range, workbook } from './arguments.ts';
import { Targets } from './targets.ts';
import { diffFilter } from './diff-filter.ts';
import { readRangeText } from './range-reading.ts';
import { tool } from './tool.ts';

const waitSeconds = 10;
const hunksMost = 1_000;

const input = z.strictObject({
  workbook,
  from: z.string().max(300).describe('main@1, a branch, commit:<tag> or merge:<id>'),
  to: z.string().max(300).default('main'),
  values: z.boolean().default(false).describe('Which computed values differ, too'),
  ranges: z
    .array(range)
    .max(20)
    .optional()
    .describe('Only what touches these, in the addresses of to'),
  offset: z.int().min(0).default(0),
  max: z.int().min(1).max(hunksMost).default(200).describe('Hunks of one result'),
});

export const diffShape = {
  from: position,
  to: position,
  relation: z.string().describe('same, ahead, behind or diverged'),
  summary: diffSummary,
  hunks: z
    .array(z.looseObject({ list: z.string() }))
    .describe('One change each, with who wrote it'),
  text: z.string().describe('The same in the form of a unified diff'),
  total: z.int().describe('Hunks on all pages'),
};

const output = z.object({ ...diffShape, next: nextCall });

export function diffTool(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'diff',
    title: 'Diff',
    description:
      'What leads from one position of a workbook to another: cells, rows, formats, tables, names. By identity: rows that came above change nothing.',
    input,
    output,
    annotations: { readOnlyHint: true },
    run: async (given, { principal, signal, progress }) => {
      const { id } = await targets.workbook(given.workbook, 'read', principal);
      const ranges = given.ranges?.map((text, at) => readRangeText(text, `/ranges/${at}`));
      const request = {
        workbookId: id,
        from: readReference(given.from, '/from'),
        to: readReference(given.to, '/to'),
        kinds: undefined,
        sheet: undefined,
        values: given.values,
        waitSeconds,
        signal,
      };
      const ends = await services.diffs.locate(request);
      progress(0, 1, 'comparing');
      const compared = await services.diffs.compare(request, ends);
      signal.throwIfAborted();
      if (!compared) throw stillComputing();
      const all = compared.entries.slice(0, compared.entries.length);
      const wanted = ranges ? all.filter(diffFilter(ranges)) : all;
      const page = await diffPage(compared, services.origins, {
        entries: wanted,
        offset: given.offset,
        limit: given.max,
      });
      const { end, ...shown } = page;
      const next = { ...given, from: pinned(ends.from), to: pinned(ends.to), offset: end };
      const { text } = shown;
      const more =
        end < wanted.length ? `\n${wanted.length - end} more hunks: go on with offset ${end}.` : '';
      return {
        shown: { ...shown, next: end < wanted.length ? next : null },
        text: text + more,
        cells: shown.hunks.length,
      };
    },
  });
}

interface WantedPage {
  readonly entries: readonly DiffEntry[];
  readonly offset: number;
  readonly limit: number;
}

/** A page of hunks, as many as the budget has room for. */
export async function diffPage(
  compared: ComparedStates,
  origins: Attribution,
  { entries, offset, limit }: WantedPage,
) {
  const asked = entries.slice(offset, offset + limit);
  const found = await shownEntries(compared, asked, origins);
  let left = budget.bytes / 2;
  let count = 0;
  while (count < found.length && (left > 0 || count === 0)) {
    left -= JSON.stringify(found[count]).length;
    count++;
  }
  const hunks = found.slice(0, count).map(({ list, value }) => ({ list, ...value }));
  const text = [...patchLines(compared, asked.slice(0, count))].join('\n').slice(0, budget.bytes);
  const { relation, summary } = diffHead(compared);
  return {
    from: referenceName(compared.from.branch, compared.from.seq),
    to: referenceName(compared.to.branch, compared.to.seq),
    relation,
    summary,
    hunks,
    text,
    total: entries.length,
    end: offset + count,
  };
}

function stillComputing(): Failure {
  return new Failure('unavailable', {
    detail: 'The values of one side are still being computed.',
    hint: 'Send the same call again in a second, or leave values out.',
    extra: { retry_after: 1 },
  });
}
