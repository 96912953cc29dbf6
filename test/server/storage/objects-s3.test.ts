import t from 'tap';
import type { Test } from 'tap';
import { realEnvironment } from '../../../server/foundation.ts';
import { openS3Objects } from '../../../server/storage/objects-s3.ts';
import type { PatienceLimits } from '../../../server/storage/patience.ts';
import { caseCount } from '../../support/case-count.ts';
import { quickPatience } from '../../support/quick-patience.ts';
import type { Fault, FaultRule } from '../../support/s3/faults.ts';
import { S3Server } from '../../support/s3/server.ts';
import { testSeed } from '../../support/test-seed.ts';
import { testObjects, type SuitePart } from './objects-suite.ts';

/** Runs long: each call of a store under ten kinds of faults. */

/** Long enough for any answer of the server, short enough to wait for some in vain. */
const hasty: PatienceLimits = { ...quickPatience, attemptMilliseconds: 200 };

const seed = testSeed;
t.comment(`seed ${seed}`);

interface Trouble {
  readonly rules: readonly FaultRule[];
  readonly limits?: PatienceLimits;
  readonly historyCount?: number;
  readonly parts?: readonly SuitePart[];
}

/** A fault of one kind: keys are refused before it, and few faults see how large a body is. */
const small = ['single calls', 'several at once', 'random histories'] as const;
/** Faults in the midst of a body. */
const large = ['large objects', 'random histories'] as const;

const busy = { kind: 'error', status: 503, code: 'SlowDown' } as const;
const broken = { kind: 'error', status: 500, code: 'InternalError' } as const;

const troubles: Readonly<Record<string, Trouble>> = {
  'no trouble': { rules: [], historyCount: caseCount(3) },
  errors: often(
    { ...busy, when: 'before' },
    { ...broken, when: 'before' },
    { ...broken, when: 'after' },
  ),
  'connections that end': often({ kind: 'reset' }),
  'lost answers': often({ kind: 'lostAnswer' }),
  slowness: often(
    { kind: 'delay', milliseconds: 15, when: 'before' },
    { kind: 'delay', milliseconds: 15, when: 'after' },
  ),
  'bodies cut off': { ...often({ kind: 'truncatedBody' }), parts: large },
  'bytes that are wrong on their way': {
    parts: large,
    // A third time in a row is damage in the store, and those of a range only the caller can judge.
    rules: [{ operations: ['get'], probability: 0.2, count: 2, fault: { kind: 'wrongBytes' } }],
  },
  'empty pages and deletions of which some fail': often(
    { kind: 'emptyPage' },
    { kind: 'partialDelete' },
  ),
  silence: seldom({ kind: 'silence', when: 'before' }, { kind: 'silence', when: 'after' }),
  'bodies that stall': { ...seldom({ kind: 'stalledBody' }), parts: large },
  'all of it': {
    rules: [
      { operations: ['list'], probability: 0.1, fault: { kind: 'emptyPage' } },
      { operations: ['deleteMany'], probability: 0.2, fault: { kind: 'partialDelete' } },
      { probability: 0.05, fault: { ...busy, when: 'before' } },
      { probability: 0.05, fault: { ...broken, when: 'after' } },
      { probability: 0.05, fault: { kind: 'reset' } },
      { probability: 0.05, fault: { kind: 'lostAnswer' } },
      { probability: 0.05, fault: { kind: 'delay', milliseconds: 15, when: 'before' } },
      { probability: 0.05, fault: { kind: 'truncatedBody' } },
      { probability: 0.01, fault: { kind: 'silence', when: 'after' } },
    ],
    limits: hasty,
    historyCount: caseCount(2),
  },
};

function often(...faults: readonly Fault[]): Trouble {
  const rules = faults.map((fault) => ({ probability: 0.25 / faults.length, fault }));
  return { rules, parts: small };
}

/** Each costs the time of an attempt. */
function seldom(...faults: readonly Fault[]): Trouble {
  return {
    rules: [
      // Chance alone may never come to it.
      ...faults.map((fault) => ({ operations: ['get'] as const, count: 1, fault })),
      ...faults.map((fault) => ({ probability: 0.01 / faults.length, fault })),
    ],
    limits: hasty,
    parts: small,
  };
}

for (const [
  name,
  { rules: faultRules, limits = quickPatience, historyCount = caseCount(1), parts },
] of Object.entries(troubles)) {
  t.test(`S3 with ${name} is a store of objects`, async (t) => {
    const happened = new Map<string, number>();
    const openStore = async (t: Test) => {
      const server = await S3Server.start(t, { pageSizeMost: 7, seed });
      server.faults.add(...faultRules);
      t.teardown(() => {
        for (const [kind, count] of server.faults.happened) {
          happened.set(kind, (happened.get(kind) ?? 0) + count);
        }
      });
      const url = new URL(server.url);
      return { open: async () => openS3Objects(url, realEnvironment, limits) };
    };
    await testObjects(t, openStore, { seed, historyCount, ...(parts && { parts }) });
    for (const { fault } of faultRules) t.ok(happened.has(fault.kind), `met ${fault.kind}`);
    t.comment(JSON.stringify(Object.fromEntries(happened)));
  });
}
