import { rolesFor, type Action, type Role } from '../../../server/model/access.ts';
import type { Policy } from '../../../server/model/policy.ts';
import type { Service } from '../service.ts';
import { useShell } from './context.ts';
import { useLoaded } from './loaded.ts';

export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
}

/** Everything that decides what somebody may do in a workbook. */
export interface Access {
  readonly userId: string;
  /** Role in the workbook; undefined where it says none. */
  readonly role: Role | undefined;
  readonly people: readonly Person[];
  readonly policy: Policy;
  readonly isArchived: boolean;
}

/** Loads what decides about the rights of this page's user; undefined until it is known. */
export function useAccess(book: string): Access | undefined {
  const { service } = useShell();
  return useLoaded((signal) => loadAccess(service, book, signal), [book]).value;
}

async function loadAccess(service: Service, book: string, signal: AbortSignal): Promise<Access> {
  const path = `/v1/workbooks/${book}`;
  const [me, facts, shared, settings] = await Promise.all([
    service.ask<{ data: { user_id: string } }>('/agent/auth/me', { signal }),
    service.ask<{ archived: boolean; role?: Role }>(path, { signal }),
    service.ask<{ collaborators: readonly Person[] }>(`${path}/collaborators`, { signal }),
    service.ask<{ policy: Policy }>(`${path}/settings`, { signal }),
  ]);
  const { user_id: userId } = me.data;
  const people = shared.collaborators;
  return {
    userId,
    role: facts.role,
    people,
    policy: settings.policy,
    isArchived: facts.archived,
  };
}

const needs: Readonly<Record<'write' | 'approve' | 'settings', string>> = {
  write: 'only an owner or an editor can change this',
  approve: 'only an owner, an editor or a reviewer can approve this',
  settings: 'only the owner can change this',
};

/** Returns why an action is refused, as a sentence; undefined if it is not, or not known yet. */
export function refusalOf(
  access: Access | undefined,
  action: keyof typeof needs & Action,
): string | undefined {
  if (!access) return undefined;
  if (access.isArchived) return 'The workbook is archived: restore it to change it.';
  const { role } = access;
  if (role === undefined || rolesFor[action].includes(role)) return undefined;
  return `You are a ${role}: ${needs[action]}.`;
}

/** Returns the name of a user with a role; the id of anybody else. */
export function nameOf(access: Access | undefined, userId: string): string {
  return access?.people.find((person) => person.userId === userId)?.name ?? userId;
}

/** Says who an entry of a policy means: `user:usr_…` or `role:editor`. */
export function actorText(access: Access | undefined, entry: string): string {
  const [kind, ...rest] = entry.split(':');
  const name = rest.join(':');
  return kind === 'user' ? nameOf(access, name) : `every ${name}`;
}
