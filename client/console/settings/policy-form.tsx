import { useEffect, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { Waiting } from '../shell/waiting.tsx';

interface Protection {
  readonly pattern: string;
  readonly requiredApprovals?: number;
  readonly directWrites?: string;
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

type Choice = readonly [member: string, label: string, values: readonly string[]];

const severities = ['ignore', 'warn', 'block'] as const;
const choices: readonly Choice[] = [
  ['strategy', 'Conflicts that nobody settles', ['none', 'ours', 'theirs']],
  [
    'conflictGranularity',
    'What counts as one conflict',
    ['cell', 'row', 'block', 'sheet', 'table'],
  ],
  ['deleteVsEdit', 'What one side deleted and the other wrote to', ['conflict', 'delete', 'keep']],
  [
    'deleteVsFormat',
    'What one side deleted and the other formatted',
    ['ignore', 'warn', 'conflict'],
  ],
  ['insertInsertSameKey', 'Rows that both add under one key', ['merge', 'conflict']],
  ['newErrors', 'Errors that only a merge brings about', severities],
  ['semanticEffects', 'Values that only a merge brings about', severities],
  ['violations', 'Rules that only a merge breaks', severities],
  ['squash', 'Merges that do not note what was merged', ['allowed', 'forbidden', 'required']],
];

interface FormParts {
  readonly book: string;
  /** True for somebody who may only read it. */
  readonly isLocked: boolean;
}

/** The policy of a workbook as a form, with its JSON beside it. */
export function PolicyForm({ book, isLocked }: FormParts) {
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
      {!policy && !error && <Waiting label="Loading the policy…" />}
      {policy && (
        <form onSubmit={save}>
          <fieldset class="policy-form" disabled={isLocked} aria-labelledby="policy">
            <div class="fields">
              <Protected policy={policy} onChange={setPolicy} />
              {choices.map((choice) => (
                <MergeChoice key={choice[0]} {...{ choice, policy }} onChange={setPolicy} />
              ))}
            </div>
            <Raw policy={policy} onChange={setPolicy} />
          </fieldset>
          {fault && <Fault error={fault} again={again} />}
          {!isLocked && (
            <button type="submit" class="main" disabled={!isChanged}>
              Save the policy
            </button>
          )}
        </form>
      )}
    </section>
  );
}

function MergeChoice({ choice, policy, onChange }: PolicyParts & { readonly choice: Choice }) {
  const [member, label, values] = choice;
  return (
    <label>
      {label}
      <select
        value={String(policy.merge[member])}
        onChange={({ currentTarget: { value: picked } }) =>
          onChange({ ...policy, merge: { ...policy.merge, [member]: picked } })
        }
      >
        {values.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
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
  const replace = (entry: Protection, change: Partial<Protection>) =>
    set(entries.map((one) => (one === entry ? { ...one, ...change } : one)));
  return (
    <fieldset>
      <legend>Protected branches, which change by merges alone</legend>
      {entries.length === 0 && <p class="quiet">None: whoever may write writes everywhere.</p>}
      <ul class="list">
        {entries.map((entry) => (
          <ProtectionLine
            key={entry.pattern}
            entry={entry}
            onChange={(change) => replace(entry, change)}
            onRemove={() => set(entries.filter((one) => one !== entry))}
          />
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

interface LineParts {
  readonly entry: Protection;
  readonly onChange: (change: Partial<Protection>) => void;
  readonly onRemove: () => void;
}

function ProtectionLine({ entry, onChange, onRemove }: LineParts) {
  return (
    <li class="person-line">
      <code>{entry.pattern}</code>
      <label>
        Approvals{' '}
        <input
          type="number"
          min={0}
          max={6}
          value={entry.requiredApprovals ?? 1}
          onInput={({ currentTarget: { value } }) => onChange({ requiredApprovals: Number(value) })}
        />
      </label>
      <label>
        Direct writes{' '}
        <select
          value={entry.directWrites ?? 'deny'}
          onChange={({ currentTarget: { value } }) => onChange({ directWrites: value })}
        >
          <option value="deny">of nobody</option>
          <option value="owners">of owners</option>
          <option value="allow">of all who may write</option>
        </select>
      </label>
      <button type="button" class="second" onClick={onRemove}>
        No longer protect {entry.pattern}
      </button>
    </li>
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
    <div>
      <label>
        As JSON, with all members
        <textarea
          class="policy"
          rows={28}
          spellcheck={false}
          value={text ?? shown}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={take}
        />
      </label>
      {message !== '' && <p role="alert">{message}</p>}
    </div>
  );
}
