import type { Range } from '../../../server/model/range.ts';
import type { SheetSession } from './sheet-session.ts';
import { StatusLine } from './status-line.tsx';
import { Tabs } from './tabs.tsx';

interface FootParts {
  readonly session: SheetSession;
  readonly range: Range;
  /** Somebody goes to another sheet, and goes on in its cells. */
  readonly onLead: (way: Promise<void>) => void;
}

/** Tabs of the sheets, and what the selected cells add up to. */
export function SheetFoot({ session, range, onLead }: FootParts) {
  return (
    <div class="foot">
      <Tabs session={session} onLead={onLead} />
      <StatusLine session={session} range={range} />
    </div>
  );
}
