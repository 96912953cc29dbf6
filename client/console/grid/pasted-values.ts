/** Formats that Excel names in its clipboard. */
const named: Readonly<Record<string, string | undefined>> = {
  General: undefined,
  Fixed: '0.00',
  Standard: '#,##0.00',
  Percent: '0.00%',
  Scientific: '0.00E+00',
  Currency: '$#,##0.00',
  'Short Date': 'm/d/yyyy',
  'Medium Date': 'd-mmm-yy',
  'Short Time': 'h:mm',
  'Medium Time': 'h:mm AM/PM',
};

/** Reads the value of `mso-number-format`: a name, or a format whose signs are escaped as in CSS. */
export function patternIn(value: string): string | undefined {
  const text = value.replaceAll(/^"|"$/gu, '').replaceAll(/\\([0-9a-f]{4}) ?|\\(.)/giu, signOf);
  return Object.hasOwn(named, text) ? named[text] : text || undefined;
}

/** Returns the sign of an escape: of its code in hexadecimal digits, or the one behind the slash. */
export function signOf(_: string, code: string | undefined, sign: string): string {
  return code === undefined ? sign : String.fromCodePoint(Number.parseInt(code, 16));
}

const names: Readonly<Record<string, string>> = {
  black: '#000000',
  white: '#FFFFFF',
  silver: '#C0C0C0',
  gray: '#808080',
  red: '#FF0000',
  maroon: '#800000',
  yellow: '#FFFF00',
  olive: '#808000',
  lime: '#00FF00',
  green: '#008000',
  aqua: '#00FFFF',
  teal: '#008080',
  blue: '#0000FF',
  navy: '#000080',
  fuchsia: '#FF00FF',
  purple: '#800080',
};

/** Reads a colour of CSS as `#RRGGBB`; undefined for what is none, such as `transparent`. */
export function colourIn(text: string): string | undefined {
  const value = text.trim().toLowerCase();
  const long = /^#([0-9a-f]{6})\b/u.exec(value)?.[1];
  if (long !== undefined) return `#${long.toUpperCase()}`;
  const short = /^#([0-9a-f]{3})\b/u.exec(value)?.[1];
  if (short !== undefined)
    return `#${short.replaceAll(/./gu, (digit) => digit + digit)}`.toUpperCase();
  const channels = /^rgb\((\d{1,3}),\s*(\d{1,3}),\s*(\d{1,3})\)/u.exec(value)?.slice(1);
  if (channels) {
    return `#${channels.map((one) => Number(one).toString(16).padStart(2, '0')).join('')}`.toUpperCase();
  }
  return names[/^[a-z]+/u.exec(value)?.[0] ?? ''];
}
