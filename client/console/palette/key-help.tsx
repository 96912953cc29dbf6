import { useState } from 'preact/hooks';

import { areLettersCommands, setLettersCommands } from '../shell/letter-key.ts';
import { useModal } from '../shell/modal.ts';

const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Everywhere',
    [
      ['Ctrl+K', 'find a command or a place'],
      ['Ctrl+/', 'this help'],
      ['Alt+H', 'the history slider'],
      ['Alt+D', 'compare with main'],
      ['F6, Shift+F6', 'the next part of the page, the one before'],
    ],
  ],
  [
    'Move in a sheet',
    [
      ['arrows, Tab, Enter', 'to the next cell; with Shift back, or extend the selection'],
      ['Tab, Enter in a selection', 'through its cells'],
      ['Ctrl+arrow', 'to the edge of the filled cells'],
      ['Home, Ctrl+Home, Ctrl+End', 'start of the row, A1, last used cell'],
      ['PageUp, PageDown', 'a screen up or down; with Alt across'],
      ['Ctrl+A', 'select the block, then all that is used'],
      ['Ctrl+Space, Shift+Space', 'whole columns, whole rows'],
      ['Ctrl+click, Shift+F8', 'select further ranges; Escape ends Shift+F8'],
      ['Ctrl+Shift+PageUp, PageDown', 'the sheet before, after'],
      ['Ctrl+Alt+plus, minus, 0', 'larger cells, smaller ones, their usual size'],
    ],
  ],
  [
    'Edit a sheet',
    [
      ['F2, typing, Delete', 'edit, replace, clear'],
      ['Escape, Alt+Enter', 'leave as it was, line break'],
      ['Ctrl+Enter', 'write into all that is selected'],
      ['arrows while typing', 'enter and go on; point at cells for a formula'],
      ['F4 in a formula', 'turn the dollars of a reference'],
      ['Ctrl+C, Ctrl+X, Ctrl+V', 'copy, cut, paste; with Shift values alone'],
      ['Ctrl+B, I, U, 5', 'bold, italic, underline, strike'],
      ['Ctrl+Shift+1 to 6', 'number formats'],
      ['Ctrl+D, Ctrl+R', 'fill down, fill to the right'],
      ['Ctrl+plus, Ctrl+minus', 'insert, delete the lines selected'],
      ['Ctrl+F, Ctrl+H', 'find and replace'],
      ['Ctrl+Shift+L', 'filter rows by the values of a column'],
      ['Ctrl+`', 'show formulas, or values again'],
      ['Ctrl+G, F5', 'go to a cell'],
      ['Shift+F2', 'note of the cell'],
      ['Ctrl+Alt+M', 'comments of the cell, and who wrote it'],
      ['Shift+F10', 'menu of the selected cells'],
      ['Ctrl+Z, Ctrl+Y', 'undo, redo'],
    ],
  ],
  ['Compare', [['J, K, Enter', 'the next change, the one before, to its cells']]],
  [
    'Review a merge',
    [
      ['J, K', 'next, previous conflict'],
      ['O, T, B', 'take ours, theirs, base'],
      ['Shift+O, T, B', 'take it for all that are open'],
      ['U, Y', 'take that back, go to the approval'],
      ['V', 'the target and what the merge makes of it in one grid'],
    ],
  ],
];

/** Dialog with all keys; on a Mac, Ctrl means the command key. */
export default function KeyHelp({ onClose }: { onClose: () => void }) {
  const { attributes } = useModal(onClose);
  const [hasLetters, setHasLetters] = useState(areLettersCommands);
  return (
    <dialog {...attributes} class="key-help" aria-labelledby="key-help-title">
      <form method="dialog" class="actions">
        <h2 id="key-help-title">Keys</h2>
        <button type="submit" class="second">
          Close
        </button>
      </form>
      <div class="columns">
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p>
        <label>
          <input
            type="checkbox"
            checked={hasLetters}
            onChange={({ currentTarget: { checked } }) => {
              setLettersCommands(checked);
              setHasLetters(checked);
            }}
          />{' '}
          Letters alone are commands where changes and conflicts are listed
        </label>
      </p>
      <p class="quiet">On a Mac it is the command key in the place of Ctrl.</p>
    </dialog>
  );
}
