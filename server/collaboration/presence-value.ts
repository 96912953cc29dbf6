import { isObject } from '../model/plain-json.ts';
import type { PresencePatch } from './client-messages.ts';
import { socketLimits } from './limits.ts';

/** A presence as others see it. */
export interface PresenceValue {
  readonly sheet?: string;
  readonly cell?: string;
  readonly ranges?: readonly string[];
  readonly viewport?: { readonly sheet: string; readonly range: string };
  readonly editing?: { readonly cell: string; readonly draft?: string };
  readonly status?: 'active' | 'idle';
  readonly label?: string;
  readonly color?: string;
}

type Members = Readonly<Record<string, unknown>>;

/** Members of members: those that cannot be missing, and those that can. */
const inner: Readonly<
  Record<string, { required: readonly string[]; optional: readonly string[] }>
> = {
  viewport: { required: ['sheet', 'range'], optional: [] },
  editing: { required: ['cell'], optional: ['draft'] },
};

/** Applies a merge patch (RFC 7396); returns what is wrong with the outcome, if anything. */
export function patched(value: PresenceValue, patch: PresencePatch): PresenceValue | string {
  const merged = mergedMembers(value as Members, patch);
  for (const [name, { required }] of Object.entries(inner)) {
    const held = merged[name];
    const missing = isObject(held) ? required.find((member) => !(member in held)) : undefined;
    if (missing !== undefined) return `presence/${name}: it has no ${missing}`;
  }
  const isTooLarge = Buffer.byteLength(JSON.stringify(merged)) > socketLimits.presenceBytes;
  return isTooLarge ? `a presence has at most ${socketLimits.presenceBytes} bytes` : merged;
}

function mergedMembers(value: Members, patch: Members): Members {
  const merged: Record<string, unknown> = { ...value };
  for (const [name, member] of Object.entries(patch)) {
    if (member === null) delete merged[name];
    else if (isObject(member)) {
      const held = merged[name];
      merged[name] = mergedMembers(isObject(held) ? held : {}, member);
    } else if (member !== undefined) merged[name] = member;
  }
  return merged;
}

/**
 * Returns a patch for others that waits to be sent, with what a client has patched since. Members
 * with members come whole, with null for what others may still know of, so that whoever replaces
 * them and whoever merges them has the same.
 */
export function toldPatch(
  waiting: Members,
  patch: PresencePatch,
  { before, after }: { readonly before: PresenceValue; readonly after: PresenceValue },
): Members {
  const told: Record<string, unknown> = { ...waiting };
  for (const [name, member] of Object.entries(patch)) {
    if (member === undefined) continue;
    const now = (after as Members)[name] ?? null;
    const known = [(before as Members)[name], waiting[name]];
    told[name] = isObject(now) ? { ...cleared(name, known), ...now } : now;
  }
  return told;
}

/** Returns null for each member that others may know of; after a null there may be any. */
function cleared(name: string, known: readonly unknown[]): Members {
  const optional = inner[name]?.optional ?? [];
  const gone = optional.filter((member) =>
    known.some((was) => was === null || (isObject(was) && member in was)),
  );
  return Object.fromEntries(gone.map((member) => [member, null]));
}
