import { useRef, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';

interface BranchParts {
  readonly book: string;
  readonly from: string;
  /** Screen of the new branch; its cells by default. */
  readonly goal?: (branch: string) => Screen;
}

/** A button that asks for a name and begins a branch at a position. */
export function BranchFromHere({ book, from, goal }: BranchParts) {
  const { service, go } = useShell();
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState('');
  const [error, setError] = useState<Error>();
  const make = async (event: Event) => {
    event.preventDefault();
    try {
      await service.ask(`/v1/workbooks/${book}/branches`, { body: { name, from } });
      dialog.current?.close();
      go(goal?.(name) ?? { name: 'sheet', book, at: { branch: name } });
    } catch (fault) {
      setError(fault as Error);
    }
  };
  return (
    <>
      <button type="button" class="second of-new" onClick={() => dialog.current?.showModal()}>
        Branch from here
      </button>
      <dialog ref={dialog} aria-label={`New branch from ${from}`}>
        <form class="fields" onSubmit={(event) => void make(event)}>
          <label>
            Name of the new branch
            <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <p class="quiet">
            It begins at {from}, which stays as it is: compare and merge it when you are done.
          </p>
          {error && <Fault error={error} />}
          <p class="actions">
            <button type="submit" class="main">
              Make the branch
            </button>
            <button type="button" class="second" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}
