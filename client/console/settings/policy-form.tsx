import { useEffect, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';

interface Protection {
  readonly pattern: string;
  readonly requiredApprovals?: number;
}

interface Policy {
  readonly protectedBranches: readonly Protection[];
  readonly merge: Readonly<Record<string, unknown>>;
  readonly branch: Readonly<Record<string, unknown>>;
}

interface Settings {
  readonly version: number;
  readonly policy: Policy;
}

const choices: readonly (readonly [member: string, label: string, values: readonly string[]])[] = [
  ['strategy', 'Conflicts that nobody settles', ['none', 'ours', 'theirs']],
  [
    'conflictGranularity',
    'What counts as one conflict',
    ['cell', 'row', 'block', 'sheet', 'table'],
  ],
  ['newErrors', 'Errors that only a merge brings about', ['ignore', 'warn', 'block']],
  ['semanticEffects', 'Values that only a merge brings about', ['ignore', 'warn', 'block']],
];

/** The policy of a workbook as a form, with its JSON beside it. */
export function PolicyForm({ book }: { book: string }) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}/settings`;
  const { value, error, again } = useLoaded(
    (signal) => service.ask<Settings>(path, { signal }),
    [path],
  );
  const [policy, setPolicy] = useState<Policy>();
  const [fault, setFault] = useState<Error>();
  useEffect(() => setPolicy(value?.policy), [value]);
  const save = (event: Event) => {
    event.preventDefault();
    setFault(undefined);
    service
      .ask(path, { method: 'PUT', body: { policy, expectVersion: value?.version } })
      .then(again)
      .catch(setFault);
  };
  const isChanged = JSON.stringify(policy) !== JSON.stringify(value?.policy);
  return (
    <section aria-labelledby="policy">
      <h2 id="policy">Policy</h2>
      {error && <Fault error={error} again={again} />}
      {policy && (
        <form class="fields" onSubmit={save}>
          <Protected policy={policy} onChange={setPolicy} />
          {choices.map(([member, label, values]) => (
            <label key={member}>
              {label}
              <select
                value={String(policy.merge[member])}
                onChange={({ currentTarget: { value: picked } }) =>
                  setPolicy({ ...policy, merge: { ...policy.merge, [member]: picked } })
                }
              >
                {values.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          ))}
          <Raw policy={policy} onChange={setPolicy} />
          {fault && <Fault error={fault} again={again} />}
          <button type="submit" class="main" disabled={!isChanged}>
            Save the policy
          </button>
        </form>
      )}
    </section>
  );
}

interface PolicyParts {
  readonly policy: Policy;
  readonly onChange: (policy: Policy) => void;
}

function Protected({ policy, onChange }: PolicyParts) {
  const [pattern, setPattern] = useState('');
  const set = (protectedBranches: readonly Protection[]) =>
    onChange({ ...policy, protectedBranches });
  const { protectedBranches: entries } = policy;
  return (
    <fieldset>
      <legend>Protected branches, which change by merges alone</legend>
      {entries.length === 0 && <p class="quiet">None: whoever may write writes everywhere.</p>}
      <ul class="list">
        {entries.map((entry) => (
          <li key={entry.pattern} class="person-line">
            <code>{entry.pattern}</code>
            <label>
              Approvals{' '}
              <input
                type="number"
                min={0}
                max={6}
                value={entry.requiredApprovals ?? 1}
                onInput={({ currentTarget: { value } }) =>
                  set(
                    entries.map((one) =>
                      one === entry ? { ...one, requiredApprovals: Number(value) } : one,
                    ),
                  )
                }
              />
            </label>
            <button
              type="button"
              class="second"
              onClick={() => set(entries.filter((one) => one !== entry))}
            >
              No longer protect {entry.pattern}
            </button>
          </li>
        ))}
      </ul>
      <p class="actions">
        <label>
          Branch or pattern
          <input
            value={pattern}
            placeholder="main or release/*"
            onInput={(event) => setPattern(event.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          class="second"
          disabled={pattern.trim() === ''}
          onClick={() => {
            set([...entries, { pattern: pattern.trim() }]);
            setPattern('');
          }}
        >
          Protect it
        </button>
      </p>
    </fieldset>
  );
}

function Raw({ policy, onChange }: PolicyParts) {
  const [text, setText] = useState<string>();
  const [message, setMessage] = useState('');
  const shown = JSON.stringify(policy, null, 2);
  const take = () => {
    if (text === undefined) return;
    try {
      onChange(JSON.parse(text) as Policy);
      setText(undefined);
      setMessage('');
    } catch (error) {
      setMessage(`This is no JSON: ${(error as Error).message}`);
    }
  };
  return (
    <details>
      <summary>As JSON, with all members</summary>
      <label>
        Policy
        <textarea
          class="policy"
          rows={12}
          value={text ?? shown}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={take}
        />
      </label>
      {message !== '' && <p role="alert">{message}</p>}
    </details>
  );
}
