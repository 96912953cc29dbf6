import type { Principal } from '../../model/scope.ts';
import type { Count, Member } from './sql.ts';
import { figuresOf, type AccountUsage } from './usage.ts';

/** Returns the use of a caller's own plan, and of the account's where they may see it. */
export function usageView(
  principal: Principal,
  { plan, members, counts, held, figures: total, cells, limits }: AccountUsage,
  { from, to }: { from: Date; to: Date },
) {
  const of = (userId: string): Count[] => counts.filter((count) => count.userId === userId);
  // Agents that were merged into a person are that person.
  const isSelf = ({ userId, relation }: Member): boolean =>
    principal.kind === 'human' ? relation === 'own' : userId === principal.userId;
  // Other members' use of the plan is shown to people alone.
  const seen = members.filter(
    ({ userId }) => principal.kind === 'human' || userId === principal.userId,
  );
  const account = {
    usage: total,
    members: seen.map((member) => ({ ...member, usage: figuresOf(of(member.userId)) })),
  };
  const own = members.filter(isSelf).flatMap(({ userId }) => of(userId));
  return {
    userId: principal.userId,
    plan: plan.name,
    period: { from: from.toISOString(), to: to.toISOString() },
    usage: figuresOf(own),
    days: daysOf(own),
    caps: {
      workbooks: capOf(held.workbooks, limits.workbooks),
      operationsPerMonth: capOf(total.operations, limits.operationsPerMonth),
      storageBytes: capOf(held.storageBytes, limits.storageBytes),
      ...(cells && { cells: capOf(cells.used, cells.limit) }),
      readsPerMinute: limits.readsPerMinute,
      writesPerMinute: limits.writesPerMinute,
    },
    ...(principal.scopes.includes('account') && { account }),
  };
}

function capOf(used: number, limit: number) {
  return { limit, used, remaining: Math.max(0, limit - used) };
}

/** Returns the operations of each day on which there were any, in order. */
function daysOf(counts: readonly Count[]): { date: string; operations: number }[] {
  const days = new Map<string, number>();
  for (const { meter, startsAt, count } of counts) {
    if (meter !== 'operations') continue;
    const date = startsAt.toISOString().slice(0, 10);
    days.set(date, (days.get(date) ?? 0) + count);
  }
  return [...days]
    .map(([date, operations]) => ({ date, operations }))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
}
