import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

import { RealBrowser } from '../../test/support/chromium.ts';
import { once, summarise, type Figure, type Summary } from '../report.ts';
import { RunningService } from '../service/running-service.ts';
import { bundleGlide, glideName, glidePath, type GlidePage } from './glide.ts';
import { PageMeter, type Scrolling } from './page-meter.ts';
import { makeWideSheet, type WideSheet } from './wide-sheet.ts';

/**
 * Measures the console in a browser with a million rows, beside glide-data-grid with the same rows.
 */

const consoleFolder = fileURLToPath(new URL('../../console/', import.meta.url));
const rounds = 5;
const jumpRounds = 10;
const blankColumn = 'W';
/** Area of cells from the third column on, where no selection is drawn. */
const someCells = { x: 330, y: 320, width: 500, height: 300 };

interface World {
  readonly browser: RealBrowser;
  readonly service: RunningService;
  readonly sheet: WideSheet;
  readonly glide: GlidePage | undefined;
}

interface Opened {
  readonly page: Page;
  readonly meter: PageMeter;
  /** Milliseconds until cells had texts. */
  readonly firstCells: number;
  readonly close: () => Promise<void>;
}

type Subject = 'console' | 'glide';

/** The figures of one of the two grids. */
interface Measured {
  readonly firstCells: Summary;
  readonly scrolling: Scrolling;
  readonly large: Scrolling;
  readonly heap: number;
  readonly jumps: Summary;
}

export async function runConsoleBench(rowCount: number): Promise<Figure[]> {
  const ends: (() => Promise<void>)[] = [];
  const browser = await RealBrowser.start({
    teardown: (end) => ends.push(end as () => Promise<void>),
  });
  const service = await RunningService.start(undefined, { DEV_HOOKS: '1' });
  ends.push(() => service.stop());
  try {
    const sheet = await makeWideSheet(service, rowCount);
    const world = { browser, service, sheet, glide: await bundleGlide() };
    // The service is warm before measuring: the first reader waits for its models.
    await (await open(world, 'console')).close();
    const ours = await measureSubject(world, 'console');
    const peer = world.glide && (await measureSubject(world, 'glide'));
    return [
      ...(await bundleFigures(world)),
      ...sharedFigures(ours, peer),
      ...(await ownFigures(world)),
    ];
  } finally {
    for (const end of ends) await end();
  }
}

async function measureSubject(world: World, subject: Subject): Promise<Measured> {
  const firstCells: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const opened = await open(world, subject);
    firstCells.push(opened.firstCells);
    await opened.close();
  }
  const usual = await open(world, subject);
  const scrolling = await usual.meter.scroll();
  const heap = await usual.meter.heapMegabytes();
  const jumps: number[] = [];
  for (let round = 0; round < jumpRounds; round++) {
    jumps.push(await jump(usual, subject, rowFor(world.sheet, round)));
  }
  await usual.close();
  const wide = await open(world, subject, { width: 3_840, height: 2_100 });
  const large = await wide.meter.scroll();
  await wide.close();
  return { firstCells: summarise(firstCells), scrolling, large, heap, jumps: summarise(jumps) };
}

/** Opens the sheet in a browser without a cache. */
async function open(
  { browser, service, sheet, glide }: World,
  subject: Subject,
  size = { width: 1_600, height: 900 },
): Promise<Opened> {
  const { page, context } = await browser.open(size);
  const key = JSON.stringify(service.credential);
  await context.addInitScript(`sessionStorage.setItem('quire.key', ${key})`);
  const meter = await PageMeter.on(page);
  if (subject === 'glide') await glide?.serve(page, sheet);
  const path = subject === 'glide' ? glidePath : `/console/${sheet.workbookId}`;
  await page.goto(service.url + path, { waitUntil: 'commit' });
  const firstCells = await meter.firstInk(someCells);
  await page.waitForLoadState('load');
  return { page, meter, firstCells, close: () => context.close() };
}

/** Returns rows far apart, so that their blocks are not loaded. */
function rowFor({ rowCount }: WideSheet, round: number): number {
  return Math.floor((rowCount * (((round * 7 + 3) % 11) + 1)) / 13);
}

async function jump({ page, meter }: Opened, subject: Subject, row: number): Promise<number> {
  if (subject === 'glide') return meter.untilInk(someCells, `benchJump(${row})`, true);
  await page.getByLabel('Go to cell').fill(`A${row}`);
  const act = `document.querySelector('.name-box').form.requestSubmit()`;
  return meter.untilInk(someCells, act, true);
}

