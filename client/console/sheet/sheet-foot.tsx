import type { ComponentChildren } from 'preact';

import { rangesOf, type Selection } from '../grid/selection.ts';
import type { SheetSession } from './sheet-session.ts';
import { StatusLine } from './status-line.tsx';
import { Tabs } from './tabs.tsx';

interface FootParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  /** Somebody goes to another sheet, and goes on in its cells. */
  readonly onLead: (way: Promise<void>) => void;
  /** Somebody goes on in the cells. */
  readonly onLeave: () => void;
  /** What stands at the end. */
  readonly children: ComponentChildren;
}

/** Tabs of the sheets, and what the selected cells add up to. */
export function SheetFoot({ session, selection, onLead, onLeave, children }: FootParts) {
  return (
    <div class="foot">
      <Tabs session={session} onLead={onLead} onLeave={onLeave} />
      <StatusLine session={session} ranges={rangesOf(selection)} />
      {children}
    </div>
  );
}
