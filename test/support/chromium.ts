import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Test } from 'tap';

const run = promisify(execFile);
const build = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Returns a Chromium: that of QUIRE_BROWSER, else that of the package for Linux on x64, which is
 * unpacked once into a folder named by its version.
 */
async function unpacked(): Promise<{ executablePath: string; env: Record<string, string> }> {
  const given = process.env['QUIRE_BROWSER'];
  if (given !== undefined) return { executablePath: given, env: {} };
  const packageFile = new URL('../../package.json', import.meta.resolve('@sparticuz/chromium'));
  const manifest = JSON.parse(await readFile(packageFile, 'utf8')) as { version: string };
  const folder = `${build}browser-${manifest.version}`;
  if (!(await isThere(folder))) await unpack(folder);
  return {
    executablePath: `${folder}/chromium`,
    env: { FONTCONFIG_FILE: `${folder}/quire-fonts.conf`, HOME: folder },
  };
}

/** Unpacks beside the folder and renames it, so that two test files can do it at once. */
async function unpack(folder: string): Promise<void> {
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  const script = `import(${JSON.stringify(import.meta.resolve('@sparticuz/chromium'))}).then((it) => it.default.executablePath())`;
  await run(process.execPath, ['-e', script], { env: { ...process.env, TMPDIR: partial } });
  await writeFile(`${partial}/quire-fonts.conf`, fontSettings(folder));
  try {
    await rename(partial, folder);
  } catch (error) {
    if (!(await isThere(folder))) throw error;
    await rm(partial, { recursive: true });
  }
}

/** Returns font settings, because those of the package name folders of a cloud function. */
function fontSettings(folder: string): string {
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${folder}/fonts/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Collects everything that a page reports as an error: scripts, console, policy, loading. */
export class PageWatch {
  readonly complaints: string[] = [];

  watch(page: Page): void {
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#note(message.text());
    });
    page.on('pageerror', (error) => this.#note(String(error)));
    page.on('requestfailed', (request) => {
      // A page cancels requests that nobody needs any more.
      if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
      this.#note(`${request.url()} was not loaded`);
    });
  }

  /** Returns the errors since the last call. */
  take(): string[] {
    return this.complaints.splice(0);
  }

  #note(text: string): void {
    this.complaints.push(text);
  }
}

/** Returns whether the browser crashed at its start, which no page has caused. */
function isCrash(error: unknown): boolean {
  return error instanceof Error && error.message.includes('signal=SIG');
}

/** One browser for a test file; each context in it is another person. */
export class RealBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<RealBrowser> {
    const { executablePath, env } = await unpacked();
    // The arguments of the package would disable web security, and hide faults of it.
    const args = ['--no-sandbox', '--headless=shell', '--disable-gpu', '--disable-dev-shm-usage'];
    const given = Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const options = { executablePath, args, env: { ...Object.fromEntries(given), ...env } };
    const browser = await chromium.launch(options).catch((error: unknown) => {
      if (!isCrash(error)) throw error;
      process.stderr.write(`${String(error)}\n`);
      return chromium.launch(options);
    });
    t.teardown(() => browser.close());
    return new RealBrowser(browser);
  }

  /** Opens a page of a new person, with its errors. */
  async open(
    options: {
      width?: number;
      height?: number;
      dark?: boolean;
      proxy?: string;
      isPhone?: boolean;
    } = {},
  ): Promise<{ page: Page; context: BrowserContext; watch: PageWatch }> {
    const { width = 1280, height = 900, dark = false, proxy, isPhone = false } = options;
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      ...(isPhone && { hasTouch: true, isMobile: true }),
      ...(proxy !== undefined && { proxy: { server: proxy } }),
    });
    const page = await context.newPage();
    const watch = new PageWatch();
    watch.watch(page);
    return { page, context, watch };
  }
}
