import type { Hello } from './client-messages.ts';

/** The messages that a socket has asked for. */
export interface Wants {
  readonly ops: boolean;
  readonly presence: boolean;
  readonly cell_activity: 'viewport' | 'all' | 'none';
  readonly ownOps: 'ack' | 'full';
}

export const defaultWants: Wants = {
  ops: true,
  presence: true,
  cell_activity: 'viewport',
  ownOps: 'ack',
};

export function wantsOf({ want = {} }: Pick<Hello, 'want'>): Wants {
  const given = Object.entries(want).filter(([, value]) => value !== undefined);
  return { ...defaultWants, ...Object.fromEntries(given) };
}

export function streamWants({ ops, ownOps }: Wants) {
  return { ops, hasOwnOps: ownOps === 'full' };
}
