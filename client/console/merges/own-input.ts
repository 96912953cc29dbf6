import { useShell } from '../shell/context.ts';
import { enteredInput } from '../store/entered-input.ts';

interface Asked {
  readonly id: string;
  /** True where the input is one of a cell, which is read as it is in a sheet. */
  readonly isCell: boolean;
}

/** Returns the body of a decision for a typed value that is on neither side. */
export type OwnInput = (asked: Asked, typed: string) => Promise<object>;

/** Returns a function that makes a decision of a typed value, which a cell reads as typed input. */
export function useOwnInput(book: string, merge: string): OwnInput {
  const { service } = useShell();
  return async ({ id, isCell }, typed) => {
    const at = { workbookId: book, ref: `merge:${merge}` };
    const input = isCell ? await enteredInput(service, at, typed) : typed;
    return { resolutions: [{ id, choice: 'custom', input }] };
  };
}
