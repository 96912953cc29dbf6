import { z } from 'zod';

import { Failure, type FieldError } from '../model/failure.ts';
import { algorithm, assignments, type MatchRules } from '../../workers/matching/options.ts';
import type { MatchOptions, MatchRequest } from './match.ts';
import { checkedDimensions } from './providers/dimensions.ts';
import type { Providers } from './providers/providers.ts';

const share = z.number().min(0).max(1);

/** Options by name, as a request may have them. */
const options = {
  hi: share.describe('Accepts pairs from this cosine on; default 0.95'),
  lo: share.describe('Refuses pairs below it; default 0.35'),
  provider: z.string().min(1).max(64).describe('Default local'),
  verifyProvider: z
    .string()
    .min(1)
    .max(64)
    .describe('Decides in between; none: a person does; default local'),
  dim: z.number().int().describe('A multiple of 16; default exact'),
  assignment: z.enum(assignments).describe('Default many-to-one'),
  topK: z.number().int().min(1).max(50).describe('Candidates that a left row keeps; default 5'),
  minConfidence: share.describe('From here on the verifier accepts; default 0.35'),
  normalise: z.enum(['default', 'none']),
  aliases: z
    .strictObject({ tableId: z.string(), from: z.string(), to: z.string() })
    .describe('A table of words that mean the same'),
  include: z.enum(['accepted', 'all']).describe('Rows that are written; default all'),
} as const;

/** Anything at all as far as the body goes: what is wrong with an option has a code of its own. */
export const optionsBody = z.record(z.string(), z.unknown()).meta({
  id: 'MatchOptions',
  description: Object.entries(options)
    .map(([name, schema]) => `\`${name}\`: ${schema.description ?? 'default `default`'}`)
    .join('. '),
});

const given = z.strictObject(options).partial();

const defaults = {
  hi: 0.95,
  lo: 0.35,
  assignment: 'many-to-one',
  topK: 5,
  minConfidence: 0.35,
  normalise: 'default',
  aliases: null,
  include: 'all',
} as const;
const dimLeast = 64;
const dimMost = 4096;
const dimStep = 16;

/** Reads what was asked for and fills in what was not. */
export function readOptions(
  body: Readonly<Record<string, unknown>>,
  providers: Known,
): MatchOptions {
  const parsed = given.safeParse(body);
  if (!parsed.success) throw badOption(body, parsed.error);
  const { data } = parsed;
  const { provider = 'local', verifyProvider = 'local' } = data;
  const embedder = providers.embedder(provider);
  if (provider !== 'local' && !embedder) throw notConfigured(provider, 'provider');
  if (!['local', 'none'].includes(verifyProvider) && !providers.judge(verifyProvider)) {
    throw notConfigured(verifyProvider, 'verifyProvider');
  }
  return {
    ...defaults,
    ...namedOptions(data),
    ...readBand(data, embedder?.spec),
    provider,
    verifyProvider,
    dim: embedder ? checkedDimensions(provider, embedder.spec, data.dim) : checkedDim(data.dim),
  };
}

/** Providers that there are, by name. */
export type Known = Pick<Providers, 'embedder' | 'judge'>;

/** Names everything that makes the rows, so that those of another model are not taken for them. */
export function algorithmOf({ provider, verifyProvider }: MatchOptions, known: Known): string {
  const embedder = known.embedder(provider);
  const judge = known.judge(verifyProvider);
  const names = [embedder ? `dense/1 ${provider}:${embedder.spec.model ?? ''}` : algorithm];
  if (judge) names.push(`chat/1 ${verifyProvider}:${judge.spec.model}`);
  return names.join(', ');
}

type Given = z.output<typeof given>;

/** Options that need no look at anything else. */
function namedOptions(data: Given): Partial<MatchOptions> {
  const { hi: _hi, lo: _lo, provider: _provider, ...rest } = data;
  const { verifyProvider: _verifyProvider, dim: _dim, ...named } = rest;
  const entries = Object.entries(named).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

function readBand(
  data: Given,
  own: { readonly hi?: number | undefined; readonly lo?: number | undefined } = {},
): Pick<MatchOptions, 'hi' | 'lo'> {
  const { hi = own.hi ?? defaults.hi } = data;
  const { lo = Math.min(own.lo ?? defaults.lo, hi) } = data;
  if (hi < lo) {
    throw new Failure('hiBelowLo', {
      detail: `hi is ${hi} and lo is ${lo}.`,
      hint: 'Pairs are accepted from hi on and refused below lo: send a hi that is not below lo.',
      errors: [{ pointer: '/opts/hi', code: 'hi_below_lo', message: 'lies below lo' }],
    });
  }
  return { hi, lo };
}

export function rulesOf({ left, right, opts }: MatchRequest): MatchRules {
  const { hi, lo, dim, assignment, topK, minConfidence, normalise, include } = opts;
  return {
    hi,
    lo,
    isVerified: opts.verifyProvider !== 'none',
    isJudged: !['local', 'none'].includes(opts.verifyProvider),
    ...(dim !== null && opts.provider === 'local' && { dim }),
    assignment,
    topK,
    minConfidence,
    normalise,
    include,
    isDedupe: JSON.stringify(left) === JSON.stringify(right),
  };
}

function checkedDim(dim: number | undefined): number | null {
  if (dim === undefined) return null;
  if (dim >= dimLeast && dim <= dimMost && dim % dimStep === 0) return dim;
  throw new Failure('dimUnsupported', {
    detail: `The provider local has no vectors of ${dim} numbers.`,
    hint: `Send a multiple of ${dimStep} from ${dimLeast} to ${dimMost}, or leave dim out.`,
    errors: [{ pointer: '/opts/dim', code: 'dim_unsupported', message: 'not a size it has' }],
  });
}

function notConfigured(name: string, option: 'provider' | 'verifyProvider'): Failure {
  const isJudge = option === 'verifyProvider';
  return new Failure('providerNotConfigured', {
    detail: `There is no provider called ${JSON.stringify(name)} for this here.`,
    hint: isJudge
      ? 'GET /v1/match-providers lists those that verify; local always does, and none asks a person.'
      : 'GET /v1/match-providers lists those that make vectors; local always does.',
    errors: [
      { pointer: `/opts/${option}`, code: 'provider_not_configured', message: 'not configured' },
    ],
  });
}

function badOption(body: Readonly<Record<string, unknown>>, { issues }: z.ZodError): Failure {
  const errors = issues.flatMap((issue): FieldError[] => {
    const at = issue.path.map((part) => `/${String(part)}`).join('');
    if (issue.code !== 'unrecognized_keys') {
      return [{ pointer: `/opts${at}`, code: 'invalid_option', message: issue.message }];
    }
    return issue.keys.map((key) => ({
      pointer: `/opts${at}/${key}`,
      code: 'invalid_option',
      message: 'there is no such option',
    }));
  });
  const names = Object.keys(body).filter((name) => !Object.hasOwn(options, name));
  return new Failure('invalidOption', {
    detail:
      names.length > 0
        ? `There is no option called ${JSON.stringify(names[0])}.`
        : `${errors[0]?.pointer ?? '/opts'}: ${errors[0]?.message ?? 'not valid'}`,
    hint: `The options are ${Object.keys(options).join(', ')}.`,
    errors,
  });
}
