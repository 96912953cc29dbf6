import t from 'tap';
import { readSources, valueImportsOf } from './support/sources.ts';

/**
 * The rooms of `server/state`, each of which imports values only of rooms before it. Files at its
 * root are the door: they stand where they are listed.
 */
const stateRooms: readonly string[] = [
  'ids',
  'nodes',
  'structure',
  'formulas',
  'cells',
  'tree',
  'records',
  'plan',
  'references',
  'operations',
  'tables',
  '.',
  'compare',
  'diff',
  'merge',
  'admission.ts',
  'undo',
];

/** Where a file of `server/state` stands among its rooms; undefined for other files. */
function roomOf(path: string): number | undefined {
  const inside = /^server\/state\/((?:([^/]+)\/)?.*)$/.exec(path);
  if (!inside) return undefined;
  const [, file = '', folder = '.'] = inside;
  return stateRooms.includes(file) ? stateRooms.indexOf(file) : stateRooms.indexOf(folder);
}

const sources = await readSources();

t.test('values go down the rooms of the state', async (t) => {
  for (const source of sources) {
    const own = roomOf(source.path);
    if (own === undefined) continue;
    t.not(own, -1, `${source.path} has a room`);
    const wrong = valueImportsOf(source).filter((target) => (roomOf(target) ?? -1) > own);
    t.same(wrong, [], `${source.path} imports values only of rooms before its own`);
  }
});
