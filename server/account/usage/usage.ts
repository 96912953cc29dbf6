import { LRUCache } from 'lru-cache';

import { boundedTo } from '../../model/cache-bounds.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { Action } from '../../model/access.ts';
import type { LimitsProfile } from '../../model/limits.ts';
import { limitsUnder, meters, monthOf, planOf, toldLimits } from '../../model/plan.ts';
import type { AccountLimits, Meter, Plan } from '../../model/plan.ts';
import { Repetition } from '../../model/repetition.ts';
import type { Principal } from '../../model/scope.ts';
import type { CellLedger } from '../cells/ledger.ts';
import type { Count, Held, Member, UsageTable } from './sql.ts';

export interface UsageOptions {
  readonly table: UsageTable;
  readonly ledger: Pick<CellLedger, 'capOf' | 'heldBy'>;
  /** On loopback caps are a hundred times as wide; `off` lifts them. */
  readonly profile: LimitsProfile;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

export type Figures = Readonly<Record<Meter, number>>;

/** The use of an account this month, and its limits. */
export interface AccountUsage {
  readonly plan: Plan;
  readonly members: readonly Member[];
  readonly counts: readonly Count[];
  readonly held: Held;
  readonly figures: Figures;
  /** Cells of workbooks; undefined where nothing caps them. */
  readonly cells: { readonly used: number; readonly limit: number } | undefined;
  readonly limits: AccountLimits;
}

export interface MeteredRequest {
  readonly userId: string | undefined;
  /** Template of the route. */
  readonly route: string;
  readonly cells: number;
}

/** Routes that ask the kernel for values. */
const evaluating: ReadonlySet<string> = new Set(
  ['slice', 'values', 'eval-stats', 'scenario', 'branches/:branch/export'].map(
    (rest) => `/v1/workbooks/:id/${rest}`,
  ),
);

const flushMilliseconds = 5_000;
const remembered = { count: 20_000, lifeMilliseconds: 5_000 };
/** Actions that add something. Reading, cleaning up and leaving go on over every cap. */
const growing: ReadonlySet<Action> = new Set<Action>(['create', 'write', 'branch']);

/**
 * Meters what users do and holds it against their plan. Operations and bytes are counted with the
 * journal itself; the rest is counted here and written every few seconds, so a crash can lose that.
 */
export class Usage {
  readonly #options: UsageOptions;
  /** Counts that are not written yet, by user and meter. */
  #pending = new Map<string, Map<Meter, number>>();
  /** A moment old at most, so a cap can be passed by what an account does within it. */
  readonly #known: LRUCache<string, Promise<AccountUsage>>;
  readonly #flushing: Repetition;

