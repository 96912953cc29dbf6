import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { Waiting } from '../shell/waiting.tsx';
import { longFacts, type BranchFacts } from './branch-facts.ts';
import { LastWriter } from './last-writer.tsx';

interface Branch extends BranchFacts {
  readonly name: string;
  readonly head: number;
  readonly state: 'active' | 'archived';
  readonly mergedInto: readonly string[];
  readonly stale: boolean;
}

/** Branches that are listed at once; a search finds the others. */
const shownMost = 50;

interface ListParts {
  readonly book: string;
  /** The branch that is shown. */
  readonly shown: string;
}

/** Button for the list of branches, where they are deleted, and archived ones restored. */
export function BranchList({ book, shown }: ListParts) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="second of-all" onClick={() => setOpen(true)}>
        All branches
      </button>
      {isOpen && <ListDialog book={book} shown={shown} onClose={() => setOpen(false)} />}
    </>
  );
}

function ListDialog({ book, shown, onClose }: ListParts & { readonly onClose: () => void }) {
  const { service, go } = useShell();
  const path = `/v1/workbooks/${book}/branches`;
  const { value, error, again } = useLoaded(
    (signal) =>
      service.ask<{ branches: readonly Branch[] }>(`${path}?include=archived`, { signal }),
    [path],
  );
  const [text, setText] = useState('');
  const wanted = text.trim().toLocaleLowerCase();
  const found =
    value?.branches.filter(({ name }) => name.toLocaleLowerCase().includes(wanted)) ?? [];
  const [asked, setAsked] = useState<string>();
  const [fault, setFault] = useState<Error>();
  const act = async (name: string, method: 'DELETE' | 'POST', then: string) => {
    setFault(undefined);
    setAsked(undefined);
    try {
      await service.ask(`${path}/${encodeURIComponent(name)}${then}`, { method });
      if (method === 'DELETE' && name === shown) {
        onClose();
        return go({ name: 'sheet', book, at: { branch: 'main' } });
      }
      again();
    } catch (refused) {
      setFault(refused as Error);
    }
  };
  return (
    <Dialog label="Branches" onClose={onClose}>
      {() => (
        <>
          <h2>Branches</h2>
          {(fault ?? error) && <Fault error={(fault ?? error) as Error} />}
          {!value && !error && <Waiting label="Branches are on the way" />}
          <label>
            Search{' '}
            <input
              type="search"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          {value && (
            <p class="quiet" role="status">
              {foundText(found.length, value.branches.length)}
            </p>
          )}
          <ul class="plain branches">
            {found.slice(0, shownMost).map((branch) => (
              <BranchLine
                key={branch.name}
                book={book}
                branch={branch}
                isAsked={asked === branch.name}
                onAsk={setAsked}
                onDelete={() => void act(branch.name, 'DELETE', '')}
                onRestore={() => void act(branch.name, 'POST', '/restore')}
              />
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function foundText(found: number, all: number): string {
  if (found > shownMost) return `${shownMost} of ${found.toLocaleString()}: search for the others.`;
  return found < all ? `${found.toLocaleString()} of ${all.toLocaleString()} branches` : '';
}

interface LineParts {
  readonly book: string;
  readonly branch: Branch;
  readonly isAsked: boolean;
  readonly onAsk: (name: string | undefined) => void;
  readonly onDelete: () => void;
  readonly onRestore: () => void;
}

function BranchLine({ book, branch, isAsked, onAsk, onDelete, onRestore }: LineParts) {
  const { name, state, from } = branch;
  return (
    <li class="person-line">
      <span>
        <ScreenLink to={{ name: 'sheet', book, at: { branch: name } }}>{name}</ScreenLink>{' '}
        <span class="quiet">{longFacts(branch)}</span>
        <LastWriter book={book} branch={name} head={branch.head} />
      </span>
      {isAsked && (
        <span role="alert">
          Delete {name}? {lossOf(branch)}{' '}
          <button type="button" class="danger" onClick={onDelete}>
            Delete {name}
          </button>{' '}
          <button type="button" class="second" onClick={() => onAsk(undefined)}>
            Keep it
          </button>
        </span>
      )}
      {!isAsked && from !== null && (
        <button
          type="button"
          class="second"
          aria-label={`Delete the branch ${name}`}
          onClick={() => onAsk(name)}
        >
          Delete
        </button>
      )}
      {state === 'archived' && (
        <button
          type="button"
          class="second"
          aria-label={`Restore the branch ${name}`}
          onClick={onRestore}
        >
          Restore
        </button>
      )}
    </li>
  );
}

function lossOf({ ahead, mergedInto }: Branch): string {
  if (mergedInto.length > 0) return `It was merged into ${mergedInto.join(', ')}.`;
  if (ahead.ops === 0) return 'It holds no edits.';
  return `It was merged into no branch: ${ahead.ops === 1 ? 'its edit is' : 'its edits are'} gone with it.`;
}
