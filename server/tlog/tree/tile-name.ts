import { FormatFault, quote } from '../encoding/fault.ts';

/** A full tile has so many hashes, a full bundle so many entries. */
export const fullWidth = 256;
const levelMost = 63;

/** Hashes `256 index` to `256 index + width - 1` of a level; level 0 has the leaf hashes. */
export interface TileName {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

/** The entries whose hashes are in a tile of level 0. */
export type BundleName = Omit<TileName, 'level'>;

/** The file that a path names; `tile` has a level, `bundle` has not. */
export type LogResource =
  | { readonly kind: 'tile'; readonly name: TileName }
  | { readonly kind: 'bundle'; readonly name: BundleName };

/** `tile/0/x001/234.p/5`: the place below the prefix of a log, on the web and in storage. */
export function formatTilePath(name: TileName): string {
  return `tile/${name.level}/${formatPlace(name)}`;
}

export function formatBundlePath(name: BundleName): string {
  return `tile/entries/${formatPlace(name)}`;
}

function formatPlace({ index, width }: BundleName): string {
  let path = String(index % 1000).padStart(3, '0');
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    path = `x${String(rest % 1000).padStart(3, '0')}/${path}`;
  }
  return width === fullWidth ? path : `${path}.p/${width}`;
}

const levelForm = '(entries|0|[1-9][0-9]?)';
const indexForm = '((?:x(?!000)[0-9]{3}/(?:x[0-9]{3}/)*)?[0-9]{3})';
const widthForm = '(?:\\.p/([1-9][0-9]{0,2}))?';
const pathForm = new RegExp(`^tile/${levelForm}/${indexForm}${widthForm}$`);

/** Reads the one spelling each tile and bundle has; every other one is a FormatFault. */
export function parseLogPath(path: string): LogResource {
  const [, levelText, indexText = '', widthText] = pathForm.exec(path) ?? [];
  const place = {
    index: Number(indexText.replaceAll(/[x/]/g, '')),
    width: widthText === undefined ? fullWidth : Number(widthText),
  };
  const isPartial = widthText !== undefined && place.width < fullWidth;
  const isWidth = widthText === undefined || isPartial;
  if (levelText === undefined || !isWidth || !Number.isSafeInteger(place.index)) {
    throw notAPath(path);
  }
  if (levelText === 'entries') return { kind: 'bundle', name: place };
  const name = { level: Number(levelText), ...place };
  if (name.level > levelMost) throw notAPath(path);
  return { kind: 'tile', name };
}

function notAPath(path: string): FormatFault {
  return new FormatFault(
    `${quote(path)} is not the path of a tile, such as tile/0/x001/234.p/5 or tile/entries/000`,
  );
}
