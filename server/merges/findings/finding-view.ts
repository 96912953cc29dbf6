import type { Value } from '../../model/cell-value.ts';
import type { MergeOutcome } from '../merge-computer.ts';
import { aboutFilter, cellPath, resolutionOf, type ConflictFilter } from '../conflict-view.ts';
import { isBlocking, type Finding } from './findings.ts';
import { keptSides } from '../../state/outcome/kept.ts';

/** Makes a test of whether a finding fits a filter. */
export function findingFilter(
  filter: ConflictFilter,
  states: Pick<MergeOutcome, 'merged' | 'theirs'>,
): (finding: Finding) => boolean {
  const { status, unit, writer } = filter;
  // Units and writers belong to the source, and findings to the merge.
  if (unit !== undefined || writer !== undefined) return () => false;
  const isMeant = aboutFilter(filter, states);
  return (finding) =>
    (status === undefined || isBlocking(finding) === (status === 'open')) && isMeant(finding);
}

export function choicesOfFinding(finding: Finding, outcome: MergeOutcome): string[] {
  const choices = finding.place.column ? ['accept', 'custom'] : ['accept'];
  return keptForFinding(finding, outcome) === undefined ? choices : [...choices, 'keep'];
}

/** The sides of the choice `keep`; undefined if it would restore nothing. */
export function keptForFinding(
  { kind, place }: Finding,
  outcome: MergeOutcome,
): string | undefined {
  return kind === 'effect.error' ? keptSides(place, outcome) : undefined;
}

/** Makes the view of a finding. */
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
    choices: choicesOfFinding(finding, outcome),
    resolution: stored && isAccepted ? resolutionOf(stored) : null,
    ...(stored && !isAccepted && { previousResolution: resolutionOf(stored) }),
  };
}
