import { z } from 'zod';

import type { JournalRecord } from '../../branches/record.ts';
import { readReference } from '../../branches/place.ts';
import { referenceName } from '../../model/reference.ts';
import { isJsonObject } from '../protocol/message.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { branchName, nextCall, position, workbook } from './arguments.ts';
import { Desk } from './desk.ts';
import { readRangeText } from './range-reading.ts';
import { tool } from './tool.ts';

const input = z.strictObject({
  workbook,
  branch: branchName.default('main'),
  since: z.int().min(0).optional().describe('Oldest first, after this; newest first when left out'),
  before: z.int().min(1).optional().describe('Newest first, before this'),
  limit: z.int().min(1).max(500).default(50),
  cell: z
    .string()
    .max(300)
    .optional()
    .describe(
      'Instead of operations: who wrote this cell or range last, wherever it has moved since',
    ),
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
  const desk = new Desk(services);
  return tool(services, {
    name: 'history',
    title: 'History',
    description:
      'Operations of a branch in short, newest first; or, with cell, who wrote a cell, when, and the way to its proof by the transparency log.',
    input,
    output,
    annotations: { readOnlyHint: true },
    run: async (given, { principal }) => {
      const { id } = await desk.workbook(given.workbook, 'read', principal);
      return given.cell === undefined
        ? readOperations(services, id, given)
        : readBlame(services, id, { ...given, cell: given.cell });
    },
  });
}

async function readOperations({ branches, names }: McpServices, id: string, given: Given) {
  const { branch: name, since, limit } = given;
  const place = await branches.locate(id, readReference(name, '/branch'));
  const last = Math.min(given.before === undefined ? place.seq : given.before - 1, place.seq);
  const isForward = since !== undefined;
  const after = isForward ? since : Math.max(0, last - limit);
  const count = isForward ? limit : last - after;
  const page = { after, limit: Math.max(1, count) };
  const { records } = await branches.history(place.address, page);
  const wanted = isForward ? records : records.filter(({ seq }) => seq <= last).reverse();
  const nameOf = await names.of(wanted.map(({ principalId }) => principalId));
  const ops = wanted.map((record) => ({
    seq: record.seq,
    kind: record.kind,
    what: placeText(record),
    by: nameOf(record.principalId),
    writer: record.writer,
    at: new Date(record.at).toISOString(),
  }));
  const newest = ops.at(-1)?.seq ?? after;
  const more = isForward ? newest < place.seq : after > 0;
  const next = !more
    ? null
    : isForward
      ? { ...given, since: newest }
      : { ...given, before: after + 1 };
  return { shown: { ref: referenceName(name, place.seq), ops, next } };
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
  if (!isJsonObject(payload)) return '';
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
  const { branch: name, cell: text } = given;
  const range = readRangeText(text, '/cell');
  const place = await branches.locate(id, readReference(name, '/branch'));
  const page = await blame.read({ workbookId: id, place, range, text, cursor: undefined });
  const cells = page.cells
    .slice(0, given.limit)
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
  return {
    shown: { ref: referenceName(name, page.seq), blame: cells, next: null },
    cells: cells.length,
  };
}