/** Returns the bytes of scripts before the first cells, and of all scripts. */
async function bundleFigures(world: World): Promise<Figure[]> {
  const { page, close } = await open(world, 'console');
  const names = await page.evaluate<string[]>(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
  );
  await close();
  const first = await gzipKilobytes(names.map((name) => name.slice(name.lastIndexOf('/') + 1)));
  const files = await readdir(consoleFolder);
  const all = await gzipKilobytes(files.filter((file) => file.endsWith('.js')));
  const { glide } = world;
  const peer = glide && once(glide.scriptGzipBytes / 1e3);
  return [
    figure('scripts of the first screen', 'gzip kB', once(first), { peer, most: 120 }),
    figure('scripts of all screens', 'gzip kB', once(all), { most: 250 }),
  ];
}

async function gzipKilobytes(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += (await stat(join(consoleFolder, `${file}.gz`))).size;
  return bytes / 1e3;
}

function sharedFigures(ours: Measured, peer: Measured | undefined): Figure[] {
  const both = (pick: (one: Measured) => Summary, most?: number) => ({
    peer: peer && pick(peer),
    ...(most !== undefined && { most }),
  });
  const line = (name: string, pick: (one: Measured) => Summary, most?: number): Figure =>
    figure(name, 'ms', pick(ours), both(pick, most));
  return [
    line('first cells', ({ firstCells }) => firstCells, 800),
    line('a frame while scrolling, p50', ({ scrolling }) => part(scrolling, 0.5)),
    line('p95', ({ scrolling }) => part(scrolling, 0.95), 33),
    line('p99', ({ scrolling }) => part(scrolling, 0.99)),
    line('longest', ({ scrolling }) => part(scrolling, 1)),
    line('main thread a frame', ({ scrolling }) => once(scrolling.mainThread), 6),
    line('p95 at 3840 x 2100', ({ large }) => part(large, 0.95)),
    line('main thread a frame at 3840 x 2100', ({ large }) => once(large.mainThread), 25),
    line('jump to a row until its cells show', ({ jumps }) => jumps, 150),
    figure('heap after scrolling', 'MB', once(ours.heap), {
      peer: peer && once(peer.heap),
      most: 64,
    }),
  ];
}

function part({ frames }: Scrolling, share: number): Summary {
  const sorted = frames.toSorted((a, b) => a - b);
  return once(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
}

/** Measures what only the console has. */
async function ownFigures(world: World): Promise<Figure[]> {
  const opened = await open(world, 'console');
  const keys: number[] = [];
  const pastes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    keys.push(await typed(opened, `${blankColumn}${3 + round}`));
    pastes.push(await pasted(opened, `${blankColumn}${1_000 + 3_000 * round}`));
  }
  await opened.close();
  return [
    figure('key to painted cell', 'ms', summarise(keys), { most: 50 }),
    figure('paste of 10,000 cells until shown', 'ms', summarise(pastes), { most: 300 }),
  ];
}

async function typed({ page, meter }: Opened, cell: string): Promise<number> {
  const area = await go(page, cell);
  await page.keyboard.type('888');
  return meter.keyToInk(area, 'Enter');
}

async function pasted({ page, meter }: Opened, cell: string): Promise<number> {
  const area = await go(page, cell);
  const act = `{
    const data = new DataTransfer();
    data.setData('text/plain', Array.from({ length: 2000 }, (_, row) =>
      [row, 888, 888, 888, 888].join('\\t')).join('\\n'));
    document.querySelector('.grid-editor').dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }`;
  // Cells above the selected one show text only after the paste has reached them.
  return meter.untilInk(area, act, false);
}

/** Moves to a cell; returns its box without the frame. */
async function go(page: Page, cell: string) {
  await page.getByLabel('Go to cell').fill(cell);
  await page.getByLabel('Go to cell').press('Enter');
  const box = await page.locator('.grid-editor').boundingBox();
  if (!box) throw new Error('the active cell has no place');
  return { x: box.x + 4, y: box.y + 4, width: box.width - 8, height: box.height - 8 };
}

interface Beside {
  readonly peer?: Summary | undefined;
  /** Limit of the figure. */
  readonly most?: number;
}

function figure(measure: string, unit: string, quire: Summary, { peer, most }: Beside): Figure {
  return {
    subject: 'console',
    measure,
    unit,
    quire,
    ...(peer && { peer: { name: glideName, ...peer }, ratio: peer.median / quire.median }),
    ...(most !== undefined && { due: `<= ${most}`, isMet: quire.median <= most }),
  };
}
