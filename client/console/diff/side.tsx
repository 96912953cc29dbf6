import { inputText } from '../sheet/input-text.ts';
import type { CellSide } from './diff-page.ts';

/** The input of a cell, and beside it what the cell shows where that reads otherwise. */
export function Side({ side }: { side: CellSide | undefined }) {
  const input = inputText(side?.input);
  const value = side?.text ?? inputText(side?.value);
  if (input === '') return <span class="quiet">blank</span>;
  return (
    <>
      <code>{input}</code>
      {value !== '' && value !== input && <span class="quiet"> {value}</span>}
    </>
  );
}
