import { useLayoutEffect, useState } from 'preact/hooks';

import type { Beside } from '../address.ts';
import type { HistoryFilter } from '../history/history-filters.tsx';
import { HistoryPanel } from '../history/history-panel.tsx';
import type { Selection } from '../grid/selection.ts';
import { useShell } from '../shell/context.ts';
import { CellPanel } from './cell-panel.tsx';
import type { PanelName } from './panels.tsx';
import type { SheetSession } from './sheet-session.ts';
import type { SheetAddress } from './use-grid.ts';

export interface BesideState {
  /** Shows the panel of the cell, and moves to its comments. */
  readonly comment: () => void;
  readonly close: () => void;
}

/** Keeps the panel in the address, so that it stays when the position changes. */
export function useBeside(focus: () => void): BesideState {
  const { change } = useShell();
  const [wanted, setWanted] = useState(0);
  // The next key is for the comment, not for the cell.
  useLayoutEffect(() => {
    if (wanted > 0) document.querySelector<HTMLElement>('.beside textarea')?.focus();
  }, [wanted]);
  const show = (name: Beside | undefined) => {
    change((now) => {
      if (now.name !== 'sheet') return now;
      const { beside: _former, ...place } = now;
      return name === undefined ? place : { ...place, beside: name };
    });
  };
  const close = () => {
    show(undefined);
    focus();
  };
  return {
    comment: () => {
      show('cell');
      setWanted((count) => count + 1);
    },
    close,
  };
}

interface PanelParts {
  readonly screen: SheetAddress;
  readonly session: SheetSession;
  readonly selection: Selection;
  readonly filter: HistoryFilter;
  readonly onOpen: (name: PanelName) => void;
  readonly onClose: () => void;
}

export function BesidePanel(parts: PanelParts) {
  const { screen, session, selection, filter, onOpen, onClose } = parts;
  if (screen.beside === 'history') {
    const isLocked = session.lockedBecause !== undefined;
    return (
      <HistoryPanel
        {...{ screen, isLocked, filter, onClose }}
        head={session.head}
        selection={selection}
      />
    );
  }
  if (screen.beside !== 'cell') return null;
  const note = () => onOpen('note');
  return <CellPanel session={session} at={selection.active} onNote={note} onClose={onClose} />;
}
