import { inputText } from '../sheet/input-text.ts';

export interface CellSide {
  readonly input?: unknown;
  readonly value?: unknown;
}

/** The input of a cell, and the value of a formula beside it. */
export function Side({ side }: { side: CellSide | undefined }) {
  const input = inputText(side?.input);
  const value = inputText(side?.value);
  if (input === '') return <span class="quiet">blank</span>;
  return (
    <>
      <code>{input}</code>
      {value !== '' && value !== input && <span class="quiet"> {value}</span>}
    </>
  );
}
