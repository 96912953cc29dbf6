import type { Role } from './access.ts';
import type { Policy, ProtectedBranch } from './policy.ts';

/** The protection of a branch: the first entry whose pattern fits. */
export function protectionOf(policy: Policy, branchName: string): ProtectedBranch | undefined {
  return policy.protectedBranches.find(({ pattern }) => fitsPattern(branchName, pattern));
}

/** A principal that does something to a workbook. */
export interface Actor {
  readonly userId: string;
  /** Role in the workbook. */
  readonly role: Role | undefined;
}

/** Returns whether an actor is on a list of a policy, by name or role. */
export function isAmong(listed: readonly string[], { userId, role }: Actor): boolean {
  return (
    listed.includes(`user:${userId}`) || (role !== undefined && listed.includes(`role:${role}`))
  );
}

/**
 * Returns whether a name fits a pattern. Follows all ways through the pattern at once, so the time
 * is at most the product of the two lengths.
 */
export function fitsPattern(text: string, pattern: string): boolean {
  const steps = pattern.match(/\*\*|[^]/gu) ?? [];
  let places = skipStars(new Set([0]), steps);
  for (const character of text) {
    const next = new Set<number>();
    for (const place of places) {
      const step = steps[place];
      const isStar = step === '**' || (step === '*' && character !== '/');
      if (isStar) next.add(place);
      else if (step === character || (step === '?' && character !== '/')) next.add(place + 1);
    }
    places = skipStars(next, steps);
  }
  return places.has(steps.length);
}

/** Adds the places after stars, which may also match nothing. */
function skipStars(places: Set<number>, steps: readonly string[]): Set<number> {
  // Iteration over a set includes elements added meanwhile.
  for (const place of places) if (steps[place]?.startsWith('*') === true) places.add(place + 1);
  return places;
}

/** Returns whether an actor may write to a branch without a merge. */
export function takesWritesOf(actor: Actor, protection: ProtectedBranch): boolean {
  const { directWrites, bypass } = protection;
  if (directWrites === 'allow') return true;
  return (directWrites === 'owners' && actor.role === 'owner') || isAmong(bypass, actor);
}
