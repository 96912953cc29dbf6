import type { Range } from '../../../server/model/range.ts';
import type { SheetSession } from './sheet-session.ts';
import { StatusLine } from './status-line.tsx';

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

function Tabs({ session, onLead }: Pick<FootParts, 'session' | 'onLead'>) {
  return (
    <div class="tabs" role="tablist" aria-label="Sheets">
      {session.tabs.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === session.sheet?.id}
          onClick={(event) => {
            const way = session.choose(name);
            // Somebody who comes by mouse goes on in the cells, by keys among the tabs.
            if (event.detail > 0) onLead(way);
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
