import { useEffect, useState } from 'preact/hooks';

import { cssColour } from '../grid/colours.ts';
import { Menu } from '../shell/menu.tsx';
import type { Color } from '../store/block-store.ts';
import { DeleteSheet } from './delete-sheet.tsx';
import type { SheetOutline } from './sheet-loading.ts';
import type { SheetSession } from './sheet-session.ts';

interface TabParts {
  readonly session: SheetSession;
  /** Called when another sheet is shown, with the promise of that. */
  readonly onLead: (way: Promise<void>) => void;
}

interface TabsParts extends TabParts {
  /** Called when the focus should return to the cells. */
  readonly onLeave: () => void;
}

/** Tabs of the sheets; that of the sheet in view has a menu. */
export function Tabs({ session, onLead, onLeave }: TabsParts) {
  const isLocked = session.lockedBecause !== undefined;
  const [added, setAdded] = useState<string>();
  const [unwanted, setUnwanted] = useState<SheetOutline>();
  /** Sheet whose menu was requested, and how often. */
  const [asked, setAsked] = useState({ id: '', count: 0 });
  const isAsked = asked.id === session.sheet?.id;
  useEffect(() => {
    // A sheet that was added here is shown as soon as it exists.
    if (added === undefined || !session.sheets.some(({ name }) => name === added)) return;
    setAdded(undefined);
    onLead(session.choose(added));
  }, [added, session.sheets]);
  const add = (copyOf?: SheetOutline) => {
    const name = freeName(session, copyOf?.name ?? 'Sheet');
    const index = session.sheets.findIndex(({ id }) => id === session.sheet?.id) + 1;
    const place = { name, index, ...(copyOf && { copyOf: copyOf.id }) };
    session.hand({ kind: 'sheet.add', payload: place });
    setAdded(name);
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label="Sheets">
        {session.tabs.map((sheet) => (
          <Tab
            key={sheet.id}
            sheet={sheet}
            session={session}
            onLead={onLead}
            onAsk={() => setAsked(({ count }) => ({ id: sheet.id, count: count + 1 }))}
          />
        ))}
      </div>
      {!isLocked && session.sheet && (
        <TabMenu
          key={`${session.sheet.id} ${isAsked ? asked.count : 0}`}
          isAsked={isAsked}
          session={session}
          sheet={session.sheet}
          onCopy={add}
          onDelete={setUnwanted}
          onLeave={onLeave}
        />
      )}
      {!isLocked && (
        <button type="button" class="tool" onClick={() => add()} aria-label="Add a sheet">
          +
        </button>
      )}
      {unwanted && (
        <DeleteSheet
          session={session}
          sheet={unwanted}
          onClose={() => {
            setUnwanted(undefined);
            onLeave();
          }}
        />
      )}
    </div>
  );
}

interface OneTab extends TabParts {
  readonly sheet: SheetOutline;
  /** Called to open the menu of the sheet. */
  readonly onAsk: () => void;
}

function Tab({ sheet: { id, name, properties }, session, onLead, onAsk }: OneTab) {
  const colour = cssColour(properties['tabColor'] as Color | undefined, session.themeColors);
  return (
    <button
      type="button"
      role="tab"
      aria-selected={id === session.sheet?.id}
      style={colour === undefined ? {} : { boxShadow: `inset 0 -3px ${colour}` }}
      onClick={(event) => {
        const way = session.choose(name);
        // After a mouse click the focus goes to the cells, after a key it stays on the tabs.
        if (event.detail > 0) onLead(way);
      }}
      onDblClick={onAsk}
      onContextMenu={(event) => {
        event.preventDefault();
        onLead(session.choose(name));
        onAsk();
      }}
    >
      {name}
    </button>
  );
}

interface MenuParts {
  readonly session: SheetSession;
  readonly sheet: SheetOutline;
  readonly onCopy: (sheet: SheetOutline) => void;
  /** Called to delete a sheet, after a confirmation. */
  readonly onDelete: (sheet: SheetOutline) => void;
  /** Called when the focus should return to the cells. */
  readonly onLeave: () => void;
  readonly isAsked: boolean;
}

