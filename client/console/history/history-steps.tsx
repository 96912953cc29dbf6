import { useState } from 'preact/hooks';

import type { Position, Screen } from '../address.ts';
import { ScreenLink } from '../shell/link.tsx';
import { RelativeTime } from '../shell/relative-time.tsx';
import { doneWords, stepWords, type Done, type DoneGroup } from './groups.ts';

type SheetScreen = Extract<Screen, { name: 'sheet' }>;

interface StepListParts {
  readonly groups: readonly DoneGroup[];
  readonly newest: number;
  readonly screen: SheetScreen;
  /** True when the list may be filtered. */
  readonly isFiltered: boolean;
}

/** Groups of operations, each as a link to the position after it. */
export function Steps({ groups, newest, screen, isFiltered }: StepListParts) {
  const shown = screen.at.seq ?? newest;
  if (isFiltered && groups.length === 0) return <p>Nothing of that kind is among these changes.</p>;
  return (
    <ol class="plain steps">
      {groups.map((group) => (
        <Step
          key={group.last}
          group={group}
          screen={screen}
          isShown={group.first <= shown && shown <= group.last}
          isNewest={group.last === newest}
        />
      ))}
    </ol>
  );
}

/** The operations of a group one by one, on demand. */
function Single({ steps, screen }: { steps: readonly Done[]; screen: SheetScreen }) {
  const { branch } = screen.at;
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="quiet">One by one</summary>
      {isOpen && (
        <ol class="plain">
          {steps.map((step) => (
            <li key={step.seq}>
              <ScreenLink
                to={{ ...screen, at: { branch, seq: step.seq } }}
                isCurrent={screen.at.seq === step.seq}
              >
                {branch}@{step.seq}
              </ScreenLink>{' '}
              {stepWords(step)}
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

interface StepParts {
  readonly group: DoneGroup;
  readonly screen: SheetScreen;
  readonly isShown: boolean;
  readonly isNewest: boolean;
}

function Step({ group, screen, isShown, isNewest }: StepParts) {
  const { first, last, by, at, name, count, steps } = group;
  const { book, at: place } = screen;
  const { branch } = place;
  const position: Position = isNewest ? { branch } : { branch, seq: last };
  return (
    <li class={isShown ? 'shown' : ''}>
      {name !== undefined && <strong class="version">{name}</strong>}
      <ScreenLink to={{ ...screen, at: position }} isCurrent={isShown}>
        <RelativeTime at={at} />
      </ScreenLink>{' '}
      <strong>{by}</strong> {doneWords(group)}
      {steps.length > 1 && <Single steps={steps} screen={screen} />}
      <div class="links quiet">
        <span>
          {branch}@{first === last ? last : `${first}–${last}`}
        </span>
        {count > 0 && (
          <ScreenLink
            to={{ name: 'diff', book, from: `${branch}@${first - 1}`, to: `${branch}@${last}` }}
          >
            What changed
          </ScreenLink>
        )}
      </div>
    </li>
  );
}
