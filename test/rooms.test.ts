import t from 'tap';
import { importsOf, readSources, valueImportsOf, type Source } from './support/sources.ts';

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
  'sharing',
  'compare',
  'diff',
  'merge',
  'outcome',
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

/** Most files of the kernel that import one another in a circle; the number may only fall. */
const circleFilesMost = 20;

t.test('the functions of the kernel are in no circle with what runs them', async (t) => {
  const kernel = sources.filter(({ path }) => path.startsWith('assembly/'));
  const circles = circlesOf(kernel);
  for (const circle of circles) {
    const folders = circle.map((path) => path.split('/')[1]);
    t.notOk(folders.includes('functions'), `functions are in no circle: ${circle.join(' ')}`);
    t.ok(circle.length <= circleFilesMost, `${circle.length} files import one another`);
  }
  const engine = ['assembly/formula/', 'assembly/vm/', 'assembly/graph/', 'assembly/grid/'];
  for (const source of kernel) {
    if (!engine.some((folder) => source.path.startsWith(folder))) continue;
    const known = importsOf(source).filter((path) => path.startsWith('assembly/functions/'));
    const others = known.filter((path) => path !== 'assembly/functions/function-record');
    t.same(others, [], `${source.path} knows of functions only what their records say`);
  }
});

/** Returns the sets of files that reach one another by imports, of two files or more. */
function circlesOf(files: readonly Source[]): string[][] {
  const targets = new Map(
    files.map((source) => [source.path, importsOf(source).map((path) => `${path}.ts`)]),
  );
  const reached = new Map([...targets.keys()].map((path) => [path, reachOf(path, targets)]));
  const circles = new Map<string, string[]>();
  for (const [path, reach] of reached) {
    if (!reach.has(path)) continue;
    const circle = [...reach].filter((other) => reached.get(other)?.has(path)).toSorted();
    if (circle.length > 1) circles.set(circle.join(' '), circle);
  }
  return [...circles.values()];
}

function reachOf(from: string, targets: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reach = new Set<string>();
  const waiting = [from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const target of targets.get(path) ?? []) {
      if (reach.has(target)) continue;
      reach.add(target);
      waiting.push(target);
    }
  }
  return reach;
}
