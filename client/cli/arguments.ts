import type { Command } from './commands.ts';
import { exitCodes, Stop } from './stop.ts';

/** Fails when a command has more arguments than its usage names, so that none is ignored. */
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

/** Returns the number of arguments that a usage names; of alternatives the first is the longest. */
export function argumentsMost(usage: string): number {
  if (usage.includes('...')) return Infinity;
  const places = usage
    .replaceAll(/\[-[^\]]*\]/gu, '')
    .replaceAll(/<[^>]*>/gu, 'x')
    .replaceAll(/\s\|\s\S+/gu, '');
  return places.split(/\s+/u).filter((place) => /\w/u.test(place)).length;
}
