import { Failure } from '../model/failure.ts';
import type { Representation, RouteFacts } from './route.ts';

export const jsonType = 'application/json';
export const ndjsonType = 'application/x-ndjson';
export const msgpackTypes: readonly string[] = [
  'application/vnd.msgpack',
  'application/msgpack',
  'application/x-msgpack',
];

interface Choice {
  readonly name: string;
  readonly quality: number;
}

/**
 * The representation that Accept leads to for values and rows; `type` repeats the spelling the
 * client asked for.
 */
export interface Negotiated {
  readonly representation: Representation;
  readonly type: string;
}

const asJson: Negotiated = { representation: 'json', type: jsonType };

/** Chooses the representation, or fails when the route has nothing the client takes. */
export function negotiate(accept: string | undefined, facts: RouteFacts): Negotiated {
  if (accept === undefined || accept === '*/*' || accept === jsonType) return asJson;
  const offers = [jsonType, ...msgpackTypes, ...(facts.produces ?? []), 'application/problem+json'];
  const chosen = preferred(accept, offers);
  if (chosen === undefined) {
    throw new Failure('notAcceptable', {
      detail: `Accept is "${printable(accept)}".`,
      hint: `Ask for one of ${offers.slice(0, -1).join(', ')}.`,
    });
  }
  if (msgpackTypes.includes(chosen)) return { representation: 'msgpack', type: chosen };
  if (chosen === ndjsonType) return { representation: 'ndjson', type: ndjsonType };
  return asJson;
}

/** Errors are always sent: as msgpack if that is what the client reads best, else as JSON. */
export function negotiateProblem(accept: string | undefined): Negotiated {
  if (accept === undefined || !accept.includes('msgpack')) return asJson;
  const chosen = preferred(accept, [jsonType, ...msgpackTypes]);
  if (chosen === undefined || chosen === jsonType) return asJson;
  return { representation: 'msgpack', type: chosen };
}

/** The offer the client likes best; the first of equals. Undefined when it takes none. */
export function preferred(
  accept: string | undefined,
  offers: readonly string[],
): string | undefined {
  if (accept === undefined) return offers[0];
  const choices = readChoices(accept);
  let best: string | undefined;
  let bestQuality = 0;
  for (const offer of offers) {
    const quality = qualityOf(offer, choices);
    if (quality > bestQuality) [best, bestQuality] = [offer, quality];
  }
  return best;
}

export type Encoding = 'br' | 'gzip';

export function negotiateEncoding(accept: string | undefined): Encoding | undefined {
  if (accept === undefined) return undefined;
  const choices = readChoices(accept);
  const qualities = new Map(choices.map(({ name, quality }) => [name, quality]));
  const any = qualities.get('*') ?? 0;
  const br = qualities.get('br') ?? any;
  const gzip = qualities.get('gzip') ?? qualities.get('x-gzip') ?? any;
  if (br > 0 && br >= gzip) return 'br';
  return gzip > 0 ? 'gzip' : undefined;
}

/** `a/b;q=0.5, c/d` as names with qualities; what cannot be read counts as not there. */
function readChoices(header: string): Choice[] {
  return header.split(',').flatMap((part) => {
    const [name, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (name === undefined || name === '') return [];
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const number = quality === undefined ? 1 : Number(quality.slice(2));
    return [{ name, quality: Number.isFinite(number) ? Math.min(1, Math.max(0, number)) : 0 }];
  });
}

/** The most specific choice decides, as RFC 9110 section 12.5.1 asks. */
function qualityOf(offer: string, choices: readonly Choice[]): number {
  const group = `${offer.slice(0, offer.indexOf('/'))}/*`;
  for (const pattern of [offer, group, '*/*']) {
    const choice = choices.find(({ name }) => name === pattern);
    if (choice !== undefined) return choice.quality;
  }
  return 0;
}

function printable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
}