const colours = [
  ['No colour', null],
  ['Red', '#C0504D'],
  ['Orange', '#F79646'],
  ['Yellow', '#E5B700'],
  ['Green', '#4F8F3A'],
  ['Blue', '#4F81BD'],
  ['Purple', '#8064A2'],
] as const;

/** Menu of actions on a whole sheet. */
function TabMenu(parts: MenuParts) {
  return (
    <Menu
      place="up"
      label={`Menu of the sheet ${parts.sheet.name}`}
      title={<span class="down" />}
      isAsked={parts.isAsked}
      onLeave={parts.onLeave}
    >
      {(close) => <TabLines {...parts} close={close} />}
    </Menu>
  );
}

function TabLines(parts: MenuParts & { readonly close: () => void }) {
  const { session, sheet, onCopy, onDelete, onLeave, close } = parts;
  const { id, name, properties } = sheet;
  const at = session.sheets.findIndex((one) => one.id === id);
  const shown = session.tabs;
  const place = shown.findIndex((one) => one.id === id);
  const run = (kind: string, payload: Readonly<Record<string, unknown>>) => () => {
    session.hand({ kind, payload: { sheet: id, ...payload } });
    close();
    onLeave();
  };
  const beside = (by: 1 | -1) =>
    session.sheets.findIndex((one) => one.id === shown[place + by]?.id);
  const item = (label: string, act: () => void, isOff = false) => (
    <button type="button" class="line" disabled={isOff} onClick={act}>
      {label}
    </button>
  );
  return (
    <>
      <Rename name={name} onRename={(to) => run('sheet.rename', { name: to })()} />
      {item('Duplicate', () => {
        close();
        onCopy(sheet);
      })}
      {item('Move to the left', run('sheet.move', { index: beside(-1) }), place <= 0)}
      {item(
        'Move to the right',
        run('sheet.move', { index: beside(1) }),
        at < 0 || place >= shown.length - 1,
      )}
      {item(
        properties['rtl'] === true ? 'Columns from left to right' : 'Columns from right to left',
        run('sheet.props', { rtl: properties['rtl'] === true ? null : true }),
      )}
      {item('Hide', run('sheet.props', { hidden: true }), shown.length < 2)}
      {item(
        'Delete…',
        () => {
          close();
          onDelete(sheet);
        },
        shown.length < 2,
      )}
      <div class="swatches" role="group" aria-label="Colour of the tab">
        {colours.map(([label, colour]) => (
          <button
            key={label}
            type="button"
            class="swatch"
            aria-label={label}
            title={label}
            style={{ background: colour ?? 'none' }}
            onClick={run('sheet.props', { tabColor: colour })}
          />
        ))}
      </div>
      <Hidden
        session={session}
        onDone={() => {
          close();
          onLeave();
        }}
      />
    </>
  );
}

function Rename({ name, onRename }: { name: string; onRename: (name: string) => void }) {
  const [typed, setTyped] = useState(name);
  const send = (event: Event) => {
    event.preventDefault();
    const wanted = typed.trim();
    if (wanted !== '' && wanted !== name) onRename(wanted);
  };
  return (
    <form class="actions" onSubmit={send}>
      <input
        aria-label="Name of the sheet"
        value={typed}
        size={14}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit" class="second">
        Rename
      </button>
    </form>
  );
}

/** Hidden sheets, each of which can be shown again. */
function Hidden({ session, onDone }: { session: SheetSession; onDone: () => void }) {
  const hidden = session.sheets.filter(({ properties }) => properties['hidden'] !== undefined);
  return (
    <>
      {hidden.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          class="line"
          onClick={() => {
            session.hand({ kind: 'sheet.props', payload: { sheet: id, hidden: null } });
            onDone();
          }}
        >
          Show “{name}” again
        </button>
      ))}
    </>
  );
}

/** Returns the first free sheet name: `Sheet2`, `Plan 2`. */
function freeName({ sheets }: SheetSession, wanted: string): string {
  const taken = new Set(sheets.map(({ name }) => name.toLowerCase()));
  const gap = wanted === 'Sheet' ? '' : ' ';
  for (let number = 2; ; number++) {
    const name = `${wanted.slice(0, 27)}${gap}${number}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}
