import { useState } from 'preact/hooks';

import { Side } from '../diff/side.tsx';
import { Sign } from '../diff/sign.tsx';
import { ScreenLink } from '../shell/link.tsx';
import type { Deciding } from './conflicts.tsx';
import { FormulaField } from './formula-field.tsx';
import type { OwnInput } from './own-input.ts';
import type { ConflictPage, Effect } from './review.ts';
import { findingText, kindText } from './words.ts';

interface FindingParts {
  readonly book: string;
  readonly page: ConflictPage;
  /** Branch whose names a formula may have. */
  readonly branch: string;
  /** Undefined once nothing can be decided. */
  readonly decide: Deciding | undefined;
  readonly ownInput: OwnInput;
}

/** Values, errors and broken rules that only the merge brings about, each to be decided about. */
export function Findings({ page, decide, ...parts }: FindingParts) {
  const findings = [...page.effects, ...page.violations];
  if (findings.length === 0) return null;
  const open = findings.filter(({ status }) => status === 'open').length;
  return (
    <section aria-labelledby="effects">
      <h2 id="effects">What only the merge brings about</h2>
      {decide && open > 1 && (
        <p class="actions">
          <button
            type="button"
            class="second"
            onClick={() => decide('resolve', { bulk: [{ where: {}, choice: 'accept' }] })}
          >
            Accept all of it
          </button>
        </p>
      )}
      <ul class="list">
        {findings.map((finding) => (
          <Finding key={finding.id} {...{ finding, decide, ...parts }} />
        ))}
      </ul>
    </section>
  );
}

interface LineParts extends Omit<FindingParts, 'page'> {
  readonly finding: Effect;
}

function Finding({ book, branch, finding, decide, ownInput }: LineParts) {
  const { id, kind, text, status, value, becauseOf = [], resolution } = finding;
  const [isTyped, setTyped] = useState(false);
  const choose = (choice: string | null) => decide?.('resolve', { resolutions: [{ id, choice }] });
  const isAsked = decide !== undefined && status === 'open';
  return (
    <li>
      {text} <Side side={{ input: value?.ours }} /> <Sign change="modified" />{' '}
      <Side side={{ input: value?.merged }} /> <span class="quiet">{kindText(kind)}</span>{' '}
      {becauseOf.length > 0 && <Causes {...{ book, branch, becauseOf }} />}{' '}
      <span class={`state ${status}`}>{findingText(status)}</span>{' '}
      {isAsked && (
        <FindingChoices finding={finding} onChoose={choose} onType={() => setTyped(true)} />
      )}
      {decide && resolution && (
        <button type="button" class="second" onClick={() => choose(null)}>
          Take the choice back
        </button>
      )}
      {isAsked && isTyped && (
        <FormulaField
          label={`Input of ${text}`}
          {...{ book, branch }}
          onTake={(typed) => decide('resolve', ownInput({ id, isCell: true }, typed))}
        />
      )}
    </li>
  );
}

interface ChoiceParts {
  readonly finding: Effect;
  readonly onChoose: (choice: string) => void;
  readonly onType: () => void;
}

const findingChoices = [
  ['accept', 'Accept'],
  ['keep', 'Bring back what was deleted'],
  ['custom', 'Write something else'],
] as const;

function FindingChoices({ finding: { choices }, onChoose, onType }: ChoiceParts) {
  return (
    <>
      {findingChoices
        .filter(([choice]) => choices.includes(choice))
        .map(([choice, label]) => (
          <button
            key={choice}
            type="button"
            class="second"
            onClick={() => (choice === 'custom' ? onType() : onChoose(choice))}
          >
            {label}
          </button>
        ))}
    </>
  );
}

/** Links to the edited cells from which something comes. */
function Causes({
  book,
  branch,
  becauseOf,
}: Pick<LineParts, 'book' | 'branch'> & { readonly becauseOf: readonly string[] }) {
  return (
    <span class="quiet">
      because of{' '}
      {becauseOf.map((place, index) => {
        const [, sheet, cell] = /^(?:'?(.*?)'?!)?([^!]+)$/u.exec(place) ?? [];
        if (sheet === undefined || cell === undefined) return `${index > 0 ? ', ' : ''}${place}`;
        return (
          <span key={place}>
            {index > 0 && ', '}
            <ScreenLink to={{ name: 'sheet', book, at: { branch }, sheet, cell }}>
              {place}
            </ScreenLink>
          </span>
        );
      })}
    </span>
  );
}
