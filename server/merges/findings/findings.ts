import { Pace } from '../../branches/pace.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { Policy } from '../../model/policy.ts';
import { lineText } from '../../state/structure/area.ts';
import { diffStates } from '../../state/diff/diff.ts';
import { hasRules, violationsOf, type Violation } from '../../state/merge/violations.ts';
import type { MergeOutcome } from '../merge-computer.ts';
import { isLeftOut } from '../../state/outcome/units/unit.ts';
import type { Choices, StoredChoice } from '../../state/outcome/stored-choice.ts';
import { digest } from '../../state/outcome/digest.ts';
import type { Effect, Effects, MergedSides } from './effects.ts';

/** A finding: an effect or a violation that the merge has and neither side has. */
export type Finding = (Effect | (Violation & { readonly value?: undefined })) & {
  /** Id of `e_` or `v_` and 12 hex digits: the same for the same cell and kind. */
  readonly id: string;
  /** Digest of the effect: an acceptance counts for this one only. */
  readonly sides: string;
  readonly severity: 'warn' | 'block';
  /** True if it was accepted. */
  readonly isAccepted: boolean;
  readonly stored: StoredChoice | undefined;
};

export interface Findings {
  readonly list: readonly Finding[];
  /** Reason why values were not checked; undefined if they were. */
  readonly unchecked: string | undefined;
  /** True if values may be checked later, because the service lacked memory. */
  readonly isPassing?: boolean;
}

export const noFindings: Findings = { list: [], unchecked: undefined };

type Found = Effect | Violation;

interface FindingInput extends MergedSides {
  readonly policy: Policy['merge'];
  readonly choices: Choices;
}

interface FindingParts {
  readonly effects: Effects;
  readonly environment: Environment;
}

/** Finds the effects and violations of a merge, as far as the policy asks for them. */
export async function findFindings(
  input: FindingInput,
  { effects: known, environment }: FindingParts,
): Promise<Findings> {
  const { outcome, policy } = input;
  if (isOneSided(input)) return noFindings;
  const pace = new Pace(environment);
  const wantsViolations = policy.violations !== 'ignore' && hasRules(outcome.merged);
  const violations = wantsViolations ? await pace.run(foundViolations(outcome)) : [];
  let unchecked: string | undefined;
  let isPassing = false;
  const effects = wantsEffects(policy)
    ? await known.of(input).catch((error: unknown) => {
        unchecked = reasonOf(error);
        isPassing = error instanceof Failure && error.key === 'unavailable';
        return [];
      })
    : [];
  const list = await pace.run(findingsOf([...violations, ...effects], input));
  return { list, unchecked, isPassing };
}

function* foundViolations({ base, ...sides }: MergeOutcome): Generator<void, Violation[]> {
  const kinds = new Set(['structure', 'cells'] as const);
  const diff = yield* diffStates({ from: base, to: sides.merged }, { kinds });
  return yield* violationsOf(sides, diff);
}

export function wantsEffects({ semanticEffects, newErrors }: Policy['merge']): boolean {
  return semanticEffects !== 'ignore' || newErrors !== 'ignore';
}

/**
 * Returns whether only one side changed and all of its changes are taken: such a merge has no
 * effects.
 */
function isOneSided({ target, source, outcome }: MergedSides): boolean {
  if (outcome.units.some(({ decision }) => isLeftOut(decision))) return false;
  const [first, ...others] = outcome.bases;
  if (!first || others.length > 0) return false;
  return [target, source].some(({ no, seq }) => no === first.no && seq === first.seq);
}

/**
 * Returns why values were not checked. A Failure means that the workbook cannot be evaluated; other
 * errors are faults of the service and are thrown.
 */
function reasonOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  throw error;
}

/** Findings handled between two pauses. */
const findingsBetweenPauses = 64;

function* findingsOf(
  all: readonly Found[],
  { policy, choices }: FindingInput,
): Generator<void, Finding[]> {
  const findings: Finding[] = [];
  for (const found of all) {
    const severity = severityOf(found, policy);
    if (severity === 'ignore') continue;
    const id = idOf(found);
    const sides = sidesOf(found);
    const stored = choices.get(id);
    const isAccepted = stored?.choice === 'accept' && stored.sides === sides;
    findings.push({ ...found, id, sides, severity, isAccepted, stored });
    if (findings.length % findingsBetweenPauses === 0) yield;
  }
  return findings;
}

function severityOf({ kind }: Found, policy: Policy['merge']): 'ignore' | 'warn' | 'block' {
  switch (kind) {
    case 'effect.value':
      return policy.semanticEffects;
    case 'effect.error':
    case 'effect.cycle':
      return policy.newErrors;
    case 'range.merge_overlap':
      return policy.violations === 'ignore' ? 'ignore' : 'warn';
    default:
      return policy.violations;
  }
}

function idOf({ kind, place }: Found): string {
  const { sheetId, row, column } = place;
  const cell = `${sheetId} ${lineText(row)} ${column ? lineText(column) : ''}`;
  return `${kind.startsWith('effect.') ? 'e' : 'v'}_${digest(`${kind} ${cell}`)}`;
}

function sidesOf(found: Found): string {
  return digest(JSON.stringify('value' in found ? found.value : found.text));
}

/** Returns whether a finding keeps the merge from being applied. */
export function isBlocking({ severity, isAccepted }: Finding): boolean {
  return severity === 'block' && !isAccepted;
}
