import t from 'tap';

import {
  isFinished,
  mayFollow,
  phases,
  progressAt,
  statuses,
} from '../../../server/matches/match.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

t.test('every state is reached, and those at the end are left by nothing', async (t) => {
  const reached = new Set<string>(['queued']);
  for (let round = 0; round < statuses.length; round++) {
    for (const from of statuses.filter((status) => reached.has(status))) {
      for (const to of statuses.filter((status) => mayFollow(from, status))) reached.add(to);
    }
  }
  t.same([...reached].toSorted(), [...statuses].toSorted());
  for (const from of statuses) {
    const next = statuses.filter((to) => mayFollow(from, to));
    t.equal(isFinished(from), next.length === 0, from);
  }
  t.same(statuses.filter(isFinished), ['done', 'failed', 'cancelled']);
});

t.test('any walk ends in a state that stays', async (t) => {
  const random = new SeededRandom(Number(process.env['QUIRE_SEED'] ?? 7) || 7);
  for (let walk = 0; walk < 200; walk++) {
    let state: (typeof statuses)[number] = 'queued';
    for (let step = 0; step < 50; step++) {
      const next = statuses.filter((to) => mayFollow(state, to));
      state = next[random.between(0, next.length - 1)] ?? state;
    }
    t.ok(isFinished(state) || state === 'running' || state === 'queued');
  }
});

t.test('progress grows through the phases and is not 1 before the end', async (t) => {
  let before = 0;
  for (const phase of phases) {
    for (const done of [0, 1, 50, 99, 100]) {
      const progress = progressAt(phase, done, 100);
      t.ok(progress >= before && progress < 1, `${phase} ${done}`);
      before = progress;
    }
  }
});
