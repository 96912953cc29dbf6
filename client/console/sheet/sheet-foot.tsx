import { rangesOf, type Selection } from '../grid/selection.ts';
import type { SheetSession } from './sheet-session.ts';
import { StatusLine } from './status-line.tsx';
import { Tabs } from './tabs.tsx';
import type { Navigation } from './navigation.ts';
import { ZoomControl } from './zoom-control.tsx';

interface FootParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  /** Zoom factor. */
  readonly zoom: number;
  readonly navigation: Pick<Navigation, 'lead' | 'zoomTo'>;
  /** Called when the focus should return to the cells. */
  readonly onLeave: () => void;
}

/** Tabs of the sheets, totals of the selection, and the zoom. */
export function SheetFoot({ session, selection, zoom, navigation, onLeave }: FootParts) {
  return (
    <div class="foot">
      <Tabs session={session} onLead={navigation.lead} onLeave={onLeave} />
      <StatusLine session={session} ranges={rangesOf(selection)} />
      <ZoomControl zoom={zoom} onZoom={navigation.zoomTo} />
    </div>
  );
}
