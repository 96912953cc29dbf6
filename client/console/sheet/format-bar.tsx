import type { Selection } from '../grid/selection.ts';
import { Menu } from '../shell/menu.tsx';
import { ChoiceField } from './choice-field.tsx';
import { FileMenu } from './file-menu.tsx';
import { placeOf, runCommand, setStyle, sheetCommands, type SheetCommand } from './commands.ts';
import type { PanelName } from './panels.tsx';
import type { SheetSession } from './sheet-session.ts';

interface BarParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  readonly onDone: () => void;
  readonly onOpen: (name: PanelName) => void;
}

const quick: readonly (readonly [label: string, sign: string, member: string])[] = [
  ['Bold', 'B', 'bold'],
  ['Italic', 'I', 'italic'],
  ['Underline', 'U', 'underline'],
  ['Strike through', 'S', 'strike'],
];

const undoes = [
  ['Undo', false],
  ['Redo', true],
] as const;

const menus = ['Format', 'Insert', 'Data'] as const;
const fills = ['', '#FFF2CC', '#E2F0D9', '#DDEBF7', '#FCE4D6', '#EADCF4', '#D9D9D9'];

/** Toolbar for selected cells: common formats, and three menus. */
export function FormatBar({ session, selection, onDone, onOpen }: BarParts) {
  const isLocked = session.lockedBecause !== undefined;
  const place = placeOf(session, selection);
  const { style } = place;
  const run = (command: SheetCommand | undefined) => {
    // A panel returns the focus itself.
    if (command?.panel) return onOpen(command.panel);
    if (command) void runCommand(command, place);
    onDone();
  };
  return (
    <div class="format-bar" role="toolbar" aria-label="Format">
      <FileMenu session={session} />
      <Undoes session={session} isLocked={isLocked} onDone={onDone} />
      {quick.map(([label, sign, member]) => (
        <button
          key={label}
          type="button"
          class={`tool ${member}`}
          aria-label={label}
          title={label}
          aria-pressed={Object.hasOwn(style, member)}
          disabled={isLocked}
          onClick={() => run(sheetCommands.find((command) => command.label === label))}
        >
          {sign}
        </button>
      ))}
      <select
        aria-label="Number format"
        disabled={isLocked}
        value=""
        onChange={({ currentTarget }) => {
          run(sheetCommands.find(({ label }) => label === currentTarget.value));
          currentTarget.value = '';
        }}
      >
        <option value="">{style.numberFormat ?? '123'}</option>
        {sheetCommands
          .filter(({ label }) => label.startsWith('Number: '))
          .map(({ label }) => (
            <option key={label} value={label}>
              {label.slice('Number: '.length)}
            </option>
          ))}
      </select>
      <span class="swatches" role="group" aria-label="Fill">
        {fills.map((colour) => (
          <button
            key={colour}
            type="button"
            class="swatch"
            style={{ background: colour === '' ? 'none' : colour }}
            aria-label={colour === '' ? 'No fill' : `Fill ${colour}`}
            disabled={isLocked}
            onClick={() => {
              setStyle(place, { fill: colour === '' ? null : colour });
              onDone();
            }}
          />
        ))}
      </span>
      <ChoiceField session={session} active={selection.active} onDone={onDone} />
      {menus.map((menu) => (
        <CommandMenu key={menu} name={menu} isLocked={isLocked} onRun={run} onLeave={onDone} />
      ))}
      <Openers isLocked={isLocked} onOpen={onOpen} />
    </div>
  );
}

interface OpenerParts {
  readonly isLocked: boolean;
  readonly onOpen: (name: PanelName) => void;
}

function Openers({ isLocked, onOpen }: OpenerParts) {
  return (
    <>
      <button type="button" class="tool" disabled={isLocked} onClick={() => onOpen('note')}>
        Note
      </button>
      <button
        type="button"
        class="tool"
        aria-label="Comments, who wrote it"
        onClick={() => onOpen('beside')}
      >
        Comments
      </button>
      <button type="button" class="tool" disabled={isLocked} onClick={() => onOpen('filter')}>
        Filter
      </button>
      <button type="button" class="tool" onClick={() => onOpen('find')}>
        Find and replace
      </button>
    </>
  );
}

interface UndoParts extends Pick<BarParts, 'session' | 'onDone'> {
  readonly isLocked: boolean;
}

function Undoes({ session, isLocked, onDone }: UndoParts) {
  return (
    <>
      {undoes.map(([label, isRedo]) => (
        <button
          key={label}
          type="button"
          class="tool"
          disabled={isLocked}
          onClick={() => {
            session.undo(isRedo);
            onDone();
          }}
        >
          {label}
        </button>
      ))}
    </>
  );
}

interface MenuParts {
  readonly name: (typeof menus)[number];
  readonly isLocked: boolean;
  readonly onRun: (command: SheetCommand) => void;
  readonly onLeave: () => void;
}

function CommandMenu({ name, isLocked, onRun, onLeave }: MenuParts) {
  const commands = sheetCommands.filter(({ menu }) => menu === name);
  return (
    <Menu place="left" title={name} onLeave={onLeave}>
      {(close) =>
        commands.map((command) => (
          <button
            key={command.label}
            type="button"
            class="line"
            disabled={isLocked && command.isReading !== true}
            onClick={() => {
              close();
              onRun(command);
            }}
          >
            <span>{command.label}</span>
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </button>
        ))
      }
    </Menu>
  );
}
