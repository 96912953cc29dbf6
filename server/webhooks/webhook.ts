/** The events that a webhook can be told of. */
export const eventTypes = [
  'operations.applied',
  'merge.applied',
  'commit.created',
  'branch.created',
  'branch.deleted',
  'workbook.archived',
  'workbook.restored',
] as const;

export type EventType = (typeof eventTypes)[number];

export interface Webhook {
  readonly id: string;
  readonly workbookId: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly disabledBecause: string | null;
}

/** Something that is to be sent, or was. */
export interface Delivery {
  readonly id: string;
  readonly type: EventType;
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly madeAt: Date;
  readonly at: Date;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

/** A delivery that is not made yet. */
export interface Event {
  readonly type: EventType;
  /** JSON, as it is signed and sent. */
  readonly body: string;
}
