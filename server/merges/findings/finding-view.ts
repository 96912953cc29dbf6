import type { Value } from '../../model/cell-value.ts';
import type { MergeOutcome } from '../computer.ts';
import { aboutFilter, cellPath, resolutionOf, type ConflictFilter } from '../conflict-view.ts';
import { isBlocking, type Finding } from './findings.ts';

/** Tells of one finding after the other whether it is among those that are asked for. */
export function findingFilter(
  filter: ConflictFilter,
  states: Pick<MergeOutcome, 'merged' | 'theirs'>,
): (finding: Finding) => boolean {
  const { status, unit, writer } = filter;
  // Units and writers are of the source: what only the merge brings about is of none.
  if (unit !== undefined || writer !== undefined) return () => false;
  const isMeant = aboutFilter(filter, states);
  return (finding) =>
    (status === undefined || isBlocking(finding) === (status === 'open')) && isMeant(finding);
}

export function choicesOfFinding({ place }: Finding): string[] {
  return place.column ? ['accept', 'custom'] : ['accept'];
}

/** A finding as people and agents see it. */
export function findingView(finding: Finding, outcome: MergeOutcome, base?: Value) {
  const { id, kind, severity, text, place, value, stored, isAccepted } = finding;
  return {
    id,
    kind,
    severity,
    status: isBlocking(finding) ? 'open' : isAccepted ? 'accepted' : 'noted',
    text,
    path: cellPath(place, outcome),
    ...(value && { value: { base: base ?? null, ...value } }),
    ...('becauseOf' in finding && { becauseOf: finding.becauseOf }),
    choices: choicesOfFinding(finding),
    resolution: stored && isAccepted ? resolutionOf(stored) : null,
    ...(stored && !isAccepted && { previousResolution: resolutionOf(stored) }),
  };
}
