import type { Payload } from '../../model/operation.ts';
import type { Policy } from '../../model/policy.ts';
import { KeyedMap } from '../ids/keyed-map.ts';
import type { Planned } from '../plan/plan.ts';

/** The policy of a workbook: members by path. Only branch 0 has one. */
export class PolicyDocument {
  #members = new KeyedMap<string>();

  static from(entries: Iterable<readonly [path: string, value: unknown]>): PolicyDocument {
    const document = new PolicyDocument();
    for (const [path, value] of entries) document.#members.set(path, JSON.stringify(value));
    return document;
  }

  copy(): PolicyDocument {
    const copy = new PolicyDocument();
    copy.#members = this.#members.copy();
    return copy;
  }

  /** Replaces the whole policy, including members that only another version of the schema had. */
  set(policy: Policy): void {
    this.#members = PolicyDocument.from(membersOf(policy)).#members;
  }

  is(policy: Policy): boolean {
    const members = membersOf(policy);
    if (members.length !== this.#members.size) return false;
    return members.every(([path, value]) => this.#members.get(path) === JSON.stringify(value));
  }

  /** Yields the members sorted by path; none before the first policy. */
  *entries(): Generator<readonly [path: string, value: unknown]> {
    for (const [path, text] of this.#members.sorted()) yield [path, JSON.parse(text)];
  }
}

/** Returns members by path, such as `merge.strategy`; a list is one member. */
function membersOf(policy: Policy): (readonly [path: string, value: unknown])[] {
  return Object.entries(policy).flatMap(([group, members]): (readonly [string, unknown])[] => {
    if (Array.isArray(members)) return [[group, members]];
    return Object.entries(members).map(([name, value]) => [`${group}.${name}`, value] as const);
  });
}

export function planPolicySet(payload: Payload<'policy.set'>): Planned {
  return {
    plan: { type: 'policy', policy: payload.policy },
    kind: 'policy.set',
    payload,
    resolved: {},
    rebased: false,
    clipped: [],
  };
}
