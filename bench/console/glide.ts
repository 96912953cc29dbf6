import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import type { Page } from 'playwright-core';

import { hasPeer } from '../peers.ts';
import type { WideSheet } from './wide-sheet.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const glideName = '@glideapps/glide-data-grid';

/** A page with the peer's grid, as the browser gets it. */
export interface GlidePage {
  readonly scriptGzipBytes: number;
  /** Serves the page and its files instead of the service. */
  serve(page: Page, sheet: WideSheet): Promise<void>;
}

/** Path of the page, on the service's origin, so that it may request cells. */
export const glidePath = '/console/-/glide';

/** Bundles the peer like the console; undefined if it is not installed. */
export async function bundleGlide(): Promise<GlidePage | undefined> {
  if (!hasPeer(glideName)) return undefined;
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['bench/console/glide-page.js'],
    nodePaths: [join(root, 'bench/node_modules')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    outdir: join(root, 'build/bench/glide'),
    write: false,
    legalComments: 'none',
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const script = files.get('glide-page.js') ?? new Uint8Array();
  return {
    scriptGzipBytes: gzipSync(script, { level: 9 }).length,
    serve: async (page, sheet) => {
      await page.route(`**${glidePath}*`, (route) => {
        const name = basename(new URL(route.request().url()).pathname);
        const file = files.get(name.replace(/^glide-file-/u, ''));
        if (file === undefined)
          return route.fulfill({ contentType: 'text/html', body: shell(sheet) });
        const contentType = name.endsWith('.css') ? 'text/css' : 'text/javascript';
        return route.fulfill({ contentType, body: Buffer.from(file) });
      });
    },
  };
}

function shell(sheet: WideSheet): string {
  const { workbookId, ref, rowCount, columnCount } = sheet;
  const told = JSON.stringify({ workbookId, ref, rowCount, columnCount });
  return `<!doctype html><link rel="stylesheet" href="${glidePath}-file-glide-page.css">
<style>body{margin:0}</style><main></main><div id="portal"></div>
<script>window.benchSheet=${told}</script>
<script type="module" src="${glidePath}-file-glide-page.js"></script>`;
}