  private constructor(options: UsageOptions) {
    this.#options = options;
    const clock = { perf: { now: () => options.environment.elapsed() }, ttlResolution: 0 };
    const { count, lifeMilliseconds: ttl } = remembered;
    this.#known = new LRUCache({ ...boundedTo(count), ttl, ...clock });
    const { environment, report } = options;
    this.#flushing = new Repetition({
      environment,
      restMilliseconds: flushMilliseconds,
      step: 'write what was metered',
      pass: () => this.#pass(),
      report,
    });
  }

  static start(options: UsageOptions): Usage {
    const usage = new Usage(options);
    usage.#flushing.start();
    return usage;
  }

  /** Writes what is outstanding. */
  async stop(): Promise<void> {
    await this.#flushing.stop();
    await this.#flush();
  }

  count(userId: string, meter: Meter, count = 1): void {
    const counts = this.#pending.get(userId) ?? new Map<Meter, number>();
    this.#pending.set(userId, counts);
    counts.set(meter, (counts.get(meter) ?? 0) + count);
  }

  /** A request that has ended. */
  finished({ userId, route, cells }: MeteredRequest): void {
    if (userId === undefined) return;
    this.count(userId, 'requests');
    if (cells > 0) this.count(userId, 'cells', cells);
    if (evaluating.has(route)) this.count(userId, 'evaluations');
  }

  /** Fails when the account has used up what the action takes. */
  async check(action: Action, principal: Principal): Promise<void> {
    const limits = limitsUnder(this.#options.profile, principal);
    if (!growing.has(action) || !limits) return;
    const { figures, held } = await this.#recent(principal);
    const used = { ...held, operationsPerMonth: figures.operations };
    for (const limit of ['workbooks', 'operationsPerMonth', 'storageBytes'] as const) {
      if (limit === 'workbooks' && action !== 'create') continue;
      const max = limits[limit];
      if (used[limit] >= max)
        throw overCap(limit, { used: used[limit], max, kind: principal.kind });
    }
    // The next creation counts anew: workbooks are few, and each is a step towards the cap.
    if (action === 'create') this.#known.delete(principal.userId);
  }

  /** Reads the use of the account up to the last request. */
  async read(principal: Principal): Promise<AccountUsage> {
    await this.#flush();
    return this.#load(principal);
  }

  #recent(principal: Principal): Promise<AccountUsage> {
    const known = this.#known.get(principal.userId);
    if (known !== undefined) return known;
    const loading = this.#load(principal);
    this.#known.set(principal.userId, loading);
    loading.catch(() => this.#known.delete(principal.userId));
    return loading;
  }

  async #load({ userId, kind }: Principal): Promise<AccountUsage> {
    const { table, ledger, environment, profile } = this.#options;
    const { from } = monthOf(environment.now());
    const limits = toldLimits(profile, { kind });
    const owner = { userId, isAnonymous: kind === 'anonymous' };
    const limit = ledger.capOf(owner);
    // All are asked at once: each depends on the user alone.
    const [members, counts, held, used] = await Promise.all([
      table.members(userId),
      table.counts(userId, from),
      table.held(userId),
      limit === undefined ? 0 : ledger.heldBy(owner),
    ]);
    const cells = limit === undefined ? undefined : { limit, used };
    const figures = figuresOf(counts);
    return { plan: planOf({ kind }), members, counts, held, figures, cells, limits };
  }

  async #pass(): Promise<void> {
    await this.#flush();
    while ((await this.#options.table.fold()) > 0 && !this.#flushing.isStopped);
  }

  /** Writes the counts; those that could not be written are kept for the next time. */
  async #flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    const pending = this.#pending;
    this.#pending = new Map();
    const startsAt = monthOf(this.#options.environment.now()).from;
    const counts = [...pending].flatMap(([userId, byMeter]) =>
      [...byMeter].map(([meter, count]) => ({ userId, startsAt, meter, count })),
    );
    try {
      await this.#options.table.add(counts);
    } catch (error) {
      for (const { userId, meter, count } of counts) this.count(userId, meter, count);
      throw error;
    }
  }
}

export function figuresOf(counts: readonly Count[]): Figures {
  const sum = (meter: Meter): number =>
    counts.reduce((total, one) => total + (one.meter === meter ? one.count : 0), 0);
  return Object.fromEntries(meters.map((meter) => [meter, sum(meter)])) as Figures;
}

type PlanLimit = keyof Omit<Plan, 'name'>;

function overCap(
  limit: PlanLimit,
  { used, max, kind }: { used: number; max: number; kind: Principal['kind'] },
): Failure {
  return new Failure('planCap', {
    detail: `The plan allows ${limit} ${max}, and ${used} are used. Reads go on.`,
    hint: `GET /v1/account/usage says what is used. ${nextStep(limit, kind)}`,
    extra: { limit, used, max },
  });
}

/** An agent that nobody claimed may not purge, and what is archived counts until it is purged. */
function nextStep(limit: PlanLimit, kind: Principal['kind']): string {
  if (kind === 'anonymous') {
    return 'Archived workbooks count until they are purged, which takes the scope account: claim this identity for that and for the plan of a person, POST /agent/auth/claim {"claim_token","email"}.';
  }
  if (limit === 'operationsPerMonth')
    return 'Operations count anew from the first of the month (UTC).';
  return 'Purge what is not needed: archived workbooks count until then.';
}
