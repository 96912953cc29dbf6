import { z } from 'zod';

import type { HistoryPage } from '../../branches/history.ts';
import type { BranchAddress } from '../../branches/journal-store.ts';
import type { JournalRecord } from '../../branches/record.ts';
import { readReference } from '../../branches/place.ts';
import { Failure } from '../../model/failure.ts';
import { isObject } from '../../model/plain-json.ts';
import { referenceName } from '../../model/reference.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { branchName, nextCall, position, workbook } from './arguments.ts';
import { Targets } from './targets.ts';
import { readRangeText } from './range-reading.ts';
import { tool } from './tool.ts';

const input = z.strictObject({
  workbook,
  branch: branchName.default('main'),
  since: z.int().min(0).optional().describe('Oldest first, after this; newest first when left out'),
  before: z
    .int()
    .min(1)
    .optional()
    .describe('Only those before this; with since too, those between'),
  limit: z.int().min(1).max(500).default(50),
  cell: z
    .string()
    .max(300)
    .optional()
    .describe(
      'Instead of operations: who wrote this cell or range last, wherever it has moved since',
    ),
  cursor: z.string().max(5_000).optional().describe('With cell: as `next` of an answer has it'),
});

const output = z.object({
  ref: position,
  ops: z
    .array(
      z.object({
        seq: z.int(),
        kind: z.string(),
        what: z.string().describe('Where, in short'),
        by: z.string().describe('Name of the person or agent'),
        writer: z.string().describe('Name that it wrote under, of its own choice'),
        at: z.string(),
      }),
    )
    .optional(),
  blame: z
    .array(
      z.looseObject({
        cell: z.string(),
        branch: z.string().nullable(),
        seq: z.int(),
        by: z.string(),
        at: z.string(),
        proof: z.string().nullable().describe('Address of its proof by the transparency log'),
      }),
    )
    .optional(),
  next: nextCall,
});

type Given = z.output<typeof input>;

export function historyTool(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'history',
    title: 'History',
    description:
      'Operations of a branch in short, newest first; or, with cell, who wrote a cell, when, and the way to its proof by the transparency log.',
    input,
    output,
    annotations: { readOnlyHint: true },
    run: async (given, { principal }) => {
      checkTogether(given);
      const { id } = await targets.workbook(given.workbook, 'read', principal);
      return given.cell === undefined
        ? readOperations(services, id, given)
        : readBlame(services, id, { ...given, cell: given.cell });
    },
  });
}

/** The last writer of a cell is one answer, which no position narrows. */
function checkTogether({ cell, since, before, cursor }: Given): void {
  if (cell === undefined) {
    if (cursor !== undefined) throw refused('/cursor', 'It goes with cell.', 'not_together');
    return;
  }
  if ((since ?? before) === undefined) return;
  const message = 'With cell the branch as it is now is meant: leave since and before out.';
  throw refused(since === undefined ? '/before' : '/since', message, 'not_together');
}

function refused(pointer: string, message: string, code: string): Failure {
  const errors = [{ pointer, code, message }];
  return new Failure('invalidRequest', { detail: `${pointer}: ${message}`, errors });
}

async function readOperations({ branches, names }: McpServices, id: string, given: Given) {
  const { branch: name, since, before = Infinity, limit } = given;
  const place = await branches.locate(id, readReference(name, '/branch'));
  const { address, seq: head } = place;
  // The operations before this one are meant.
  const end = Math.min(before, head + 1);
  const page =
    since === undefined
      ? await branches.historyBefore(address, { before: end, limit })
      : await operationsBetween(branches, address, { after: since, end, limit });
  const wanted = page.records;
  const nameOf = await names.of(wanted.map(({ principalId }) => principalId));
  const ops = wanted.map((record) => ({
    seq: record.seq,
    kind: record.kind,
    what: placeText(record),
    by: nameOf(record.principalId),
    writer: record.writer,
    at: new Date(record.at).toISOString(),
  }));
  const last = ops.at(-1)?.seq;
  const next =
    page.next === null || last === undefined
      ? null
      : since === undefined
        ? { ...given, before: last }
        : { ...given, since: last };
  return { shown: { ref: referenceName(name, head), ops, next } };
}

