import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';

interface Collaborator {
  readonly userId: string;
  readonly role: string;
  readonly kind: string;
  readonly name: string;
}

const roles: Readonly<Record<string, string>> = {
  editor: 'editor: reads and writes',
  reviewer: 'reviewer: reads, branches, approves merges',
  viewer: 'viewer: reads',
};

interface SharingParts {
  readonly book: string;
  /** True for somebody who can change nothing but their own role. */
  readonly isLocked: boolean;
  /** Id of whoever looks; undefined until it is known. */
  readonly ownId: string | undefined;
}

/** People and agents with a role, and a form that gives one to somebody else. */
export function Sharing({ book, isLocked, ownId }: SharingParts) {
  const { service, go } = useShell();
  const path = `/v1/workbooks/${book}/collaborators`;
  const { value, error, again } = useLoaded(
    (signal) => service.ask<{ collaborators: readonly Collaborator[] }>(path, { signal }),
    [path],
  );
  const [fault, setFault] = useState<Error>();
  const [user, setUser] = useState('');
  const [role, setRole] = useState('editor');
  const change = async (id: string, given: string | null) => {
    setFault(undefined);
    const asked = given === null ? { method: 'DELETE' as const } : put({ role: given });
    try {
      await service.ask(`${path}/${encodeURIComponent(id)}`, asked);
      setUser('');
      if (given === null && id === ownId) go({ name: 'books' });
      else again();
    } catch (refusal) {
      setFault(refusal as Error);
    }
  };
  return (
    <section aria-labelledby="sharing">
      <h2 id="sharing">People and agents</h2>
      {error && <Fault error={error} again={again} />}
      {value && (
        <People
          people={value.collaborators}
          {...{ isLocked, ownId }}
          onChange={(id, given) => void change(id, given)}
        />
      )}
      {fault && <Fault error={fault} />}
      <form
        class="fields"
        hidden={isLocked}
        onSubmit={(event) => {
          event.preventDefault();
          void change(user.trim(), role);
        }}
      >
        <label>
          Share with (an id: each finds it under Account)
          <input
            value={user}
            required
            placeholder="usr_… or agt_…"
            onInput={(event) => setUser(event.currentTarget.value)}
          />
        </label>
        <RoleChoice label="as" value={role} onPick={setRole} />
        <button type="submit" class="main">
          Share
        </button>
      </form>
    </section>
  );
}

function put(body: unknown) {
  return { method: 'PUT', body } as const;
}

interface PeopleParts extends Pick<SharingParts, 'isLocked' | 'ownId'> {
  readonly people: readonly Collaborator[];
  readonly onChange: (id: string, role: string | null) => void;
}

function People({ people, isLocked, ownId, onChange }: PeopleParts) {
  return (
    <ul class="list">
      {people.map(({ userId, role, kind, name }) => (
        <li key={userId} class="person-line">
          <span>
            <strong>{name}</strong>{' '}
            <span class="quiet">
              {kind === 'human' ? 'person' : kind}
              {userId === ownId && ', you'}
            </span>
          </span>
          {role === 'owner' || (isLocked && userId !== ownId) ? (
            <span>{role}</span>
          ) : isLocked ? (
            <button type="button" class="second" onClick={() => onChange(userId, null)}>
              Leave: give up your role as {role}
            </button>
          ) : (
            <span class="actions">
              <RoleChoice
                label={`Role of ${name}`}
                value={role}
                onPick={(given) => onChange(userId, given)}
                isQuiet
              />
              <button type="button" class="second" onClick={() => onChange(userId, null)}>
                Take away
              </button>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

interface RoleParts {
  readonly label: string;
  readonly value: string;
  readonly onPick: (role: string) => void;
  readonly isQuiet?: boolean;
}

function RoleChoice({ label, value, onPick, isQuiet }: RoleParts) {
  return (
    <label>
      <span class={isQuiet === true ? 'visually-hidden' : ''}>{label}</span>
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {Object.entries(roles).map(([role, text]) => (
          <option key={role} value={role}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
