import type { Branches } from '../branches/branches.ts';
import { readPathReference } from '../branches/place.ts';
import type { SubmissionAnswer } from '../branches/submission.ts';
import { Failure } from '../model/failure.ts';
import type { Operation } from '../model/operation.ts';
import type { WireInput } from '../model/input.ts';
import type { Principal } from '../model/scope.ts';
import { columnNamed, keyColumnOf } from '../state/structure/tables.ts';
import { textAt } from '../../workers/matching/prepared.ts';
import { findColumn, readColumn, type ColumnParts } from './columns.ts';
import type { MatchRecord } from './match.ts';
import type { MatchRow } from './match-view.ts';
import { columnNames } from './sides.ts';
import { pairTaken, takenRows, type AcceptedPair } from './taken-rows.ts';

export interface ApplyParts extends ColumnParts {
  readonly branches: Pick<Branches, 'address' | 'locate' | 'stateAt' | 'submit'>;
}

export interface AppliedAs {
  readonly branch: string;
  readonly as: 'table' | 'column';
  readonly name?: string | undefined;
}

const rowsPerOperation = 10_000;
const writer = 'match';

/** Writes the accepted pairs to a branch as ordinary operations, all of them or none. */
export async function applyMatch(
  match: MatchRecord,
  rows: readonly MatchRow[],
  {
    wish,
    principal,
    parts,
    run,
  }: {
    wish: AppliedAs;
    principal: Principal;
    parts: ApplyParts;
    run: string | undefined;
  },
): Promise<SubmissionAnswer & { readonly rows: number; readonly name: string }> {
  const { workbookId, id } = match;
  const { assignment } = match.request.opts;
  const taken = takenRows(rows.map(pairOf), assignment);
  if (taken.length > 0) throw pairTaken(taken, { assignment, pointerOf: () => '' });
  const head = await parts.branches.locate(workbookId, readPathReference(wish.branch));
  const made =
    wish.as === 'table'
      ? tableOf(match, rows, wish.name ?? `Match_${id.slice(-8)}`)
      : await columnOf(match, rows, { wish, head, parts });
  const answer = await parts.branches.submit(head.address, {
    principalId: principal.userId,
    writer,
    ops: made.ops.map((op, index) => ({
      ...op,
      ...(run !== undefined && { id: `${run}-${index}` }),
    })),
    byteCount: JSON.stringify(made.ops).length,
    mode: 'atomic',
    group: id,
  });
  if (answer.status !== 'rejected') return { ...answer, rows: made.rows, name: made.name };
  const error = answer.results.find((result) => result.error)?.error;
  throw new Failure('submissionRejected', {
    ...(error && { detail: error.message, hint: error.hint }),
    extra: { results: answer.results },
  });
}

function pairOf({ leftKey, rightKey }: MatchRow): AcceptedPair {
  return { left: JSON.stringify(leftKey), right: JSON.stringify(rightKey) };
}

interface Made {
  readonly ops: readonly Operation[];
  readonly rows: number;
  readonly name: string;
}

/** A table of the pairs by the key of the left row, or by a number where that has several. */
function tableOf({ id, request }: MatchRecord, rows: readonly MatchRow[], name: string): Made {
  const isNumbered = request.opts.assignment === 'many-to-many';
  const columns = [
    ...(isNumbered ? ['pair'] : []),
    'leftKey',
    'leftValue',
    'rightKey',
    'rightValue',
    'score',
    'decision',
    'reason',
    'matchId',
  ];
  const lines = rows.map((row, index): WireInput[] => [
    ...(isNumbered ? [index + 1] : []),
    row.leftKey,
    row.leftValue,
    row.rightKey,
    row.rightValue,
    row.score,
    row.decision,
    row.reason,
    id,
  ]);
  const keyColumn = isNumbered ? 'pair' : 'leftKey';
  const schema = { columns: columns.map((column) => ({ name: column })) };
  const ops: Operation[] = [{ kind: 'table.create', payload: { name, keyColumn, schema } }];
  for (const part of partsOf(lines)) {
    const payload = { table: name, columns, rows: part, raw: true };
    ops.push({ kind: 'rows.import', payload });
  }
  return { ops, rows: lines.length, name };
}

/** A column of the left table with the key of the right row, where the left row is still there. */
async function columnOf(
  match: MatchRecord,
  rows: readonly MatchRow[],
  {
    wish,
    head,
    parts,
  }: {
    wish: AppliedAs;
    head: Awaited<ReturnType<ApplyParts['branches']['locate']>>;
    parts: ApplyParts;
  },
): Promise<Made> {
  const { left, right, opts } = match.request;
  const state = await parts.branches.stateAt(head.address, head.seq);
  const { tableId } = left;
  const [column = ''] = columnNames(left);
  const found = findColumn(state, { tableId, column }, '/left');
  const key = keyColumnOf(found.table);
  if (!key || opts.assignment === 'many-to-many') {
    throw new Failure('keyNeeded', {
      detail: key
        ? 'A left row may have several pairs, and a cell holds one of them.'
        : `The table ${found.table.name} has no key column to find its rows by.`,
      hint: 'Apply it as a table: {"branch","as":"table","name"}.',
    });
  }
  const rightName = state.tables.find(right.tableId)?.name ?? right.tableId;
  const name = wish.name ?? `${rightName}_key`;
  const { keys } = await readColumn(found, { ...head, isPinned: true }, parts);
  const there = new Set(Array.from(keys.ends, (_, row) => textAt(keys, row)));
  const lines = rows
    .filter(({ leftKey }) => there.has(JSON.stringify(leftKey)))
    .map(({ leftKey, rightKey }): WireInput[] => [leftKey, rightKey]);
  const table = found.table.id;
  const ops: Operation[] = [];
  if (!columnNamed(found.table, name)) {
    ops.push({ kind: 'table.column.add', payload: { table, column: name } });
  }
  for (const part of partsOf(lines)) {
    const payload = { table, columns: [key.name, name], rows: part, raw: true };
    ops.push({ kind: 'rows.upsert', payload });
  }
  return { ops, rows: lines.length, name };
}

function partsOf(lines: readonly WireInput[][]): WireInput[][][] {
  const parts: WireInput[][][] = [];
  for (let at = 0; at < lines.length; at += rowsPerOperation) {
    parts.push(lines.slice(at, at + rowsPerOperation));
  }
  return parts;
}
