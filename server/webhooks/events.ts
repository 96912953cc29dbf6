import type { JournalRecord } from '../branches/record.ts';
import type { Payload } from '../model/operation.ts';
import type { Event, EventType } from './webhook.ts';

export interface Place {
  readonly workbookId: string;
  readonly branch: string;
}

/** Returns the events, of the wanted types, for operations that follow one another. */
export function eventsOf(
  records: readonly JournalRecord[],
  place: Place,
  wanted: ReadonlySet<EventType>,
): Event[] {
  const events: Event[] = [];
  if (wanted.has('operations.applied')) events.push(operationsApplied(records, place));
  for (const record of records) {
    if (record.kind === 'merge' && wanted.has('merge.applied')) {
      const { mid: merge } = record.payload as Payload<'merge'>;
      events.push(eventAt('merge.applied', record, { ...named(place), merge }));
    }
    if (record.kind === 'commit' && wanted.has('commit.created')) {
      const { message, tag } = record.payload as Payload<'commit'>;
      events.push(eventAt('commit.created', record, { ...named(place), message, tag }));
    }
  }
  return events;
}

/** Makes an event without payloads, which receivers read from the journal. */
function operationsApplied(records: readonly JournalRecord[], place: Place): Event {
  const [first, last] = [records[0], records.at(-1)];
  if (!first || !last) throw new Error('there is nothing to tell');
  const operations = records.map(({ seq, id, kind, writer, principalId, at }) => {
    return { seq, id, kind, writer, principal: principalId, at: timeOf(at) };
  });
  const branch = encodeURIComponent(place.branch);
  const query = `after=${first.seq - 1}&limit=${records.length}`;
  const journal = `/v1/workbooks/${place.workbookId}/branches/${branch}/ops?${query}`;
  const data = { ...named(place), firstSeq: first.seq, lastSeq: last.seq, operations, journal };
  return event('operations.applied', last.at, data);
}

function eventAt(type: EventType, { seq, principalId, at }: JournalRecord, data: object): Event {
  return event(type, at, { ...data, seq, principal: principalId });
}

export function event(type: EventType, at: number, data: object): Event {
  return { type, body: JSON.stringify({ type, timestamp: timeOf(at), data }) };
}

export function named({ workbookId, branch }: Place): object {
  return { workbook: workbookId, branch };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
