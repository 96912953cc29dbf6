import type { Command } from './commands.ts';
import { exitCodes, Stop } from './stop.ts';

/** Fails where a command is given more than its usage names: nothing that is said is passed over. */
export function checkArguments(
  { name, arguments: usage }: Pick<Command, 'name' | 'arguments'>,
  args: readonly string[],
): void {
  const extra = args[argumentsMost(usage)];
  if (extra === undefined) return;
  throw new Stop(
    exitCodes.usage,
    `${extra} is one argument too many. Usage: quire ${name} ${usage}`.trimEnd(),
  );
}

/** Arguments that a usage names; of ways with a bar between them the first one is the longest. */
export function argumentsMost(usage: string): number {
  if (usage.includes('...')) return Infinity;
  const places = usage
    .replaceAll(/\[-[^\]]*\]/gu, '')
    .replaceAll(/<[^>]*>/gu, 'x')
    .replaceAll(/\s\|\s\S+/gu, '');
  return places.split(/\s+/u).filter((place) => /\w/u.test(place)).length;
}
