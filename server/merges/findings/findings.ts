import { Pace } from '../../branches/pace.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { Policy } from '../../model/policy.ts';
import { lineText } from '../../state/area.ts';
import { diffStates } from '../../state/diff/diff.ts';
import { violationsOf, type Violation } from '../../state/merge/violations.ts';
import { isLeftOut } from '../units/unit.ts';
import type { Choices, StoredChoice } from '../merge-record.ts';
import { digest } from './digest.ts';
import type { Effect, Effects, MergedSides } from './effects.ts';

/** What neither side has by itself: only merging them brings it about. */
export type Finding = (Effect | (Violation & { readonly value?: undefined })) & {
  /** `e_` or `v_` and 12 hex digits: the same whenever it is the same cell and kind. */
  readonly id: string;
  /** Of what it comes to: whoever accepted something else is asked again. */
  readonly sides: string;
  readonly severity: 'warn' | 'block';
  /** Whether somebody took it as it is. */
  readonly isAccepted: boolean;
  readonly stored: StoredChoice | undefined;
};

export interface Findings {
  readonly list: readonly Finding[];
  /** Why values were not looked at; undefined when they were. */
  readonly unchecked: string | undefined;
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

/** Looks for what the merge of two sides brings about, as far as the policy wants to know. */
export async function findFindings(
  input: FindingInput,
  { effects: known, environment }: FindingParts,
): Promise<Findings> {
  const { outcome, policy } = input;
  const { base, ours, theirs, merged } = outcome;
  if (isOneSided(input)) return noFindings;
  const pace = new Pace(environment);
  const kinds = new Set(['structure', 'cells'] as const);
  const diff = await pace.run(diffStates({ from: base, to: merged }, { kinds }));
  const wantsViolations = policy.violations !== 'ignore';
  const violations = wantsViolations
    ? await pace.run(violationsOf({ ours, theirs, merged }, diff))
    : [];
  const wantsEffects = policy.semanticEffects !== 'ignore' || policy.newErrors !== 'ignore';
  let unchecked: string | undefined;
  const effects = wantsEffects
    ? await known.of(input, diff).catch((error: unknown) => {
        unchecked = reasonOf(error);
        return [];
      })
    : [];
  const list = await pace.run(findingsOf([...violations, ...effects], input));
  return { list, unchecked };
}

/** What only one side changed is as it was there, unless some of it is left out. */
function isOneSided({ target, source, outcome }: MergedSides): boolean {
  if (outcome.units.some(({ decision }) => isLeftOut(decision))) return false;
  const [first, ...others] = outcome.bases;
  if (!first || others.length > 0) return false;
  return [target, source].some(({ no, seq }) => no === first.no && seq === first.seq);
}

/** Of a workbook that cannot be evaluated the effects are not known; all else is a fault of ours. */
function reasonOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  throw error;
}

/** Those between two pauses. */
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

/** Whether it stands against applying the merge. */
export function isBlocking({ severity, isAccepted }: Finding): boolean {
  return severity === 'block' && !isAccepted;
}
