import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the console in the encodings that browsers take. */
export interface Asset {
  readonly type: string;
  readonly sha256: string;
  readonly plain: Uint8Array;
  readonly brotli: Uint8Array;
  readonly gzip: Uint8Array;
}

interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly functions: string;
  readonly assets: readonly {
    readonly file: string;
    readonly type: string;
    readonly sha256: string;
  }[];
}

/** The files that `npm run build` made of client/console, in memory. */
export interface ConsoleAssets {
  readonly script: string;
  readonly style: string;
  readonly functions: string;
  readonly files: ReadonlyMap<string, Asset>;
}

const builtFolder = fileURLToPath(new URL('../../console/', import.meta.url));

let known: ConsoleAssets | undefined;

/** Returns the files, which a process reads once; undefined where nothing was built. */
export function readAssets(): ConsoleAssets | undefined {
  return (known ??= readFolder(builtFolder));
}

function readFolder(folder: string): ConsoleAssets | undefined {
  const manifestFile = join(folder, 'manifest.json');
  if (!existsSync(manifestFile)) return undefined;
  // The build writes the manifest, in the shape of its own type.
  const { script, style, functions, assets } = JSON.parse(
    readFileSync(manifestFile, 'utf8'),
  ) as Manifest;
  const files = assets.map(({ file, type, sha256 }): [string, Asset] => {
    const read = (ending: string) => readFileSync(join(folder, file + ending));
    return [file, { type, sha256, plain: read(''), brotli: read('.br'), gzip: read('.gz') }];
  });
  return { script, style, functions, files: new Map(files) };
}
