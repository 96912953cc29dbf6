import type { ComponentChildren } from 'preact';

import type { Selection } from '../grid/selection.ts';
import { Menu } from '../shell/menu.tsx';
import { ChoiceField } from './choice-field.tsx';
import { FileMenu } from './file-menu.tsx';
import { placeOf, runCommand, setStyle, type CommandPlace, type SheetCommand } from './command.ts';
import { sheetCommands } from './commands.ts';
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

const menus = ['Format', 'Insert', 'Lines', 'Data'] as const;
const numbers = 'Number: ';
const inks = ['', '#C00000', '#C55A11', '#7F6000', '#385723', '#1F4E79', '#7030A0'];
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
          .filter(({ label }) => label.startsWith(numbers))
          .map(({ label }) => (
            <option key={label} value={label}>
              {label.slice(numbers.length)}
            </option>
          ))}
      </select>
      <Swatches {...{ place, isLocked, onDone }} of="fill" colours={fills} />
      <ChoiceField session={session} active={selection.active} onDone={onDone} />
      {menus.map((menu) => (
        <CommandMenu key={menu} name={menu} isLocked={isLocked} onRun={run} onLeave={onDone}>
          {menu === 'Format' && (
            <Swatches {...{ place, isLocked, onDone }} of="color" colours={inks} />
          )}
        </CommandMenu>
      ))}
      <Openers isLocked={isLocked} onOpen={onOpen} />
    </div>
  );
}

interface SwatchParts extends Pick<BarParts, 'onDone'> {
  readonly place: CommandPlace;
  readonly isLocked: boolean;
  readonly of: 'fill' | 'color';
  /** Colours, of which the empty one takes the colour away. */
  readonly colours: readonly string[];
}

/** Buttons for the fill, or the colour of the texts, of the selected cells. */
function Swatches({ place, isLocked, of, colours, onDone }: SwatchParts) {
  const name = of === 'fill' ? 'Fill' : 'Text colour';
  return (
    <span class="swatches" role="group" aria-label={name}>
      {colours.map((colour) => (
        <button
          key={colour}
          type="button"
          class="swatch"
          style={{ background: colour === '' ? 'none' : colour }}
          aria-label={colour === '' ? `No ${name.toLowerCase()}` : `${name} ${colour}`}
          title={colour === '' ? `No ${name.toLowerCase()}` : `${name} ${colour}`}
          disabled={isLocked}
          onClick={() => {
            setStyle(place, { [of]: colour === '' ? null : colour });
            onDone();
          }}
        />
      ))}
    </span>
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
  /** Shown before the commands. */
  readonly children?: ComponentChildren;
}

function CommandMenu({ name, isLocked, onRun, onLeave, children }: MenuParts) {
  const commands = sheetCommands.filter(({ menu }) => menu === name);
  return (
    <Menu place="left" title={name} onLeave={onLeave}>
      {(close) => (
        <>
          {children}
          {commands.map((command) => (
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
          ))}
        </>
      )}
    </Menu>
  );
}
