import { anonymousPlan, loopbackFactor, requestRates, type LimitsProfile } from './limits.ts';
import type { Principal } from './scope.ts';

/** Quantities that are counted by user and month. */
export const meters = [
  'requests',
  'operations',
  'bytes',
  'cells',
  'evaluations',
  'sockets',
  'matches',
  'match.pairs',
  'match.embeddings',
  'match.verifications',
] as const;
export type Meter = (typeof meters)[number];

/** The limits of an account; reads are never limited. */
export interface Plan {
  readonly name: 'anonymous' | 'standard';
  readonly workbooks: number;
  readonly operationsPerMonth: number;
  /** Bytes of the journals of its workbooks. */
  readonly storageBytes: number;
}

const gibibyte = 2 ** 30;

/** All plans. A claimed agent draws on the plan of its person. */
export const plans = {
  anonymous: {
    name: 'anonymous',
    workbooks: 10,
    operationsPerMonth: 1_000_000,
    storageBytes: gibibyte,
  },
  standard: {
    name: 'standard',
    workbooks: 1_000,
    operationsPerMonth: 100_000_000,
    storageBytes: 100 * gibibyte,
  },
} as const satisfies Record<string, Plan>;

/** The numbers that an account is held to. */
export interface AccountLimits extends Omit<Plan, 'name'> {
  /** Cells of all workbooks together; undefined where nothing caps them. */
  readonly cells: number | undefined;
  readonly readsPerMinute: number;
  readonly writesPerMinute: number;
}

export function planOf({ kind }: Pick<Principal, 'kind'>): Plan {
  return kind === 'anonymous' ? plans.anonymous : plans.standard;
}

/** Returns what an account may do under a profile; undefined where nothing limits it. */
export function limitsUnder(
  profile: LimitsProfile,
  principal: Pick<Principal, 'kind'>,
): AccountLimits | undefined {
  return profile === 'off' ? undefined : toldLimits(profile, principal);
}

/** Returns the reported limits; those of loopback if nothing is limited. */
export function toldLimits(
  profile: LimitsProfile,
  { kind }: Pick<Principal, 'kind'>,
): AccountLimits {
  const factor = profile === 'on' ? 1 : loopbackFactor;
  const plan = planOf({ kind });
  const { readPerMinute, writePerMinute } = requestRates[kind];
  return {
    workbooks: plan.workbooks * factor,
    operationsPerMonth: plan.operationsPerMonth * factor,
    storageBytes: plan.storageBytes * factor,
    cells: kind === 'anonymous' ? anonymousPlan.cells * factor : undefined,
    readsPerMinute: readPerMinute * factor,
    writesPerMinute: writePerMinute * factor,
  };
}

/** First instant of the month and of the one after it, UTC. */
export function monthOf(milliseconds: number): { readonly from: Date; readonly to: Date } {
  const at = new Date(milliseconds);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { from: new Date(Date.UTC(year, month)), to: new Date(Date.UTC(year, month + 1)) };
}
