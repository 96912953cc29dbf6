import { inputText } from '../sheet/input-text.ts';
import type { CellSide } from './diff-page.ts';

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
