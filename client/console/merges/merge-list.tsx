import { useEffect, useRef, useState } from 'preact/hooks';

import { positionText, type Position } from '../address.ts';
import { ColumnHeads } from '../shell/column-heads.tsx';
import { useShell } from '../shell/context.ts';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { RelativeTime } from '../shell/relative-time.tsx';
import { isOver, type MergeView } from './review.ts';
import { stateText } from './words.ts';

/** A merge as a list has it. */
export interface MergeRow {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly state: string;
  readonly source: Position;
  readonly target: Position;
  readonly createdAt: string;
}

interface ListParts {
  readonly book: string;
  readonly merges: readonly MergeRow[];
  /** Another object whenever the list was loaded, so that details are loaded again. */
  readonly round: unknown;
}

const columns = ['Merge', 'State', 'From', 'Into', 'Proposed by', 'Open conflicts', 'Approvals'];

/** Merges with what keeps them from being applied, which is loaded for those in sight. */
export function MergeList({ book, merges, round }: ListParts) {
  return (
    <div class="scrolling">
      <table class="merges">
        <ColumnHeads names={columns} />
        <tbody>
          {merges.map((merge) => (
            <MergeLine key={merge.id} {...{ book, merge, round }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LineParts extends Omit<ListParts, 'merges'> {
  readonly merge: MergeRow;
}

function MergeLine({ book, merge, round }: LineParts) {
  const { id, title, description, state, source, target, createdAt } = merge;
  const [line, isSeen] = useSeen();
  const { service } = useShell();
  const { value } = useLoaded(
    async (signal) =>
      isSeen ? service.ask<MergeView>(`/v1/workbooks/${book}/merges/${id}`, { signal }) : undefined,
    [book, id, isSeen, round],
  );
  return (
    <tr ref={line}>
      <td>
        <ScreenLink to={{ name: 'review', book, merge: id }}>{title}</ScreenLink>
        {description !== '' && <div class="quiet first-line">{description}</div>}
      </td>
      <td>
        <span class={`state ${value?.state ?? state}`}>{stateText(value?.state ?? state)}</span>
      </td>
      <td>
        <code>{positionText(source)}</code>
      </td>
      <td>
        <code>{positionText(target)}</code>
      </td>
      <td>
        {value?.timeline.find(({ event }) => event === 'created')?.by}{' '}
        <span class="quiet">
          <RelativeTime at={createdAt} />
        </span>
      </td>
      <td>{value && openText(value)}</td>
      <td>{value && approvalText(value)}</td>
    </tr>
  );
}

/** Returns a reference for an element, and whether the element has been in sight. */
function useSeen() {
  const line = useRef<HTMLTableRowElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!line.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(line.current);
    return () => observer.disconnect();
  }, []);
  return [line, isSeen] as const;
}

function openText(view: MergeView): string {
  const counts = view.summary?.conflicts;
  if (isOver(view) || !counts) return '';
  const { open, resolved } = counts;
  return `${open.toLocaleString()} of ${(open + resolved).toLocaleString()}`;
}

/** Returns how many approvals an open merge has, and who approved a closed one. */
function approvalText(view: MergeView): string {
  const { policy, timeline } = view;
  if (!isOver(view) && policy) {
    const { approvals, required } = policy;
    return required === 0 ? 'none needed' : `${approvals} of ${required}`;
  }
  const names = timeline.filter(({ event }) => event === 'approved').map(({ by }) => by);
  return [...new Set(names)].join(', ');
}
