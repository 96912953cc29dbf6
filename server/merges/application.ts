import type { SubmissionRequest } from '../branches/submission.ts';
import type { Payload } from '../model/operation.ts';
import type { Principal } from '../model/scope.ts';
import type { MergeOutcome } from './merge-computer.ts';
import type { MergeRecord } from './merge-record.ts';
import type { OpenLook } from './look.ts';
import { decidedUnits, isLeftOut } from '../state/outcome/units/unit.ts';
import { writtenInputs } from '../state/outcome/written-inputs.ts';

/** Makes the request for the operation that writes a merge to its target. */
export function requestOf(
  look: OpenLook,
  { userId }: Principal,
  run: string | undefined,
): SubmissionRequest {
  const { record, outcome, names } = look;
  const { sourceNo, sourceSeq, targetSeq } = record;
  const payload = {
    mid: record.id,
    source: { branch: names.nameOf(sourceNo), no: sourceNo, seq: sourceSeq },
    base: outcome.bases.map(({ no, seq }) => ({ branch: names.nameOf(no), no, seq })),
    vector: vectorOf(look),
    stateHash: outcome.stateHash,
    rejectedUnits: leftOut(record),
    ...chosenIn(outcome, record),
    ops: [...outcome.parts],
  };
  return {
    principalId: userId,
    writer: 'merge',
    ops: [{ ...(run !== undefined && { id: run }), kind: 'merge', payload }],
    byteCount: JSON.stringify(payload.ops).length,
    expectedHead: targetSeq,
  };
}

/** Finds cells whose content was chosen in the merge and is not from the source. */
function chosenIn(
  { conflicts, ours, theirs }: MergeOutcome,
  { choices }: MergeRecord,
): Pick<Payload<'merge'>, 'chosen'> {
  const ofConflicts = [...conflicts.values()].flatMap(({ choice, contest: { place } }) =>
    choice === undefined || choice === 'ours' || choice === 'theirs' ? [] : [place],
  );
  const ofFindings = writtenInputs(choices, { ours, theirs }).map(({ place }) => place);
  const bySheet = new Map<string, number[]>();
  for (const { sheetId, row, column } of [...ofConflicts, ...ofFindings]) {
    if (sheetId === undefined || !row || !column) continue;
    const cells = bySheet.get(sheetId) ?? [];
    bySheet.set(sheetId, cells);
    cells.push(row.branch, row.sequence, row.offset);
    cells.push(column.branch, column.sequence, column.offset);
  }
  const chosen = [...bySheet].map(([sheet, cells]) => ({ sheet, cells }));
  return chosen.length > 0 ? { chosen } : {};
}

function leftOut({ units }: MergeRecord): string[] {
  return [...decidedUnits(units)].flatMap(([id, decision]) => (isLeftOut(decision) ? [id] : []));
}

/**
 * Vector of the target after the merge: the last operation that it holds of each branch; empty for
 * a squashed merge.
 */
export function vectorOf({ record, graph }: OpenLook): Record<string, number> {
  if (record.request.squash) return {};
  const target = { no: record.targetNo, seq: record.targetSeq };
  const source = { no: record.sourceNo, seq: record.sourceSeq };
  const joined = new Map(graph.joined(target, source)).set(target.no, target.seq + 1);
  return Object.fromEntries([...joined].map(([no, seq]) => [String(no), seq]));
}
