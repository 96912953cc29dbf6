import { rangesOf, type Selection } from '../grid/selection.ts';
import type { SheetSession } from './sheet-session.ts';
import { StatusLine } from './status-line.tsx';
import { Tabs } from './tabs.tsx';
import type { Navigation } from './navigation.ts';
import { ZoomControl } from './zoom-control.tsx';

interface FootParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  /** The size of cells in parts of their usual one. */
  readonly zoom: number;
  readonly navigation: Pick<Navigation, 'lead' | 'zoomTo'>;
  /** Somebody goes on in the cells. */
  readonly onLeave: () => void;
}

/** Tabs of the sheets, what the selected cells add up to, and how large cells are. */
export function SheetFoot({ session, selection, zoom, navigation, onLeave }: FootParts) {
  return (
    <div class="foot">
      <Tabs session={session} onLead={navigation.lead} onLeave={onLeave} />
      <StatusLine session={session} ranges={rangesOf(selection)} />
      <ZoomControl zoom={zoom} onZoom={navigation.zoomTo} />
    </div>
  );
}
