import { inputText } from '../sheet/input-text.ts';
import type { CellSide } from './diff-page.ts';
import type { ShownParts } from './shown-choice.tsx';

interface SideParts {
  readonly side: CellSide | undefined;
  readonly parts?: ShownParts;
}

/** Input of a cell, and the text that the cell shows if that differs. */
export function Side({ side, parts = 'both' }: SideParts) {
  const input = inputText(side?.input);
  const value = side?.text ?? inputText(side?.value);
  if (input === '') return <span class="quiet">blank</span>;
  if (parts === 'values') return <>{value === '' ? input : value}</>;
  return (
    <>
      <code>{input}</code>
      {parts === 'both' && value !== '' && value !== input && <span class="quiet"> {value}</span>}
    </>
  );
}