/** Operations after one and before another, the oldest first. */
async function operationsBetween(
  branches: McpServices['branches'],
  address: BranchAddress,
  { after, end, limit }: { readonly after: number; readonly end: number; readonly limit: number },
): Promise<Pick<HistoryPage, 'records' | 'next'>> {
  const most = Math.min(limit, end - 1 - after);
  if (most <= 0) return { records: [], next: null };
  const { records } = await branches.history(address, { after, limit: most });
  const last = records.at(-1)?.seq ?? end;
  return { records, next: last < end - 1 ? last : null };
}

/** Members of a payload that tell its place, or the thing it made. */
const placeMembers = [
  'range',
  'source',
  'a1',
  'table',
  'name',
  'path',
  'sheet',
  'message',
] as const;

function placeText({ payload }: JournalRecord): string {
  if (!isObject(payload)) return '';
  const sheet = typeof payload['sheet'] === 'string' ? `${payload['sheet']}!` : '';
  const { cells, rows, keys } = payload;
  if (Array.isArray(cells)) {
    const [first] = cells as readonly { readonly a1?: string }[];
    const more = cells.length > 1 ? ` and ${cells.length - 1} more` : '';
    return `${sheet}${first?.a1 ?? ''}${more}`;
  }
  const member = placeMembers.find((one) => typeof payload[one] === 'string');
  const place = member === undefined ? '' : String(payload[member]);
  const list = Array.isArray(rows)
    ? `, ${rows.length} rows`
    : Array.isArray(keys)
      ? `, ${keys.length} rows`
      : '';
  return `${member === 'sheet' ? '' : sheet}${place}${list}`.slice(0, 200);
}

async function readBlame(
  { branches, blame, addresses }: McpServices,
  id: string,
  given: Given & { readonly cell: string },
) {
  const { branch: name, cell: text, limit } = given;
  const range = readRangeText(text, '/cell');
  const head = await branches.locate(id, readReference(name, '/branch'));
  const from = given.cursor === undefined ? undefined : readBlameCursor(given.cursor, head.seq);
  const place = from === undefined ? head : { ...head, seq: from.seq, isPinned: true };
  const page = await blame.read({ workbookId: id, place, range, text, cursor: from?.cursor });
  const end = (from?.shownCount ?? 0) + limit;
  const cells = page.cells
    .slice(end - limit, end)
    .map(({ cell, branch, seq, by, at, proof, ...more }) => ({
      cell,
      branch,
      seq,
      by,
      at,
      proof: proof === null ? null : addresses.baseUrl + proof,
      kind: more.kind,
      writer: more.writer,
      merge: more.merge?.id ?? null,
    }));
  const { seq } = page;
  const left =
    end < page.cells.length
      ? { seq, shownCount: end, cursor: from?.cursor }
      : page.next === undefined
        ? undefined
        : { seq, shownCount: 0, cursor: page.next };
  const next = left && { ...given, cursor: blameCursorText(left) };
  return {
    shown: { ref: referenceName(name, seq), blame: cells, next: next ?? null },
    cells: cells.length,
  };
}

/** The place at which to continue: within a page of cells, or at another page. */
interface BlamePlace {
  /** Sequence of the cells, regardless of later writes. */
  readonly seq: number;
  /** Cells of the page that were shown. */
  readonly shownCount: number;
  /** The page; the first one when undefined. */
  readonly cursor: string | undefined;
}

function blameCursorText({ seq, shownCount, cursor = '' }: BlamePlace): string {
  return `${seq}.${shownCount}.${cursor}`;
}

function readBlameCursor(text: string, head: number): BlamePlace {
  const [, seq, shownCount, cursor] = /^(\d{1,15})\.(\d{1,9})\.(.*)$/s.exec(text) ?? [];
  if (seq === undefined || Number(seq) > head) {
    const message = 'It is not one of this cell: send the arguments of `next`, or leave it out.';
    throw refused('/cursor', message, 'invalid_cursor');
  }
  return { seq: Number(seq), shownCount: Number(shownCount), cursor: cursor || undefined };
}
