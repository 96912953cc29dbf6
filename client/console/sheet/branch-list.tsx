import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';

interface Branch {
  readonly name: string;
  readonly state: 'active' | 'archived';
  readonly from: { readonly branch: string } | null;
  readonly ahead: { readonly ops: number };
  readonly mergedInto: readonly string[];
  readonly protected: boolean;
  readonly updatedAt: string;
}

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
          <ul class="plain">
            {value?.branches.map((branch) => (
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
        <span class="quiet">{factsOf(branch)}</span>
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

function factsOf({ from, ahead, mergedInto, protected: isProtected, state }: Branch): string {
  const facts = [
    from !== null && `${ahead.ops} ${ahead.ops === 1 ? 'edit' : 'edits'} since ${from.branch}`,
    mergedInto.length > 0 && `merged into ${mergedInto.join(', ')}`,
    isProtected && 'protected',
    state === 'archived' && 'archived',
  ];
  return facts.filter(Boolean).join(' · ');
}

function lossOf({ ahead, mergedInto }: Branch): string {
  if (mergedInto.length > 0) return `It was merged into ${mergedInto.join(', ')}.`;
  if (ahead.ops === 0) return 'It holds no edits.';
  return `It was merged into no branch: ${ahead.ops === 1 ? 'its edit is' : 'its edits are'} gone with it.`;
}
